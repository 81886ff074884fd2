import HoldfastCore

/// The times of the next attempts on a lock whose file was closed and that is still held. Pure.
///
/// The kernel reports that a dead process's file is closed a moment before it releases the lock. An attempt in
/// between is followed by some more, over a second, each after twice the pause. Then the next attempt comes when the
/// file is closed again.
struct Backoff: Equatable, Sendable {
  private static let first: Duration = .milliseconds(1)
  static let last: Duration = .milliseconds(512)

  private var pause = first
  private var due: ChatEnvironment.Instant?

  /// The time of the next attempt, asked after each attempt. Nil: when the file is closed.
  mutating func next(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    // A wake before the due time means that the file was closed.
    if let due, due <= now { pause *= 2 } else { pause = Self.first }
    due = pause > Self.last ? nil : now + pause
    return due
  }
}
