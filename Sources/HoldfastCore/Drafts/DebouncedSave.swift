/// The schedule for saving content that changes all the time. Pure: it reads no clock and writes nothing.
///
/// ```
///   changes:  x  x x   x ......700 ms......▼ write          a pause
///   changes:  x x x x x x x x x x x x x x x▼x x x           10 s without a pause: write anyway
///
///   saved ── changed ──► unsaved ── due ──► write ── wrote ──► saved, or unsaved if it changed meanwhile
///                           ▲                 │
///                           └──── failed: not before one ceiling later
/// ```
///
/// The owner of the content says in each call whether it has unsaved changes, because an undone change makes the
/// stored content current again.
package struct DebouncedSave: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    /// Nothing is unsaved.
    case none
    case sleep(until: ChatEnvironment.Instant)
    /// Write now, and answer with `wrote` or `failed`.
    case write
  }

  let intervals: ChatConfiguration.SaveIntervals
  /// The time of the first change that is not on disk. Nil when all changes are.
  private var firstChange: ChatEnvironment.Instant?
  private var lastChange: ChatEnvironment.Instant?
  /// The last save failed: no other save before this instant.
  private var notBefore: ChatEnvironment.Instant?

  init(intervals: ChatConfiguration.SaveIntervals) { self.intervals = intervals }

  /// The time at which the content is to be stored. Nil when nothing is unsaved.
  package var deadline: ChatEnvironment.Instant? {
    guard let firstChange, let lastChange else { return nil }
    let due = min(lastChange + intervals.pause, firstChange + intervals.ceiling)
    return notBefore.map { max($0, due) } ?? due
  }

  /// The action that is due now.
  package func action(now: ChatEnvironment.Instant) -> Action {
    guard let deadline else { return .none }
    return deadline > now ? .sleep(until: deadline) : .write
  }

  mutating func changed(hasChanges: Bool, now: ChatEnvironment.Instant) {
    lastChange = now
    firstChange = hasChanges ? firstChange ?? now : nil
  }

  /// Another process has replaced the stored content.
  mutating func overtook(hasChanges: Bool) { firstChange = hasChanges ? firstChange : nil }

  /// The content is on disk. Later changes are not, and count from the last one.
  mutating func wrote(hasChanges: Bool) {
    notBefore = nil
    firstChange = hasChanges ? lastChange : nil
  }

  /// The save failed. The next try is one ceiling away, and a change does not hasten it.
  mutating func failed(now: ChatEnvironment.Instant) { notBefore = now + intervals.ceiling }

  /// The cause of a failed save is gone.
  mutating func mayTryAgain() { notBefore = nil }
}
