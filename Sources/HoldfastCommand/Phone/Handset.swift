import Foundation
import Holdfast
import Synchronization

/// A phone without its app: the switch for airplane mode and the date belong to the device, and outlive the app.
actor Handset {
  enum Outcome: Sendable {
    /// The phone's snapshots show the intent's effect from this number on. When a text was to be sent and
    /// could not be stored, there is a problem, and the text is still in the composer.
    case handled(Int, isRefused: Bool)
    /// There is no app to take it.
    case noApp
  }

  /// What a phone's line says about itself, apart from everything it shows.
  private struct Handled: Decodable {
    struct Composer: Decodable { var problem: String? }
    struct Window: Decodable { var composer: Composer? }
    var handled: Int
    var composer: Composer?
    var second: Window?

    func isRefused(in window: Int?) -> Bool {
      (window == PhoneScreen.secondWindow ? second?.composer : composer)?.problem != nil
    }
  }

  nonisolated let process: HostedProcess

  private let settings: DeviceSettings
  private var number = 0

  /// - Parameters:
  ///   - makeChild: starts the phone's process, with the device's settings as they are then.
  ///   - publish: called after each change of the process and each line of it.
  init(
    makeChild: @escaping @Sendable (DeviceSettings.Values) throws -> ChildProcess,
    publish: @escaping HostedProcess.Publish
  ) {
    let settings = DeviceSettings()
    self.settings = settings
    process = HostedProcess(makeChild: { _ in try makeChild(settings.values) }, publish: publish)
  }

  func setAirplane(_ isOn: Bool) async -> Outcome {
    settings.change { $0.isAirplane = isOn }
    return await perform(PhoneIntent(type: .network, isUp: !isOn))
  }

  /// Lets days pass: the app is closed, and from the next launch on the phone's date is that much further. Gives how
  /// far it is ahead then.
  func pass(days: Int) async -> Int {
    let days = min(max(days, 1), 365)
    await process.leave(saying: days == 1 ? "A day has passed since." : "\(days) days have passed since.")
    return settings.change { values in
      values.daysAhead += days
      return values.daysAhead
    }
  }

  /// Hands an intent to the app, and returns when the app has handled it.
  func perform(_ intent: PhoneIntent) async -> Outcome {
    number += 1
    let number = number
    var intent = intent
    intent.number = number
    guard let line = try? JSONEncoder().encode(intent) else { return .noApp }
    let (isSend, window) = (intent.type == .send, intent.window)
    let outcome = await process.exchange(line) { line -> Outcome? in
      guard let said = try? JSONDecoder().decode(Handled.self, from: line), said.handled >= number else {
        return nil
      }
      return .handled(number, isRefused: isSend && said.isRefused(in: window))
    }
    return outcome ?? .noApp
  }
}

/// What is set on a device, and a launch reads.
final class DeviceSettings: Sendable {
  struct Values: Sendable {
    var isAirplane = false
    /// How far the date is ahead.
    var daysAhead = 0
  }

  private let state = Mutex(Values())

  var values: Values { state.withLock { $0 } }

  @discardableResult
  func change<Result: Sendable>(_ body: (inout Values) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}
