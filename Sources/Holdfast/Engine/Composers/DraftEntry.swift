import Foundation
import HoldfastCore
import HoldfastStore

/// One composer's content.
package struct DraftEntry {
  package var buffer: DraftBuffer
  /// The store has been read. Until then nothing may be saved or cleared (SPEC D17).
  package var isLoaded: Bool
  /// Written in an earlier session of the app, and not touched since.
  package var isRecovered = false
  /// When the stored content was written. Nil: nothing is stored.
  package var writtenAt: Date?
  /// What is stored, where other processes write too. Nil: nothing is.
  var edition: DraftEdition?
  /// Why the last save or send failed.
  package var problem: ChatError?
  /// The message that it is the edit of. Nil in the other slot, and while none is edited.
  package var editing: MessageID?
  /// How many versions are stored.
  package var versionCount = 0
  package var turn = DraftTurn()
  /// Tells what was sent or discarded last from what is typed, without keeping it.
  var endedHash: Int?
  /// It was read from the store, and no composer has shown it yet.
  var isToBeRestored = false

  package init(
    buffer: DraftBuffer, isLoaded: Bool, isRecovered: Bool = false, writtenAt: Date? = nil,
    edition: DraftEdition? = nil, problem: ChatError? = nil, editing: MessageID? = nil,
    versionCount: Int = 0, turn: DraftTurn = DraftTurn(), endedHash: Int? = nil,
    isToBeRestored: Bool = false
  ) {
    self.buffer = buffer
    self.isLoaded = isLoaded
    self.isRecovered = isRecovered
    self.writtenAt = writtenAt
    self.edition = edition
    self.problem = problem
    self.editing = editing
    self.versionCount = versionCount
    self.turn = turn
    self.endedHash = endedHash
    self.isToBeRestored = isToBeRestored
  }

  /// There are versions, or will be with the next save.
  var canTakeBack: Bool { versionCount > 0 || !buffer.setAside.isEmpty }

  /// It was sent, discarded or moved: nothing of it is in the composer or on disk. Only a hash of the text stays.
  package mutating func end() {
    endedHash = buffer.content.text.hashOfBytes
    turn.end()
    buffer = buffer.emptied
    (isRecovered, isToBeRestored) = (false, false)
    (problem, editing, versionCount, writtenAt, edition) = (nil, nil, 0, nil, nil)
  }
}

extension DraftEntry {
  /// Holds what another process has stored, and nothing when it has sent or discarded the draft.
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
      (isRecovered, isToBeRestored, problem) = (false, false, nil)
    } else {
      end()
    }
    versionCount = others.versionCount
  }

  /// The draft that was known here was sent or discarded, and this one was begun since, or none was.
  private func isAnother(_ draft: StoredDraft?) -> Bool { draft?.edition.id != edition?.id }

  /// Takes in what another process has made of the draft: what was typed here stays, behind the other's text. Nothing is
  /// on disk by that.
  mutating func join(_ others: KeptDraft?) throws {
    guard let others else { return }
    guard buffer.isTyped else { return follow(others) }
    guard others.draft.map({ $0.editing == editing }) ?? true else {
      throw ChatError(
        .editInProgress, "You are editing another message. Finish that edit or discard it first.")
    }
    let (before, stored) = (buffer.content, others.draft?.content.restorable ?? DraftContent())
    var joined = before.joined(to: stored, since: buffer.stored)
    joined.attachments = stored.attachments
    buffer.overtake(stored: stored, isAnother: isAnother(others.draft), with: joined)
    if buffer.content != before { turn.wrote(nil) }
    (edition, versionCount) = (others.draft?.edition, others.versionCount)
  }
}

extension DraftEntry {
  /// Nothing is in it, and nothing of it is stored.
  var isVacant: Bool { buffer.content.isEmpty && buffer.stored == DraftContent() }
}

extension DraftContent {
  /// Both texts, the other's first; one alone where it has the other in it, as when both went on from the same. The
  /// answered message is whichever was chosen since `base`.
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
