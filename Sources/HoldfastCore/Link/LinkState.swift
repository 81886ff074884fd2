/// The state of the connection to the server (rules N1, N3, O10): when to connect, when to hang up, and what to
/// show. Pure.
///
/// ```
///              path down                        path up (100 ms)
///   any state ───────────► offline ──────────────────────────────► due
///                                                                   │ connect
///        wait over, nudge              failed                       ▼
///   due ◄──────────────── waiting ◄────────────── connecting ─► answering ─► online
///                            ▲                         lost, failed │          │
///                            └──────────────────────────────────────┴──────────┘
///
///        another process drains              it has ended
///   due ────────────────────────► on standby ────────────► due
/// ```
///
/// Credentials that are refused twice in a row cause a long wait. The app has to act, and reports with a nudge that
/// it has.
package struct LinkState: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    case due
    case waiting(until: ChatEnvironment.Instant)
    case connecting
    case online
    /// Another process sends and receives. This one waits for it to end.
    case standby
  }

  package enum Action: Equatable, Sendable {
    case connect
    /// Wait until this instant, or until something happens. Nil: wait until something happens.
    case wait(until: ChatEnvironment.Instant?)
  }

  /// The time for which a path must be stable. Shorter flicker is ignored.
  static let debounce: Duration = .milliseconds(100)
  /// The time after which a connection without any response of its server counts as online. It is longer than a
  /// server's failure takes to be detected while a message waits for it.
  static let trust: Duration = .seconds(10)

  package private(set) var isPathUp: Bool
  package private(set) var phase: Phase = .due
  /// A change of the path that has not been stable for long enough. Nil when the path is stable.
  private var pending: (isUp: Bool, since: ChatEnvironment.Instant)?
  private var faults = 0
  /// The start of a connection that follows a failed one and has had no response yet. Nil otherwise.
  private var unheardSince: ChatEnvironment.Instant?
  /// The server has refused the credentials, and has not answered since. A failure of the local store leaves the
  /// value unchanged.
  package private(set) var needsCredentials = false
  /// The failure that ended the last connection. Nil once the server answers.
  package private(set) var failure: ConnectionFailure?

  package init(isPathUp: Bool) { self.isPathUp = isPathUp }

  package static func == (left: LinkState, right: LinkState) -> Bool {
    left.isPathUp == right.isPathUp && left.phase == right.phase && left.faults == right.faults
      && left.failure == right.failure && left.needsCredentials == right.needsCredentials
      && left.unheardSince == right.unheardSince
      && left.pending?.isUp == right.pending?.isUp
      && left.pending?.since == right.pending?.since
  }

  /// The instant of the next attempt to connect. Nil while one is made, and when something else has to happen first.
  package func nextAttempt(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    switch phase {
    case .waiting(let until): until
    case .due: now
    case .connecting, .online, .standby: nil
    }
  }

  /// Whether messages have the same status in both states.
  package func isExplained(like other: LinkState) -> Bool {
    isPathUp == other.isPathUp && phase == other.phase && failure == other.failure
  }

  /// The state as shown to the user.
  package var shown: Connectivity {
    guard isPathUp else { return .offline }
    switch phase {
    case .online: return unheardSince == nil ? .online : .reconnecting
    case .standby: return .otherProcess
    case .due, .waiting, .connecting: return .reconnecting
    }
  }

  /// A connection exists or is being made.
  package var isConnected: Bool { phase == .connecting || phase == .online }

  /// The connection has to end, because the device has no network.
  package var mustHangUp: Bool { !isPathUp && isConnected }

  package mutating func pathChanged(isUp: Bool, now: ChatEnvironment.Instant) {
    if isUp == isPathUp {
      pending = nil
    } else if pending?.isUp != isUp {
      pending = (isUp, now)
    }
  }

  /// Adopts a path that has been stable for long enough, and returns what to do.
  package mutating func next(now: ChatEnvironment.Instant) -> Action {
    if let change = pending, change.since + Self.debounce <= now {
      pending = nil
      isPathUp = change.isUp
      // A path that comes back ends every wait.
      if isPathUp { nudge() }
    }
    if let since = unheardSince, since + Self.trust <= now { heard() }
    let stableAt = pending.map { $0.since + Self.debounce }
    guard isPathUp else { return .wait(until: stableAt) }
    switch phase {
    case .due: return .connect
    case .waiting(let until) where until <= now: return .connect
    case .waiting(let until): return .wait(until: min(until, stableAt ?? until))
    case .connecting, .online, .standby:
      return .wait(until: [stableAt, unheardSince.map { $0 + Self.trust }].compactMap { $0 }.min())
    }
  }

  /// Another process drains. Earlier knowledge about the server is out of date, and this process asks the server
  /// nothing.
  package mutating func goOnStandby() {
    phase = .standby
    heard()
  }

  /// The other process has ended, or this process no longer waits for that end.
  package mutating func takeOver() {
    if phase == .standby { phase = .due }
  }

  package mutating func connecting() { phase = .connecting }

  /// The connection exists.
  ///
  /// - Parameter isHeard: Whether the server has responded. A transport that contacts the server only when a message
  ///   is sent has had no response yet. After a failure, the count of faults and the shown state then stay until the
  ///   server responds.
  package mutating func ready(isHeard: Bool = true, now: ChatEnvironment.Instant = .zero) {
    guard phase == .connecting else { return }
    phase = .online
    if isHeard || failure == nil { heard() } else { unheardSince = now }
  }

  /// The server has responded, so no earlier failure counts.
  package mutating func heard() {
    faults = 0
    failure = nil
    needsCredentials = false
    unheardSince = nil
  }

  /// The connection failed or ended. The next attempt is due after a wait.
  package mutating func lost(
    to failure: ConnectionFailure, policy: ChatConfiguration.RetryPolicy, now: ChatEnvironment.Instant,
    dice: Double
  ) {
    // The first refusal may concern credentials that have expired, and the next attempt brings new ones. After the
    // second, frequent attempts do not help.
    let isSignedOut = failure.reason == .unauthorized && needsCredentials
    unheardSince = nil
    if failure.reason != .storage { needsCredentials = failure.reason == .unauthorized }
    self.failure = failure
    faults += 1
    let ours =
      isSignedOut ? policy.signedOutDelay(dice: dice) : policy.reconnectDelay(afterFault: faults, dice: dice)
    let delay = max(failure.retryAfter ?? .zero, ours)
    phase = .waiting(until: now + delay)
  }

  /// The app came to the foreground, or the user asked: every wait ends.
  package mutating func nudge() {
    if case .waiting = phase { phase = .due }
    faults = 0
  }
}
