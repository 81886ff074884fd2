/// One composer's content and when it is to be stored (SPEC D2, D3, D18). Pure.
///
/// ```
///   typing:  x  x x   x ......700 ms......▼ write          a pause
///   typing:  x x x x x x x x x x x x x x x▼x x x           10 s without a pause: write all the same
/// ```
struct DraftBuffer: Equatable, Sendable {
  /// When a draft is saved by itself.
  struct Intervals: Equatable, Sendable {
    var pause: Duration = .milliseconds(700)
    var ceiling: Duration = .seconds(10)
  }

  enum Action: Equatable, Sendable {
    case none
    case sleep(until: ChatEnvironment.Instant)
    case write(DraftContent)
  }

  let intervals: Intervals
  private(set) var content: DraftContent
  /// What is on disk.
  private(set) var stored: DraftContent
  /// The first change that is not on disk. Nil: all of them are.
  private var firstChange: ChatEnvironment.Instant?
  private var lastChange: ChatEnvironment.Instant?
  /// The last save failed: no other before this.
  private var notBefore: ChatEnvironment.Instant?

  init(stored: DraftContent, intervals: Intervals = Intervals()) {
    self.intervals = intervals
    content = stored
    self.stored = stored
  }

  mutating func edit(_ content: DraftContent, now: ChatEnvironment.Instant) -> Action {
    guard content != self.content else { return action(now: now) }
    self.content = content
    lastChange = now
    // Typed, and taken back: what is on disk is right again.
    firstChange = hasChanges ? firstChange ?? now : nil
    return action(now: now)
  }

  /// What is to be done now.
  func action(now: ChatEnvironment.Instant) -> Action {
    guard let deadline else { return .none }
    return deadline > now ? .sleep(until: deadline) : .write(content)
  }

  /// When it is to be stored. Nil: nothing is unsaved.
  var deadline: ChatEnvironment.Instant? {
    guard let firstChange, let lastChange else { return nil }
    let due = min(lastChange + intervals.pause, firstChange + intervals.ceiling)
    return notBefore.map { max($0, due) } ?? due
  }

  /// An empty draft is no draft: emptying one that was never stored changes nothing on disk.
  var hasChanges: Bool {
    content != stored && !(content.isEmpty && stored == DraftContent())
  }

  /// `content` is on disk now. What was typed meanwhile is not, even if it was what had been there before.
  mutating func wrote(_ content: DraftContent) {
    stored = content.isEmpty ? DraftContent() : content
    notBefore = nil
    firstChange = hasChanges ? firstChange ?? lastChange : nil
  }

  /// The save failed: the next try is one ceiling away, and typing does not hasten it.
  mutating func failed(now: ChatEnvironment.Instant) {
    notBefore = now + intervals.ceiling
  }

  /// The content was replaced by something that is on disk as it is.
  mutating func replace(with content: DraftContent) {
    self.content = content
    stored = content
    firstChange = nil
    notBefore = nil
  }
}
