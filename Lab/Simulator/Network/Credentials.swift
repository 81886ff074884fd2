import Holdfast
import Synchronization

/// A device's credentials from the server's view. Once they expire, the server refuses every connection with them by
/// 401, until the user has new ones (rule O7).
///
/// The type also checks that no phone connects needlessly. A phone whose credentials were refused twice in a row
/// waits for new ones. It connects again only after a nudge (a tap, a relaunch, a network that came back), or after
/// a long wait.
final class Credentials: Sendable {
  private struct State {
    var areExpired = false
    /// Whether expired credentials also end the open connection.
    var endsConnection = false
    /// By process: refusals since the last launch, or since a connection ended in another way.
    var refusals: [String: Int] = [:]
    var refusedAt: [String: Duration] = [:]
    var nudgedAt: Duration?
  }

  /// The time between a nudge and the resulting attempt: the debounce of the path, and the latency to the server.
  private static let slack: Duration = .seconds(3)

  private let world: WorldState
  private let device: String
  private let state = Mutex(State())

  init(world: WorldState, device: String) {
    self.world = world
    self.device = device
  }

  /// Makes the credentials expire now and then, until the world heals. Only the user renews them.
  func run() async {
    await world.episodes(of: .expiredCredentials, lasting: 1...1) {
      guard !state.withLock({ $0.areExpired }) else { return }
      world.count(.expiredCredentials)
      world.trace(device, "has credentials that have expired")
      let endsConnection = world.scheduler.draw { $0.chance(0.7) }
      state.withLock { state in
        state.areExpired = true
        state.endsConnection = endsConnection
      }
    } end: {
    }
  }

  /// Renews the credentials, as the user does by logging in again.
  func renew() {
    let wereExpired = state.withLock { state in
      defer { state.areExpired = false }
      return state.areExpired
    }
    if wereExpired { world.trace(device, "has new credentials") }
  }

  /// Records an event after which the phone may connect once more.
  func nudge() { state.withLock { $0.nudgedAt = world.scheduler.now } }

  /// Resets the count of refusals, because the process is new, or because a connection ended for another reason.
  func forgetRefusals(of process: String) { state.withLock { $0.refusals[process] = 0 } }

  /// Admits a connecting process. Throws when it is refused.
  func admit(_ process: String, policy: ChatConfiguration.RetryPolicy) throws {
    guard state.withLock({ $0.areExpired }) else { return }
    try refuse(process, policy: policy)
  }

  /// Lets a frame arrive on a connection. Throws when the connection ends with the credentials. The phone's reaction
  /// depends on the connection's other events at that moment, so this refusal is not counted.
  func require(of process: String) throws {
    guard state.withLock({ $0.areExpired && $0.endsConnection }) else { return }
    forgetRefusals(of: process)
    throw ConnectionFailure(.unauthorized, detail: "401")
  }

  private func refuse(_ process: String, policy: ChatConfiguration.RetryPolicy) throws -> Never {
    let now = world.scheduler.now
    let isInVain = state.withLock { state in
      let since = state.refusedAt[process] ?? .zero
      let refusals = state.refusals[process] ?? 0
      let isNudged = state.nudgedAt.map { $0 >= since - Self.slack } ?? false
      let isInVain = refusals >= 2 && !isNudged && now - since < policy.signedOutDelay
      state.refusals[process] = refusals + 1
      state.refusedAt[process] = now
      return isInVain
    }
    if isInVain {
      world.fail(
        Violation(
          promise: "nobody knocks in vain",
          expected: "\(process) to wait for new credentials after it was refused twice",
          found: "another attempt"))
    }
    throw ConnectionFailure(.unauthorized, detail: "401")
  }
}
