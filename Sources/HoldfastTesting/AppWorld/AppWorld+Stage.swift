import Foundation
import Holdfast
import Logging
import Synchronization

extension AppWorld {
  /// A running ``AppWorld``: its clock, its phones and its servers.
  public final class Stage: Sendable {
    private struct State {
      var events: [String] = []
      var failure: String?
      var ids = 0
      var phones: [any SimulatedDevice] = []
      var waiting: [any SimulatedDevice] = []
      var isCalm = false
    }

    let scheduler: SeededScheduler
    let folder: URL
    let faults: Faults
    /// The world's main actor.
    let mainActor: SeededSerialExecutor
    private let state = Mutex(State())
    private let phoneCame = Signal()
    let hasFailed = Signal()

    init(scheduler: SeededScheduler, folder: URL, faults: Faults) {
      (self.scheduler, self.folder, self.faults) = (scheduler, folder, faults)
      mainActor = SeededSerialExecutor(scheduler: scheduler)
    }

    /// The time since the world began.
    public var now: Duration { scheduler.now }

    /// The world's clock, dates, IDs and random numbers, for a server of the test's own.
    public var environment: ChatEnvironment {
      var environment = ChatEnvironment(
        executor: SeededSerialExecutor(scheduler: scheduler),
        logger: Logger(label: "world") { _ in SwiftLogNoOpLogHandler() })
      let scheduler = scheduler
      environment.uptime = { scheduler.now }
      environment.sleep = { try await scheduler.sleep(until: $0) }
      // The world begins on 1 January 2026.
      environment.now = { Date(timeIntervalSince1970: 1_767_225_600 + scheduler.now / .seconds(1)) }
      environment.random = { scheduler.draw { $0.unit() } }
      environment.makeID = { [self] in makeID() }
      return environment
    }

    private func makeID() -> String {
      state.withLock { state in
        state.ids += 1
        return "id-\(state.ids)"
      }
    }

    /// Adds a phone, on which an app can be launched.
    ///
    /// - Parameters:
    ///   - name: the phone's name in descriptions. It must be unique.
    ///   - launch: makes the app, as the app's own start does: it opens its store and builds its models.
    ///   - run: runs the app, until the task is cancelled: `client.run()`, and the models' `run()` beside it.
    public func phone<App: Sendable>(
      _ name: String, launch: @escaping @Sendable (Launch) async throws -> App,
      run: @escaping @Sendable (App) async -> Void
    ) -> Phone<App> {
      let phone = Phone(name, on: self, launch: launch, run: run)
      state.withLock { state in
        state.phones.append(phone)
        state.waiting.append(phone)
      }
      phoneCame.raise()
      return phone
    }

    /// Lets time pass.
    ///
    /// - Throws: `CancellationError` when the world has ended.
    public func pass(_ time: Duration) async throws { try await scheduler.sleep(until: now + time) }

    /// Lets time pass until a condition holds.
    ///
    /// - Parameters:
    ///   - what: what is waited for, for the sentence of a failure: "the message to arrive".
    ///   - time: the longest time to wait, in the world.
    ///   - isSo: the condition, checked each twentieth of a second.
    /// - Throws: a failure when it does not hold in time; an error of `isSo`.
    public func wait(
      for what: String, within time: Duration = .seconds(300), until isSo: @Sendable () async throws -> Bool
    ) async throws {
      let deadline = now + time
      while try await !isSo() {
        guard now < deadline else { throw Unmet("\(time) were not enough for \(what).") }
        try await pass(.milliseconds(50))
      }
    }

    /// Fails the world unless a condition holds.
    ///
    /// - Parameters:
    ///   - isSo: the condition.
    ///   - what: a description of the condition, for the sentence of the failure: "the message is there once".
    public func check(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
      guard isSo else { throw Unmet("It is not so that \(what()).") }
    }

    /// Returns true with this probability.
    public func chance(_ probability: Double) -> Bool { scheduler.draw { $0.chance(probability) } }

    /// A whole number from the range, all equally probable.
    public func number(in range: ClosedRange<Int>) -> Int {
      scheduler.draw { Int.random(in: range, using: &$0) }
    }

    /// Ends all random faults: phones are online, and nothing is lost or killed from now on. The app must then
    /// recover by itself.
    public func calm() {
      let phones = state.withLock { state in
        state.isCalm = true
        return state.phones
      }
      note("the faults end")
      for phone in phones { phone.calmDown() }
    }

    /// Whether the faults have ended.
    var isCalm: Bool { state.withLock { $0.isCalm } }

    /// Records an event for the description of a failure.
    public func note(_ event: String) {
      let now = now
      state.withLock { $0.events.append("  \(now.inSeconds) \(event)") }
    }

    var events: [String] { state.withLock { $0.events } }
    /// The reason why the world has failed, without its events. Nil while it has not.
    var failure: String? { state.withLock { $0.failure } }

    func fail(_ reason: String) {
      state.withLock { $0.failure = $0.failure ?? reason }
      hasFailed.raise()
    }

    /// The next added phone. Nil when the world has ended.
    func nextPhone() async -> (any SimulatedDevice)? {
      while !Task.isCancelled {
        if let phone = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
          return phone
        }
        await phoneCame.wait()
      }
      return nil
    }
  }

  /// A condition that does not hold.
  struct Unmet: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

/// A phone with any app.
protocol SimulatedDevice: Sendable {
  /// Runs the phone until the task is cancelled.
  func live() async
  /// Ends the random faults.
  func calmDown()
}
