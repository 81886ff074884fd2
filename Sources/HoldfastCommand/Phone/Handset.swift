import Foundation
import Holdfast
import Synchronization

/// A phone without its app: the switch for airplane mode belongs to the device and outlives the app.
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
    var handled: Int
    var composer: Composer?
  }

  nonisolated let process: HostedProcess

  private let isAirplane: Switch
  private var number = 0

  /// - Parameters:
  ///   - makeChild: starts the phone's process, with the network up or not.
  ///   - publish: called after each change of the process and each line of it.
  init(
    makeChild: @escaping @Sendable (_ isUp: Bool) throws -> ChildProcess,
    publish: @escaping HostedProcess.Publish
  ) {
    let isAirplane = Switch()
    self.isAirplane = isAirplane
    process = HostedProcess(makeChild: { _ in try makeChild(!isAirplane.isOn) }, publish: publish)
  }

  func setAirplane(_ isOn: Bool) async -> Outcome {
    isAirplane.isOn = isOn
    return await perform(PhoneIntent(type: .network, isUp: !isOn))
  }

  /// Hands an intent to the app, and returns when the app has handled it.
  func perform(_ intent: PhoneIntent) async -> Outcome {
    number += 1
    let number = number
    var intent = intent
    intent.number = number
    guard let line = try? JSONEncoder().encode(intent) else { return .noApp }
    let isSend = intent.type == .send
    let outcome = await process.exchange(line) { line -> Outcome? in
      guard let said = try? JSONDecoder().decode(Handled.self, from: line), said.handled >= number else {
        return nil
      }
      return .handled(number, isRefused: isSend && said.composer?.problem != nil)
    }
    return outcome ?? .noApp
  }
}

/// A switch that the phone's owner turns and a launch reads.
private final class Switch: Sendable {
  private let state = Mutex(false)

  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
