import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// The message whose edit was begun, and neither finished nor discarded. Nil before an edit is begun, or when the edit
  /// does not differ from the message.
  package func unfinishedEdit(in conversation: ConversationID) -> MessageID? {
    table.withLock { table in
      let key = table.current(DraftKey(conversation: conversation, slot: .edit))
      table.load(key)
      guard let entry = table.entries[key], !entry.buffer.isNothing(entry.buffer.content) else { return nil }
      return entry.editing
    }
  }

  /// Begins the edit of a message, or continues it. The unsent new message stays as it is (SPEC D1).
  ///
  /// - Returns: false when the message has been deleted meanwhile. The text of its unfinished edit is then behind the
  ///   new message.
  package func beginEdit(_ id: MessageID, in conversation: ConversationID, by user: UserID) throws(ChatError)
    -> Bool
  {
    store.lookForRenames()
    let result = table.withLock { table -> Result<Bool, ChatError> in
      let key = table.current(DraftKey(conversation: conversation, slot: .edit))
      table.load(key)
      guard let entry = table.entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      do throws(ChatError) {
        let message = try store.read { try $0.editableMessage(id) }
        if entry.editing == id {
          guard message != nil else { return .success(false) }
          table.noteRestore(of: key)
          return .success(true)
        }
        guard entry.editing == nil || entry.buffer.isNothing(entry.buffer.content) else {
          throw ChatError(
            .editInProgress, "You are editing another message. Finish that edit or discard it first.")
        }
        guard let message, message.conversation == key.conversation, message.sender == user else {
          throw ChatError(.unknownMessage, "There is no such message of yours to edit.")
        }
        table.entries[key] = begun(id, of: DraftContent(message.content), after: entry)
        return .success(true)
      } catch {
        return .failure(error)
      }
    }
    announce(DraftKey(conversation: conversation))
    if try result.get() { return true }
    try turnEditIntoNew(in: conversation)
    return false
  }

  /// Begins the edit of a message that the app keeps itself, or continues it. The unsent new message stays as it is.
  ///
  /// - Returns: the content of the composer: the message's own, or that of its unfinished edit.
  func beginEdit(
    _ id: MessageID, of original: DraftContent, in conversation: ConversationID
  ) throws(ChatError) -> DraftContent {
    store.lookForRenames()
    let result = table.withLock { table -> Result<DraftContent, ChatError> in
      let key = table.current(DraftKey(conversation: conversation, slot: .edit))
      table.load(key)
      guard let entry = table.entries[key], entry.isLoaded else {
        return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
      }
      guard entry.editing != id else {
        if entry.buffer.original == nil, !entry.buffer.hasChanges {
          // The store does not have the message, and so could not tell its text.
          table.entries[key]?.buffer = DraftBuffer(
            editOf: original, stored: entry.buffer.stored, intervals: storage.intervals)
        }
        table.noteRestore(of: key)
        return .success(entry.buffer.content)
      }
      guard entry.editing == nil || entry.buffer.isNothing(entry.buffer.content) else {
        return .failure(
          ChatError(
            .editInProgress, "You are editing another message. Finish that edit or discard it first."))
      }
      table.entries[key] = begun(id, of: original, after: entry)
      return .success(original)
    }
    announce(DraftKey(conversation: conversation))
    return try result.get()
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
  package func cancelEdit(in conversation: ConversationID) throws(ChatError) -> DiscardedDraft? {
    let key = DraftKey(conversation: conversation, slot: .edit)
    let isUntouched = table.withLock { table in
      let key = table.current(key)
      table.load(key)
      guard let entry = table.entries[key], entry.isLoaded, entry.versionCount == 0 else { return false }
      guard entry.buffer.stored == DraftContent(), !entry.buffer.hasChanges else { return false }
      // Nothing of the edit is on disk.
      table.entries[key]?.end()
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
  package func turnEditIntoNew(in conversation: ConversationID) throws(ChatError) {
    store.lookForRenames()
    let result = table.withLock { table -> Result<Void, ChatError> in
      let new = table.current(DraftKey(conversation: conversation))
      let edit = DraftKey(conversation: new.conversation, slot: .edit)
      table.load(new)
      table.load(edit)
      guard let target = table.entries[new], target.isLoaded, var source = table.entries[edit],
        source.isLoaded,
        source.editing != nil
      else { return .failure(ChatError(.storageBusy, "The draft has not been loaded yet. Try again.")) }
      let moved = DraftContent(source.buffer.content.text)
      var left: KeptDraft?
      let result = table.replace(new, target) { present, transaction in
        left = try storage.end(
          edit, leaving: try storage.othersBeforeEnd(source, edit, transaction), transaction)
        return DraftContent.merge(present, moved)
      }
      guard case .success = result else { return result.map { _ in } }
      source.end()
      if let left { source.follow(left) }
      table.entries[edit] = source
      return .success(())
    }
    if case .failure(let error) = result, error.code == .draftChanged { followOthers() }
    announce(DraftKey(conversation: conversation))
    try result.get()
  }

  package func focus(_ key: DraftKey, _ composer: ComposerID) {
    table.withLock { table in
      let key = table.current(key)
      table.load(key)
      table.entries[key]?.turn.focus(composer)
    }
  }

  package func blur(_ key: DraftKey, _ composer: ComposerID) {
    table.withLock { $0.entries[current(key)]?.turn.blur(composer) }
  }
}
