/// One composer's content and when it is to be stored (SPEC D2, D3, D18). Pure.
///
/// ```
///   typing:  x  x x   x ......700 ms......▼ write          a pause
///   typing:  x x x x x x x x x x x x x x x▼x x x           10 s without a pause: write all the same
/// ```
package struct DraftBuffer: Equatable, Sendable {
  /// When a draft is saved by itself.
  package struct Intervals: Equatable, Sendable {
    var pause: Duration = .milliseconds(700)
    var ceiling: Duration = .seconds(10)
  }

  package enum Action: Equatable, Sendable {
    case none
    case sleep(until: ChatEnvironment.Instant)
    case write(DraftContent)
  }

  /// As many versions of a draft are kept.
  package static let versionsKept = 5

  let intervals: Intervals
  package private(set) var content: DraftContent
  /// What is on disk.
  package private(set) var stored: DraftContent
  /// What a message says that is being edited: as long as the composer says the same, there is nothing to store.
  package let original: DraftContent?
  /// A text that is in the composer no more.
  private struct Aside: Equatable, Sendable {
    var content: DraftContent
    /// It was on disk as the draft when it was set aside, and goes with that draft.
    var wasStored: Bool
  }

  private var asides: [Aside] = []
  /// Texts that are in the composer no more, and are to become versions with the next write.
  package var setAside: [DraftContent] { asides.map(\.content) }
  /// The first change that is not on disk. Nil: all of them are.
  private var firstChange: ChatEnvironment.Instant?
  private var lastChange: ChatEnvironment.Instant?
  /// The last save failed: no other before this.
  private var notBefore: ChatEnvironment.Instant?

  package init(stored: DraftContent, intervals: Intervals = Intervals()) {
    self.intervals = intervals
    content = stored
    self.stored = stored
    original = nil
  }

  /// The edit of a message. `stored`: an unfinished edit of it. Nil: there is none, and the message's own text is shown.
  package init(editOf original: DraftContent?, stored: DraftContent?, intervals: Intervals = Intervals()) {
    self.intervals = intervals
    self.original = original
    content = stored ?? original ?? DraftContent()
    self.stored = stored ?? DraftContent()
  }

  package mutating func edit(_ content: DraftContent, now: ChatEnvironment.Instant) -> Action {
    guard content != self.content else { return action(now: now) }
    if TextLoss.isMuch(from: self.content.text, to: content.text) { keep(self.content) }
    self.content = content
    // Taken back by its user: nothing is lost after all.
    dropAsides(coveredBy: content)
    lastChange = now
    // Typed, and taken back: what is on disk is right again.
    firstChange = hasChanges ? firstChange ?? now : nil
    return action(now: now)
  }

  /// What is to be done now.
  package func action(now: ChatEnvironment.Instant) -> Action {
    guard let deadline else { return .none }
    return deadline > now ? .sleep(until: deadline) : .write(content)
  }

  /// When it is to be stored. Nil: nothing is unsaved.
  package var deadline: ChatEnvironment.Instant? {
    guard let firstChange, let lastChange else { return nil }
    let due = min(lastChange + intervals.pause, firstChange + intervals.ceiling)
    return notBefore.map { max($0, due) } ?? due
  }

  /// An empty draft is no draft: emptying one that was never stored changes nothing on disk.
  package var hasChanges: Bool {
    !asides.isEmpty || (content != stored && !(stored == DraftContent() && isNothing(content)))
  }

  /// The text itself differs from what is on disk: more than a cursor was moved.
  package var isTyped: Bool {
    guard !(stored == DraftContent() && isNothing(content)) else { return false }
    return !content.text.hasSameBytes(as: stored.text) || content.replyTo != stored.replyTo
      || content.formatting != stored.formatting
  }

  /// Another process has stored something else, and `content` is what the composer makes of it.
  ///
  /// - Parameter isAnother: it is not the draft any more that was known here.
  package mutating func overtake(stored: DraftContent, isAnother: Bool, with content: DraftContent) {
    // What was sent or discarded there is not to come back as a version.
    if isAnother { asides = asidesTypedHere }
    dropAsides(coveredBy: content)
    (self.stored, self.content) = (stored, content)
    firstChange = hasChanges ? firstChange : nil
  }

  /// Texts set aside that were only typed here. They were never on disk as the draft.
  package var setAsideHere: [DraftContent] { asidesTypedHere.map(\.content) }

  private var asidesTypedHere: [Aside] {
    asides.filter { !$0.wasStored && TextLoss.bytes(from: $0.content.text, to: stored.text) > 0 }
  }

  private mutating func dropAsides(coveredBy content: DraftContent) {
    asides.removeAll { TextLoss.bytes(from: $0.content.text, to: content.text) == 0 }
  }

  /// Nothing to store: white space, or what the message says anyway.
  package func isNothing(_ content: DraftContent) -> Bool {
    if let original, content.text.hasSameBytes(as: original.text) { return true }
    return content.isEmpty
  }

  /// It is in the composer no more, or never was, and is not to be lost.
  package mutating func setAside(_ text: DraftContent, now: ChatEnvironment.Instant) {
    guard TextLoss.bytes(from: text.text, to: content.text) > 0 else { return }
    keep(text)
    guard !asides.isEmpty else { return }
    lastChange = now
    firstChange = firstChange ?? now
  }

  /// Nothing that a version could keep: it has the text and the cursor, and no files.
  private func isNoText(_ content: DraftContent) -> Bool { content.hasBlankText || isNothing(content) }

  private mutating func keep(_ text: DraftContent) {
    guard !isNoText(text) else { return }
    // Of what grew letter by letter, the last is all of it.
    dropAsides(coveredBy: text)
    asides.append(Aside(content: text, wasStored: text.text.hasSameBytes(as: stored.text)))
    // A disk that is full for long must not fill the memory too.
    if asides.count > Self.versionsKept { asides.removeFirst() }
  }

  /// What becomes a version when the content is written: what is set aside, and what is on disk, should the content
  /// have lost much of it. What has come back meanwhile is none.
  package var versions: [DraftContent] {
    let isLost =
      !stored.hasBlankText
      && (isNoText(content) ? !isNothing(stored) : TextLoss.isMuch(from: stored.text, to: content.text))
    let candidates = (isLost ? [stored] : []) + setAside
    return candidates.indices.filter { index in
      let text = candidates[index].text
      return ([content] + candidates[(index + 1)...]).allSatisfy {
        TextLoss.bytes(from: text, to: $0.text) > 0
      }
    }.map { candidates[$0] }
  }

  /// `content` is on disk now. What was typed meanwhile is not, even if it was what had been there before.
  package mutating func wrote(_ content: DraftContent) {
    stored = isNothing(content) ? DraftContent() : content
    asides = []
    notBefore = nil
    firstChange = hasChanges ? firstChange ?? lastChange : nil
  }

  /// The save failed: the next try is one ceiling away, and typing does not hasten it.
  package mutating func failed(now: ChatEnvironment.Instant) {
    notBefore = now + intervals.ceiling
  }

  /// What kept it from being saved is over: the next try need not wait.
  package mutating func mayTryAgain() { notBefore = nil }

  /// The same content in another place, where nothing of it is stored yet.
  package mutating func restart(with content: DraftContent, setAside: [DraftContent]) {
    self.content = content
    asides = setAside.map { Aside(content: $0, wasStored: false) }
    stored = DraftContent()
  }

  /// What is left once the content has been sent or discarded.
  package var emptied: DraftBuffer { DraftBuffer(stored: DraftContent(), intervals: intervals) }

  /// The content was replaced by something that is on disk as it is.
  package mutating func replace(with content: DraftContent) {
    self.content = content
    stored = content
    asides = []
    firstChange = nil
    notBefore = nil
  }
}
