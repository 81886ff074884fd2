/// One window's place, and when it is to be stored (SPEC R8). Pure.
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
  /// What is on disk.
  package private(set) var stored: Content
  /// The first change that is not on disk. Nil: all of them are.
  private var firstChange: ChatEnvironment.Instant?
  private var lastChange: ChatEnvironment.Instant?
  /// The last save failed: no other by itself before this.
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
    // There and back again: what is on disk is right.
    firstChange = hasChanges ? firstChange ?? now : nil
  }

  /// When it is to be stored. Nil: nothing is unsaved.
  package var deadline: ChatEnvironment.Instant? {
    guard let firstChange, let lastChange else { return nil }
    let due = min(lastChange + intervals.pause, firstChange + intervals.ceiling)
    return notBefore.map { max($0, due) } ?? due
  }

  /// What is to be done now.
  package func action(now: ChatEnvironment.Instant) -> Action {
    guard let deadline else { return .none }
    return deadline > now ? .sleep(until: deadline) : .write(content)
  }

  /// `content` is on disk now. What was changed meanwhile is not.
  package mutating func wrote(_ content: Content) {
    stored = content
    notBefore = nil
    firstChange = hasChanges ? lastChange : nil
  }

  /// The save failed: the next try is one ceiling away, and a change does not hasten it.
  package mutating func failed(now: ChatEnvironment.Instant) {
    notBefore = now + intervals.ceiling
  }
}
