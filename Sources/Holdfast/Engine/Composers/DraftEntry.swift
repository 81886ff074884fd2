import Foundation
import HoldfastCore
import HoldfastStore

/// One composer's content.
package struct DraftEntry {
  package var buffer: DraftBuffer
  /// Whether the store has been read. Until then, nothing may be saved or cleared (rule D17).
  package var isLoaded: Bool
  /// Whether the content was written in an earlier session of the app, and not touched since.
  package var isRecovered = false
  /// Whether the user was asked about the old draft and keeps it, and has not changed it since.
  var isKept = false
  /// The date on which the stored content was written. Nil when nothing is stored.
  package var writtenAt: Date?
  /// The stored state of the draft, for a store that other processes write to. Nil when nothing is stored.
  var edition: DraftEdition?
  /// The error of the last failed save, send or attachment. Nil after a success.
  package var problem: ChatError?
  /// The message that is edited. Nil in the slot of the new message, and while no message is edited.
  package var editing: MessageID?
  /// The number of stored versions.
  package var versionCount = 0
  package var turn = DraftTurn()
  /// The hash of the text that was sent or discarded last. It recognises that text without keeping it. Nil when nothing
  /// was sent or discarded.
  var endedHash: Int?
  /// Whether the draft was read from the store, and no composer has shown it yet.
  var isToBeRestored = false
  /// The stored draft that was put in front of text typed before it was read. Nil when nothing had been typed.
  var putInFront: DraftContent?

  package init(buffer: DraftBuffer, isLoaded: Bool) { (self.buffer, self.isLoaded) = (buffer, isLoaded) }

  /// Whether there are versions, or will be after the next save.
  var canTakeBack: Bool { versionCount > 0 || !buffer.setAside.isEmpty }

  /// Empties the entry of a draft that was sent, discarded, moved or hidden. Only a hash of its text stays.
  ///
  /// - Parameter others: the draft of another process that stays, and is shown instead. Nil without one.
  package mutating func end(leaving others: KeptDraft? = nil) {
    endedHash = buffer.content.text.hashOfBytes
    turn.end()
    buffer = buffer.emptied
    (isRecovered, isKept, isToBeRestored, putInFront) = (false, false, false, nil)
    (problem, editing, versionCount, writtenAt, edition) = (nil, nil, 0, nil, nil)
    if let others { follow(others) }
  }
}

extension DraftEntry {
  /// Takes over an edit, such as a keystroke. Returns whether the text of the draft has changed.
  mutating func type(
    _ typed: DraftContent, by writer: ComposerID?, basedOn base: Int?, now: ChatEnvironment.Instant
  ) -> Bool {
    let before = buffer.content
    var content = typed
    // Typing changes no attachments. They are stored when they are picked.
    (content.text, content.attachments) = (typed.text.storable, before.attachments)
    let verdict = turn.verdict(on: writer, basedOn: base ?? turn.revision)
    guard verdict != .setAside else {
      if endedHash != content.text.hashOfBytes { buffer.setAside(content, now: now) }
      return false
    }
    _ = buffer.edit(content, now: now)
    if verdict == .writeOver { buffer.setAside(before, now: now) }
    guard !before.text.hasSameBytes(as: content.text) else { return false }
    turn.wrote(writer)
    (isRecovered, isKept) = (false, false)
    // The problem was about the earlier text. A text that was too long and has grown is still too long.
    let isShorter = content.text.utf8.count < before.text.utf8.count
    if problem?.code == .emptyMessage || (problem?.code == .messageTooLong && isShorter) { problem = nil }
    return true
  }

  /// Takes over the draft that another process has stored. If that process has sent or discarded the draft, the entry
  /// becomes empty.
  package mutating func follow(_ others: KeptDraft) {
    if let draft = others.draft {
      let stored = draft.content.restorable
      if draft.editing == nil {
        buffer.overtake(stored: stored, isAnother: isAnother(draft), with: stored)
      } else {
        buffer = others.buffer(intervals: buffer.intervals)
      }
      turn.wrote(nil)
      (editing, edition, writtenAt) = (draft.editing, draft.edition, draft.updatedAt)
      (isRecovered, isKept, isToBeRestored, problem) = (false, draft.isKept, false, nil)
    } else {
      end()
    }
    versionCount = others.versionCount
  }

  /// Whether the stored draft is a different draft from the one that was known here, which was then sent or
  /// discarded. `draft` is nil when nothing is stored.
  private func isAnother(_ draft: StoredDraft?) -> Bool { draft?.edition.id != edition?.id }

  /// Joins the content with the draft that another process has stored. Text that was typed here stays, behind the other
  /// text. Nothing is written to disk.
  mutating func join(_ others: KeptDraft?) throws {
    guard let others else { return }
    guard buffer.isTyped else { return follow(others) }
    guard others.draft.map({ $0.editing == editing }) ?? true else {
      throw ChatError.otherEdit
    }
    let (before, stored) = (buffer.content, others.draft?.content.restorable ?? DraftContent())
    var joined = before.joined(to: stored, since: buffer.stored)
    joined.attachments = stored.attachments
    buffer.overtake(stored: stored, isAnother: isAnother(others.draft), with: joined)
    if buffer.content != before { turn.wrote(nil) }
    (edition, versionCount) = (others.draft?.edition, others.versionCount)
  }

  /// Whether the entry is empty, and nothing of it is stored.
  var isVacant: Bool { buffer.content.isEmpty && buffer.stored == DraftContent() }
}

extension DraftContent {
  /// Joins both texts, the other one first. If this text contains the other one, because both continued the same text,
  /// this text is used alone. It then answers the message that was chosen since `base`.
  fileprivate func joined(to others: DraftContent, since base: DraftContent) -> DraftContent {
    guard others.isCovered(by: self) else { return DraftContent.merge(others, self) }
    var joined = self
    if replyTo == base.replyTo, !others.isEmpty { joined.replyTo = others.replyTo }
    return joined
  }

  func isCovered(by other: DraftContent) -> Bool {
    hasBlankText || other.text.contains(text)
  }
}
