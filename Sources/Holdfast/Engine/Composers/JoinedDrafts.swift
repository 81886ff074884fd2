import Foundation
import HoldfastCore
import HoldfastStore

/// The drafts of two conversations, joined into those of one. Pure.
struct JoinedDrafts {
  private(set) var message: DraftEntry
  private(set) var edit: DraftEntry
  /// Whether the new message was joined from several texts, and must be stored again.
  private(set) var isMessageJoined = false
  /// Whether both conversations had an edit. The edit of the old ID is then deleted, or its text is in the new message.
  private(set) var isEditJoined = false

  /// Whether the conversation with the old ID gave the draft, and the one with the new ID had none.
  private let isMessageOld: Bool
  private let isEditOld: Bool

  typealias Pair = (message: DraftEntry, edit: DraftEntry)

  init(old: Pair, new: Pair) {
    (isMessageOld, isEditOld) = (new.message.isVacant, new.edit.editing == nil)
    edit = isEditOld ? old.edit : new.edit
    message = isMessageOld ? old.message : new.message
    var texts = [new.message.buffer.content, old.message.buffer.content]
    if old.edit.editing != nil, new.edit.editing != nil {
      isEditJoined = true
      let text = old.edit.buffer.content
      let isKept =
        old.edit.editing == new.edit.editing && text.text.hasSameBytes(as: new.edit.buffer.content.text)
      // Only one message is edited at a time. The text of the other edit must not be lost.
      if !isKept, !old.edit.buffer.isNothing(text) { texts.append(DraftContent(text.text)) }
    }
    isMessageJoined = texts.count > 2 || !(old.message.isVacant || new.message.isVacant)
    if isMessageJoined {
      let content = texts.reduce(DraftContent()) { joined, next in
        guard joined.text.hasSameBytes(as: next.text) else { return DraftContent.merge(joined, next) }
        var joined = joined
        joined.attachments = DraftContent.joined(joined.attachments, next.attachments)
        return joined
      }
      message.buffer.restart(
        with: content, setAside: new.message.buffer.setAside + old.message.buffer.setAside)
    }
    // Composers of either conversation continue from the greater number.
    message.turn = new.message.turn
    message.turn.overtake(old.message.turn)
    edit.turn = new.edit.turn
    edit.turn.overtake(old.edit.turn)
  }

  /// Replaces joined text that was not stored by the text that was typed here. Until its next save, the joined text
  /// would show the text of another process that may be sent meanwhile.
  ///
  /// - Parameters:
  ///   - old: the drafts of the old ID, as they were before they were joined with those of another process.
  ///   - new: the drafts of the new ID, likewise.
  mutating func leaveUnsaved(old: Pair, new: Pair) {
    let (ownMessage, ownEdit) = (isMessageOld ? old.message : new.message, isEditOld ? old.edit : new.edit)
    let (messageTurn, editTurn) = (message.turn, edit.turn)
    if !isMessageJoined, ownMessage.buffer.isTyped { message = ownMessage }
    if !isEditJoined, ownEdit.buffer.isTyped, ownEdit.editing == edit.editing { edit = ownEdit }
    (message.turn, edit.turn) = (messageTurn, editTurn)
  }

  /// Notes that the joined drafts are on disk.
  mutating func stored(
    versionCounts: (message: Int, edit: Int), editions: (message: DraftEdition?, edit: DraftEdition?),
    at date: Date
  ) {
    (message.versionCount, edit.versionCount) = versionCounts
    (message.edition, edit.edition) = editions
    guard isMessageJoined else { return }
    message.buffer.wrote(message.buffer.content)
    message.writtenAt = date
  }
}
