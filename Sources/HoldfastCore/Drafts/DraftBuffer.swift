/// One composer's content, and when to store it (rules D2, D3, D18). Pure.
///
/// ```
///   typing:  x  x x   x ......700 ms......▼ write          a pause
///   typing:  x x x x x x x x x x x x x x x▼x x x           10 s without a pause: write anyway
/// ```
package struct DraftBuffer: Equatable, Sendable {
  /// The number of versions of a draft that are kept.
  package static let versionsKept = 5

  private var saving: DebouncedSave
  package private(set) var content: DraftContent
  /// The content on disk.
  package private(set) var stored: DraftContent
  /// The content of the message that is being edited. While the composer's text equals it, there is nothing to
  /// store. Nil when no message is edited.
  package let original: DraftContent?
  /// A text that is no longer in the composer.
  private struct Aside: Equatable, Sendable {
    var content: DraftContent
    /// Whether the text was on disk as the draft when it was set aside. Such a text is dropped with that draft.
    var wasStored: Bool
  }

  private var asides: [Aside] = []
  /// Texts that are no longer in the composer, and become versions with the next write.
  package var setAside: [DraftContent] { asides.map(\.content) }

  package init(
    stored: DraftContent, intervals: ChatConfiguration.SaveIntervals = ChatConfiguration.SaveIntervals()
  ) {
    saving = DebouncedSave(intervals: intervals)
    content = stored
    self.stored = stored
    original = nil
  }

  /// The edit of a message. `stored` is an unfinished edit of it. Nil when there is none: the composer shows the
  /// message's own text.
  package init(
    editOf original: DraftContent?, stored: DraftContent?,
    intervals: ChatConfiguration.SaveIntervals = ChatConfiguration.SaveIntervals()
  ) {
    saving = DebouncedSave(intervals: intervals)
    self.original = original
    content = stored ?? original ?? DraftContent()
    self.stored = stored ?? DraftContent()
  }

  package mutating func edit(_ content: DraftContent, now: ChatEnvironment.Instant) -> DebouncedSave.Action {
    guard content != self.content else { return action(now: now) }
    if TextLoss.isMuch(from: self.content.text, to: content.text) { keep(self.content) }
    self.content = content
    // The user may have taken the text back: nothing is lost after all.
    dropAsides(coveredBy: content)
    // If the user typed something and took it back, the content on disk is current again.
    saving.changed(hasChanges: hasChanges, now: now)
    return action(now: now)
  }

  /// The action that is due now.
  package func action(now: ChatEnvironment.Instant) -> DebouncedSave.Action { saving.action(now: now) }

  /// The time at which the content is to be stored. Nil when nothing is unsaved.
  package var deadline: ChatEnvironment.Instant? { saving.deadline }

  /// Whether something is unsaved. An empty draft counts as no draft: emptying one that was never stored changes
  /// nothing on disk.
  package var hasChanges: Bool {
    !asides.isEmpty || (content != stored && !(stored == DraftContent() && isNothing(content)))
  }

  /// Whether the text, the reply target or the formatting differs from what is on disk, and not just the cursor.
  package var isTyped: Bool {
    guard !(stored == DraftContent() && isNothing(content)) else { return false }
    return !content.text.hasSameBytes(as: stored.text) || content.replyTo != stored.replyTo
      || content.formatting != stored.formatting
  }

  /// Another process has stored other content. `content` is what the composer shows after that.
  ///
  /// - Parameter isAnother: Whether the stored draft is a different draft, not a newer state of the known one.
  package mutating func overtake(stored: DraftContent, isAnother: Bool, with content: DraftContent) {
    // A text that the other process sent or discarded must not come back as a version.
    if isAnother { asides = asidesTypedHere }
    dropAsides(coveredBy: content)
    (self.stored, self.content) = (stored, content)
    saving.overtook(hasChanges: hasChanges)
  }

  /// The texts set aside that were only typed here, and were never on disk as the draft.
  package var setAsideHere: [DraftContent] { asidesTypedHere.map(\.content) }

  private var asidesTypedHere: [Aside] {
    asides.filter { !$0.wasStored && TextLoss.bytes(from: $0.content.text, to: stored.text) > 0 }
  }

  private mutating func dropAsides(coveredBy content: DraftContent) {
    asides.removeAll { TextLoss.bytes(from: $0.content.text, to: content.text) == 0 }
  }

  /// Whether there is nothing to store: white space only, or the same text as the message that is edited.
  package func isNothing(_ content: DraftContent) -> Bool {
    if let original, content.text.hasSameBytes(as: original.text) { return true }
    return content.isEmpty
  }

  /// Keeps a text that is not in the composer and must not be lost.
  package mutating func setAside(_ text: DraftContent, now: ChatEnvironment.Instant) {
    guard TextLoss.bytes(from: text.text, to: content.text) > 0 else { return }
    keep(text)
    guard !asides.isEmpty else { return }
    saving.changed(hasChanges: true, now: now)
  }

  /// Whether there is nothing that a version could keep. A version has the text and the cursor, and no files.
  private func isNoText(_ content: DraftContent) -> Bool { content.hasBlankText || isNothing(content) }

  private mutating func keep(_ text: DraftContent) {
    guard !isNoText(text) else { return }
    // A text that grew letter by letter covers its earlier states.
    dropAsides(coveredBy: text)
    asides.append(Aside(content: text, wasStored: text.text.hasSameBytes(as: stored.text)))
    // A disk that stays full must not fill the memory too.
    if asides.count > Self.versionsKept { asides.removeFirst() }
  }

  /// The texts that become versions when the content is written: those set aside, and the text on disk if the
  /// content has lost much of it. A text that has come back meanwhile is left out.
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

  /// `content` is on disk now. Later typing is not, even where it restores the text that was on disk before.
  package mutating func wrote(_ content: DraftContent) {
    stored = isNothing(content) ? DraftContent() : content
    asides = []
    saving.wrote(hasChanges: hasChanges)
  }

  /// The save failed. The next try is one ceiling away, and typing does not hasten it.
  package mutating func failed(now: ChatEnvironment.Instant) {
    saving.failed(now: now)
  }

  /// The obstacle to saving is gone: the next try need not wait.
  package mutating func mayTryAgain() { saving.mayTryAgain() }

  /// Starts over with this content in another place, where nothing of it is stored yet.
  package mutating func restart(with content: DraftContent, setAside: [DraftContent]) {
    self.content = content
    asides = setAside.map { Aside(content: $0, wasStored: false) }
    stored = DraftContent()
  }

  /// The buffer once the content has been sent or discarded.
  package var emptied: DraftBuffer { DraftBuffer(stored: DraftContent(), intervals: intervals) }
  package var intervals: ChatConfiguration.SaveIntervals { saving.intervals }

  /// Replaces the content by content that is on disk already.
  package mutating func replace(with content: DraftContent) {
    self.content = content
    stored = content
    asides = []
    saving.wrote(hasChanges: false)
  }
}
