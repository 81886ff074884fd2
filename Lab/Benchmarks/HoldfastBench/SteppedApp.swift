import Foundation
import Holdfast
import HoldfastTransport

/// An app with its list and one conversation on the screen. Its engine waits on a clock that is set forward.
@MainActor final class SteppedApp {
  /// After this time everything that a commit leads to is done, the chores of the store too.
  static let aftermath: Duration = .seconds(120)

  let backend: Backend
  let composer: ComposerModel
  private let clock: SteppedClock
  private let client: ChatClient
  private let timeline: ConversationModel
  private let list: ConversationListModel
  private let link: ConnectionModel

  private init(_ store: URL, isOnline: Bool) throws {
    clock = SteppedClock()
    backend = Backend(isReachable: isOnline)
    client = try Rig.open(store, backend, environment: ChatEnvironment(clock: clock))
    composer = ComposerModel(client, Rig.conversation)
    timeline = ConversationModel(client, Rig.conversation)
    list = ConversationListModel(client)
    link = ConnectionModel(client)
  }

  /// Calls `body` with an app that has been open for a while, on a copy of a store of 10,000 messages.
  ///
  /// - Parameter first: what the server says at the beginning, so that the journal exists. Nil: the app is
  ///   offline.
  static func run<Value: Sendable>(
    on bench: Workbench, first: TransportEvent?,
    _ body: @MainActor (SteppedApp) async throws -> Value
  ) async throws -> Value {
    let place = bench.folder.appendingPathComponent("stepped-app")
    defer { try? FileManager.default.removeItem(at: place) }
    try FileManager.default.copyItem(at: try await bench.template(of: 10_000), to: place)
    let app = try SteppedApp(place, isOnline: first != nil)
    return try await bench.withRunning(app.client) {
      try await app.withModels {
        if let first { _ = try await app.backend.say(first) }
        await app.pass(aftermath)
        return try await body(app)
      }
    }
  }

  /// What `body` costs, with everything that it leads to.
  func wear(_ body: @MainActor () async throws -> Void) async throws -> Wear {
    let before = try Wear.reading(of: clock, client.store)
    try await body()
    await pass(Self.aftermath)
    return try Wear.reading(of: clock, client.store) - before
  }

  /// Throws when the engine no longer saves what is typed: an app whose engine has ended costs nothing.
  func requireLife() async throws {
    let wear = try await wear { composer.edit(typedText(0)) }
    guard wear.syncs > 0 else { throw BenchmarkFailure("The engine ended before it was measured.") }
  }

  /// Sets the clock forward, from one wait's end to the next, by ten seconds at most.
  func pass(_ time: Duration) async {
    let end = clock.now.advanced(by: time)
    await Self.pause(.milliseconds(1))
    while clock.now < end {
      let wakes = clock.wakes
      let next = min(clock.nextDeadline ?? end, end, clock.now.advanced(by: .seconds(10)))
      clock.advance(by: clock.now.duration(to: next))
      // Whoever was woken does its work, and waits again, before time goes on.
      await Self.pause(clock.wakes > wakes ? .milliseconds(10) : .milliseconds(1))
    }
  }

  private func withModels<Value: Sendable>(
    _ body: @MainActor () async throws -> Value
  ) async throws -> Value {
    let running = Task { [composer, timeline, list, link] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await composer.run() }
        group.addTask { await timeline.run() }
        group.addTask { await list.run() }
        group.addTask { await link.run() }
      }
    }
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    running.cancel()
    await running.value
    return try result.get()
  }

  /// Waits in real time, on a thread of its own. The timers behind `Task.sleep` write eight bytes to wake
  /// their thread, which ``WrittenBytes`` would count.
  private static func pause(_ time: Duration) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: time / .seconds(1))
        continuation.resume()
      }
    }
  }
}
