import HoldfastCore

/// Decides when a silent connection is tested with a ping, and when it is given up.
///
/// ```
///             heard               silent for `interval`
///   ┌──────► quiet ──────────────────────► pinged ───┐
///   │                                        │       │ silent for `timeout`
///   └──────────── anything heard ◄───────────┘       ▼
///                                                 given up ◄─── no answer within `timeout` ─── asked
/// ```
///
/// Only the time in which a task listens counts. An engine that is busy storing a page does not read, and an unread
/// frame is not silence.
struct FrameHeartbeat {
  enum Step: Equatable {
    case wait(until: ChatEnvironment.Instant)
    case ping
    case giveUp
  }

  private let interval: Duration
  private let timeout: Duration
  private var listened: Duration = .zero
  private var listeningSince: ChatEnvironment.Instant?
  // The next three are times of the listening clock.
  private var heard: Duration = .zero
  private var pinged: Duration?
  private var asked: Duration?

  init(interval: Duration, timeout: Duration) {
    self.interval = interval
    self.timeout = timeout
  }

  mutating func listen(at now: ChatEnvironment.Instant) {
    if listeningSince == nil { listeningSince = now }
  }

  mutating func rest(at now: ChatEnvironment.Instant) {
    listened = reading(at: now)
    listeningSince = nil
  }

  /// Any frame has arrived, so the connection is alive.
  mutating func heard(at now: ChatEnvironment.Instant) {
    heard = reading(at: now)
    pinged = nil
  }

  /// Starts the deadline for a response. A second request before the response does not extend the deadline.
  mutating func asked(at now: ChatEnvironment.Instant) {
    asked = asked ?? reading(at: now)
  }

  mutating func answered() { asked = nil }

  mutating func step(at now: ChatEnvironment.Instant) -> Step {
    let clock = reading(at: now)
    let overdue = [pinged, asked].compactMap { $0 }.min().map { $0 + timeout }
    if let overdue, clock >= overdue { return .giveUp }
    if pinged == nil, clock >= heard + interval {
      pinged = clock
      return .ping
    }
    // At most `timeout` ahead, so that a request that is sent meanwhile is noticed in time.
    guard listeningSince != nil else { return .wait(until: now + timeout) }
    var next = clock + timeout
    if let overdue { next = min(next, overdue) }
    if pinged == nil { next = min(next, heard + interval) }
    return .wait(until: now + (next - clock))
  }

  private func reading(at now: ChatEnvironment.Instant) -> Duration {
    listened + (listeningSince.map { now - $0 } ?? .zero)
  }
}
