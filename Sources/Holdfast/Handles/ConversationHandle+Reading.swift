import HoldfastCore
import HoldfastStore

/// Reading and typing without a model, for a program that has no view.
extension ConversationHandle {
  /// The newest messages as they are now, oldest first, for a program that reads once and follows nothing.
  ///
  /// ```swift
  /// let prompt = try chat.messages(last: 20).map(\.text)
  /// ```
  ///
  /// Costs the read of so many rows: about a millisecond for a hundred. ``timeline(limit:)`` follows them.
  ///
  /// - Parameter count: the number of messages, from the newest back. Below 0 as 0.
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public func messages(last count: Int) throws(ChatError) -> [MessageRow] {
    let snapshot = try client.reader.conversation(id, limit: count)
    guard snapshot.exists else { throw .unknownConversation }
    return snapshot.rows
  }

  /// The draft of the new message, as it was typed last. The draft may not be on disk yet. It is empty when nothing was
  /// typed.
  ///
  /// ```swift
  /// let isEmpty = try chat.draft().text.isEmpty
  /// ```
  ///
  /// The first call costs a small read, and later ones none.
  ///
  /// - Throws: ``ChatError`` with a storage code when the draft cannot be read.
  public func draft() throws(ChatError) -> DraftContent { try loadedDraft().buffer.content }

  /// Replaces the text in the composer and stores it. Composers on the screen show it, and the replaced text becomes
  /// a version of the draft. Its attachments, and the message that it answers, stay.
  ///
  /// ```swift
  /// try chat.setDraft("Hello, I saw your advertisement")
  /// ```
  ///
  /// One transaction. When the call returns, the text survives any crash.
  ///
  /// - Throws: ``ChatError`` with code `draftTooLong`, or a storage code. The text is in the composer
  ///   even then, unless the draft could not be read.
  public func setDraft(_ text: String) throws(ChatError) {
    var content = try loadedDraft().buffer.content
    (content.text, content.selection, content.formatting) = (text, nil, nil)
    client.drafts.edit(draftKey, content)
    try client.drafts.save(draftKey)
  }

  private var draftKey: DraftKey { DraftKey(conversation: key) }

  private func loadedDraft() throws(ChatError) -> DraftEntry {
    let entry = client.drafts.open(draftKey)
    guard !entry.isLoaded else { return entry }
    throw entry.problem ?? ChatError(.storageFailed, "The draft could not be read.")
  }
}
