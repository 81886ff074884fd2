import Foundation
import Holdfast
import Processes
import Synchronization

/// A phone without its app. The airplane mode switch and the date belong to the device, and outlive the app.
actor Handset {
  enum Outcome: Sendable {
    /// The app has handled the intent. The phone's snapshots show its effect from this number on. `isRefused` is
    /// true when a text that was to be sent could not be stored: the composer then has a problem, and still has the
    /// text.
    case handled(Int, isRefused: Bool)
    /// No app is running that could handle the intent.
    case noApp
  }

  /// The part of a phone's line with the result of an intent.
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
  ///   - makeChild: starts the phone's process, with the device's settings at that moment.
  ///   - publish: called after each change of the process and each line that it writes.
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

  /// Lets days pass: closes the app, and advances the phone's date from the next launch on. Returns the total number
  /// of days by which the date is then ahead.
  func pass(days: Int) async -> Int {
    let days = min(max(days, 1), 365)
    await process.leave(saying: days == 1 ? "A day has passed since." : "\(days) days have passed since.")
    return settings.change { values in
      values.daysAhead += days
      return values.daysAhead
    }
  }

  /// Passes an intent to the app, and returns when the app has handled it.
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

/// The settings of a device. Each launch reads them.
final class DeviceSettings: Sendable {
  struct Values: Sendable {
    var isAirplane = false
    /// The number of days by which the date is ahead.
    var daysAhead = 0
  }

  private let state = Mutex(Values())

  var values: Values { state.withLock { $0 } }

  @discardableResult
  func change<Result: Sendable>(_ body: (inout Values) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}
