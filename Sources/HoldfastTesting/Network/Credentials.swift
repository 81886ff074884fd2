import Holdfast
import Synchronization

/// A device's credentials as the server sees them: they expire, and from then on everyone who connects with them is
/// refused with 401, until the user has new ones (SPEC O7).
///
/// It also watches that nobody knocks in vain: a phone whose credentials were refused twice in a row waits for new
/// ones, and knocks again only after a nudge (a tap, a relaunch, a network that came back), or a long wait.
final class Credentials: Sendable {
  private struct State {
    var areExpired = false
    /// The end of the credentials ends the connection that lives on them.
    var endsConnection = false
    /// By process: refusals since the last launch, or since a connection ended in another way.
    var refusals: [String: Int] = [:]
    var refusedAt: [String: Duration] = [:]
    var nudgedAt: Duration?
  }

  /// What lies between a nudge and the attempt that it leads to: the debounce of the path, and the way to the server.
  private static let slack: Duration = .seconds(3)

  private let world: WorldState
  private let device: String
  private let state = Mutex(State())

  init(world: WorldState, device: String) {
    self.world = world
    self.device = device
  }

  /// Lets them expire now and then, until the world heals. Only their user makes them good again.
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

  /// The user logs in again.
  func renew() {
    let wereExpired = state.withLock { state in
      defer { state.areExpired = false }
      return state.areExpired
    }
    if wereExpired { world.trace(device, "has new credentials") }
  }

  /// Something happened after which it is right to knock once more.
  func nudge() { state.withLock { $0.nudgedAt = world.scheduler.now } }

  /// The process is a new one, or a connection ended for another reason: the count starts again.
  func forgetRefusals(of process: String) { state.withLock { $0.refusals[process] = 0 } }

  /// Somebody connects. Throws when they are refused.
  func admit(_ process: String, policy: RetryPolicy) throws {
    guard state.withLock({ $0.areExpired }) else { return }
    try refuse(process, policy: policy)
  }

  /// Something arrives on a connection. Throws when it ends with the credentials. What the phone makes of it depends
  /// on what else befalls the connection at that moment, so it is no refusal that is counted.
  func require(of process: String) throws {
    guard state.withLock({ $0.areExpired && $0.endsConnection }) else { return }
    forgetRefusals(of: process)
    throw LinkFailure(.unauthorized, detail: "401")
  }

  private func refuse(_ process: String, policy: RetryPolicy) throws -> Never {
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
    throw LinkFailure(.unauthorized, detail: "401")
  }
}
