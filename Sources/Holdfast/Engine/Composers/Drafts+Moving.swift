import Foundation
import HoldfastCore
import HoldfastStore

/// Moves content out of a composer or into it, in the transaction that stores it elsewhere or takes it from there. At
/// every moment, the content is in one of the two places.
extension Drafts {
  /// Moves the content from the draft to the place where `body` puts it, in one transaction. If `body` or the commit
  /// fails, the content stays where it is.
  package func move<Value: Sendable>(
    _ key: DraftKey, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    do throws(ChatError) {
      return try changing(key) { table, key, entry throws(ChatError) in try table.move(key, entry, body) }
    } catch {
      if error.code == .draftChanged {
        followOthers()
        // Typed text is joined with the stored text that its composer has not shown, so that the next try can be made
        // at once.
        try? save(key)
        announce(key)
      }
      throw error
    }
  }

  /// Puts content into the composer, in front of the present content. The same transaction takes it from its earlier
  /// place.
  package func put(_ key: DraftKey, _ body: (Transaction) throws -> DraftContent) throws(ChatError)
    -> DraftContent
  {
    try changing(key) { table, key, entry throws(ChatError) in
      try table.replace(key, entry) { present, transaction in
        DraftContent.merge(try body(transaction), present)
      }
    }
  }

  /// Ends the draft of a message that the app has sent itself. If the composer holds another text by now, the unsent
  /// rest is stored again, newer than the sent message.
  ///
  /// - Parameter staying: gets the composer's content, and returns what was not sent.
  func sendSucceeded(
    _ key: DraftKey, _ message: MessageID, text: String?, staying: (DraftContent) -> DraftContent
  ) throws(ChatError) {
    func note(_ sent: String, _ transaction: Transaction) throws {
      let now = environment.now()
      let conversation = transaction.whole(of: key.conversation)
      try storage.makeConversation(conversation, in: transaction, now: now)
      let words = ConversationTitle.automatic(from: sent.trimmingCharacters(in: .whitespacesAndNewlines))
      try transaction.conversations.noteSend(
        message, title: words, in: conversation, endsDraft: true, now: now)
    }
    try changing(key) { table, key, entry throws(ChatError) in
      guard let text, !entry.buffer.content.text.hasSameBytes(as: text) else {
        return try table.move(key, entry) { try note($0.text, $1) }
      }
      try table.replace(key, entry) { present, transaction in
        try note(text, transaction)
        return staying(present)
      }
    }
  }

  /// The versions of a draft, newest first. Unsaved content is stored first, so that a version that it leaves behind is
  /// included.
  package func versions(_ key: DraftKey) throws(ChatError) -> [DraftVersion] {
    try save(key)
    return try store.read { try $0.drafts.versions(of: storage.whole(key)) }
  }

  /// Puts a version into the composer, in one transaction. The composer's present content becomes a version, so that
  /// this can be taken back too. The restored version is deleted from the versions.
  package func restoreVersion(_ id: Int64, _ key: DraftKey) throws(ChatError) {
    try changing(key) { table, key, entry throws(ChatError) in
      guard key.slot == .new || entry.editing != nil else { throw .draftNotLoaded }
      var entry = entry
      entry.versionCount -= 1
      try table.replace(key, entry) { present, transaction in
        guard let version = try transaction.drafts.takeVersion(id, of: key) else {
          throw ChatError(.invalidDraft, "The version of the draft does not exist. Read the versions again.")
        }
        return present.typed(version.text, selection: version.selection).restorable
      }
    }
  }

  // MARK: Edits

  /// The message whose edit was begun, and neither finished nor discarded. Nil before an edit is begun, or when the
  /// edit does not differ from the message.
  package func unfinishedEdit(in conversation: ConversationKey) -> MessageID? {
    withTable { $0.unfinishedEdit(in: storage.store.names.whole(of: conversation)) }
  }

  /// Begins the edit of a message, or continues it. The unsent new message stays as it is (rule D1).
  ///
  /// - Parameter original: the message's content, from an app that keeps its messages itself. Nil to read it.
  /// - Returns: false when the message has been deleted meanwhile. The text of its unfinished edit is then behind the
  ///   new message.
  package func beginEdit(
    _ id: MessageID, of original: DraftContent? = nil, in conversation: ConversationKey, by user: UserID
  ) throws(ChatError) -> Bool {
    let isThere = try changing(DraftKey(conversation: conversation, slot: .edit)) {
      table, key, entry throws(ChatError) in
      let found = original == nil ? try store.read { try $0.messages.editable(id) } : nil
      // A message that was deleted with its conversation is there until it is erased.
      let message = found.flatMap { store.deletions.isHidden($0.conversation) ? nil : $0 }
      let isThere = original != nil || message != nil
      guard entry.editing != id else {
        if let original, entry.buffer.original == nil, !entry.buffer.hasChanges {
          // The store does not have the message, and therefore lacked its text.
          table[key]?.buffer = DraftBuffer(
            editOf: original, stored: entry.buffer.stored, intervals: storage.intervals)
        }
        if isThere { table.noteRestore(of: key) }
        return isThere
      }
      // Only one message of a conversation is edited at a time.
      guard entry.editing == nil || entry.buffer.isNothing(entry.buffer.content) else { throw .otherEdit }
      let own = message.flatMap {
        $0.conversation == key.conversation && $0.sender == user ? $0.content : nil
      }
      guard let original = original ?? own.map({ DraftContent($0) }) else {
        throw ChatError(.unknownMessage, "There is no such message of yours to edit.")
      }
      var begun = DraftEntry(
        buffer: DraftBuffer(editOf: original, stored: nil, intervals: storage.intervals), isLoaded: true)
      (begun.editing, begun.versionCount) = (id, entry.versionCount)
      (begun.edition, begun.turn) = (entry.edition, entry.turn)
      begun.turn.wrote(nil)
      table[key] = begun
      return true
    }
    if !isThere { try turnEditIntoNew(in: conversation) }
    return isThere
  }

  /// Discards the edit. Returns the typed content. Nil when nothing was typed, or the content is empty.
  package func cancelEdit(in conversation: ConversationKey) throws(ChatError) -> DiscardedDraft? {
    let key = DraftKey(conversation: conversation, slot: .edit)
    let isUntouched = withTable { table in
      let key = storage.whole(key)
      table.load(key)
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
        source.end(leaving: left)
        table[edit] = source
      }
    } catch {
      if error.code == .draftChanged { followOthers() }
      throw error
    }
  }
}

extension ChatError {
  static let otherEdit = ChatError(
    .editInProgress, "You are editing another message. Finish that edit or discard it first.")
}
