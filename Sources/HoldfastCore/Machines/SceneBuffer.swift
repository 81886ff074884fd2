/// One window's navigation state, and when to store it (SPEC R8). Pure.
///
/// ```
///   scrolling:  x  x x   x ......700 ms......▼ write          a pause
///   scrolling:  x x x x x x x x x x x x x x x▼x x x           10 s without a pause: write all the same
/// ```
package struct SceneBuffer<Content: Equatable & Sendable>: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    case none
    case sleep(until: ChatEnvironment.Instant)
    case write(Content)
  }

  let intervals: DraftBuffer.Intervals
  package private(set) var content: Content
  /// The content on disk.
  package private(set) var stored: Content
  /// The time of the first change that is not on disk. Nil when all changes are.
  private var firstChange: ChatEnvironment.Instant?
  private var lastChange: ChatEnvironment.Instant?
  /// The last save failed: no automatic save before this instant.
  private var notBefore: ChatEnvironment.Instant?

  package init(stored: Content, intervals: DraftBuffer.Intervals = DraftBuffer.Intervals()) {
    self.intervals = intervals
    content = stored
    self.stored = stored
  }

  package var hasChanges: Bool { content != stored }

  package mutating func change(to content: Content, now: ChatEnvironment.Instant) {
    guard content != self.content else { return }
    self.content = content
    lastChange = now
    // If a change was undone, the content on disk is right again.
    firstChange = hasChanges ? firstChange ?? now : nil
  }

  /// The time at which the content is to be stored. Nil when nothing is unsaved.
  package var deadline: ChatEnvironment.Instant? {
    guard let firstChange, let lastChange else { return nil }
    let due = min(lastChange + intervals.pause, firstChange + intervals.ceiling)
    return notBefore.map { max($0, due) } ?? due
  }

  /// The action that is due now.
  package func action(now: ChatEnvironment.Instant) -> Action {
    guard let deadline else { return .none }
    return deadline > now ? .sleep(until: deadline) : .write(content)
  }

  /// `content` is on disk now. Later changes are not.
  package mutating func wrote(_ content: Content) {
    stored = content
    notBefore = nil
    firstChange = hasChanges ? lastChange : nil
  }

  /// The save failed. The next try is one ceiling away, and a change does not hasten it.
  package mutating func failed(now: ChatEnvironment.Instant) {
    notBefore = now + intervals.ceiling
  }
}
