import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// The message whose edit was begun, and neither finished nor discarded. Nil before an edit is begun, or when the
  /// edit does not differ from the message.
  package func unfinishedEdit(in conversation: ConversationKey) -> MessageID? {
    withTable { $0.unfinishedEdit(in: conversation) }
  }

  /// Begins the edit of a message, or continues it. The unsent new message stays as it is (rule D1).
  ///
  /// - Returns: false when the message has been deleted meanwhile. The text of its unfinished edit is then behind the
  ///   new message.
  package func beginEdit(_ id: MessageID, in conversation: ConversationKey, by user: UserID) throws(ChatError)
    -> Bool
  {
    let isThere = try changing(DraftKey(conversation: conversation, slot: .edit)) {
      table, key, entry throws(ChatError) in
      let found = try store.read { try $0.messages.editable(id) }
      // A message that was deleted with its conversation is there until it is erased.
      let message = found.flatMap { store.deletions.isHidden($0.conversation) ? nil : $0 }
      if entry.editing == id {
        if message != nil { table.noteRestore(of: key) }
        return message != nil
      }
      try entry.requireNoOtherEdit()
      guard let message, message.conversation == key.conversation, message.sender == user else {
        throw ChatError(.unknownMessage, "There is no such message of yours to edit.")
      }
      table[key] = begun(id, of: DraftContent(message.content), after: entry)
      return true
    }
    if !isThere { try turnEditIntoNew(in: conversation) }
    return isThere
  }

  /// Begins the edit of a message that the app keeps itself, or continues it. The unsent new message stays as it is.
  ///
  /// - Returns: the content of the composer: the message's own, or that of its unfinished edit.
  func beginEdit(
    _ id: MessageID, of original: DraftContent, in conversation: ConversationKey
  ) throws(ChatError) -> DraftContent {
    try changing(DraftKey(conversation: conversation, slot: .edit)) { table, key, entry throws(ChatError) in
      guard entry.editing != id else {
        if entry.buffer.original == nil, !entry.buffer.hasChanges {
          // The store does not have the message, and therefore lacked its text.
          table[key]?.buffer = DraftBuffer(
            editOf: original, stored: entry.buffer.stored, intervals: storage.intervals)
        }
        table.noteRestore(of: key)
        return entry.buffer.content
      }
      try entry.requireNoOtherEdit()
      table[key] = begun(id, of: original, after: entry)
      return original
    }
  }

  /// The entry of an edit that begins.
  private func begun(_ id: MessageID, of original: DraftContent, after entry: DraftEntry) -> DraftEntry {
    var begun = DraftEntry(
      buffer: DraftBuffer(editOf: original, stored: nil, intervals: storage.intervals), isLoaded: true)
    begun.editing = id
    begun.versionCount = entry.versionCount
    begun.edition = entry.edition
    begun.turn = entry.turn
    begun.turn.wrote(nil)
    return begun
  }

  /// Discards the edit. Returns the typed content. Nil when nothing was typed, or the content is empty.
  package func cancelEdit(in conversation: ConversationKey) throws(ChatError) -> DiscardedDraft? {
    let key = DraftKey(conversation: conversation, slot: .edit)
    let isUntouched = reading(key) { table, key in
      guard let entry = table[key], entry.isLoaded, entry.versionCount == 0 else { return false }
      guard entry.buffer.stored == DraftContent(), !entry.buffer.hasChanges else { return false }
      // Nothing of the edit is on disk.
      table[key]?.end()
      return true
    }
    guard !isUntouched else {
      announce(key)
      return nil
    }
    let discarded = try discard(key)
    return discarded.content.isEmpty ? nil : discarded
  }

  /// Moves the text of an edit behind the new message, in one transaction: for the edit of a message that was deleted,
  /// and for one that has become a message of its own.
  package func turnEditIntoNew(in conversation: ConversationKey) throws(ChatError) {
    do throws(ChatError) {
      try changing(DraftKey(conversation: conversation)) { table, new, target throws(ChatError) in
        let edit = DraftKey(conversation: new.conversation, slot: .edit)
        var source = try table.loaded(edit)
        guard source.editing != nil else { throw .draftNotLoaded }
        let moved = DraftContent(source.buffer.content.text)
        var left: KeptDraft?
        try table.replace(new, target) { present, transaction in
          left = try storage.end(
            edit, leaving: try storage.othersBeforeEnd(source, edit, transaction), transaction)
          return DraftContent.merge(present, moved)
        }
        source.end()
        if let left { source.follow(left) }
        table[edit] = source
      }
    } catch {
      if error.code == .draftChanged { followOthers() }
      throw error
    }
  }

}

extension DraftEntry {
  /// Only one message of a conversation is edited at a time.
  fileprivate func requireNoOtherEdit() throws(ChatError) {
    guard editing == nil || buffer.isNothing(buffer.content) else { throw .otherEdit }
  }
}

extension ChatError {
  static let otherEdit = ChatError(
    .editInProgress, "You are editing another message. Finish that edit or discard it first.")
}
