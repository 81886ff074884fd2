import HoldfastCore
import HoldfastStore

/// The edit of a message that the app keeps, the versions of a draft, and conversations that get another ID.
extension DraftController {
  /// Begins the edit of a message, or continues it. The unsent new message stays untouched in its own draft, and is
  /// back when the edit is sent or cancelled (SPEC D1). Until then, all calls for this conversation concern the edit.
  /// It is stored like any draft.
  ///
  /// ```swift
  /// field.text = try drafts.beginEdit(id, text: message.text, in: chat).text
  /// drafts.edit(field.text, in: chat)
  /// try drafts.sendSucceeded(id, in: chat)                    // the app's own server has the new text
  /// field.text = try drafts.restore(in: chat)?.text ?? ""     // the new message is back
  /// ```
  ///
  /// - Parameter text: the message's present text. An edit that equals it is not stored.
  /// - Returns: the content for the composer: the message's text, or that of its unfinished edit.
  /// - Throws: ``ChatError`` with code `editInProgress` while the edit of another message is unfinished, `malformedID`,
  ///   or one that starts with `storage`.
  public func beginEdit(
    _ message: MessageID, text: String, in conversation: ConversationID
  ) throws(ChatError) -> DraftContent {
    guard message.isWellFormed, conversation.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    let session = session(of: conversation)
    _ = try session.beginEdit(message, of: DraftContent(text.storable))
    withOpen(conversation) { $0.change(isShown: true) }
    return session.present().entry.buffer.content
  }

  /// The message whose edit was begun, and neither sent nor cancelled, at this launch or an earlier one. Nil when there
  /// is none, or when the edit does not differ from the message.
  public func unfinishedEdit(in conversation: ConversationID) -> MessageID? {
    drafts.unfinishedEdit(in: conversation)
  }

  /// Ends the edit without changing the message, and deletes its text, from the file too. ``undoDiscard(in:)`` brings
  /// it back within 8 seconds. Outside an edit, the call ends an unfinished edit of an earlier launch.
  ///
  /// - Returns: the content for the composer: the unsent new message.
  /// - Throws: ``ChatError`` with a code that starts with `storage`. The edit then still exists.
  @discardableResult
  public func cancelEdit(in conversation: ConversationID) throws(ChatError) -> DraftContent {
    try session(of: conversation).cancelEdit()
    withOpen(conversation) { $0.change(isShown: true) }
    return shownContent(in: conversation)
  }

  /// The message that the composer edits. Nil while a new message is written.
  func editing(in conversation: ConversationID) -> MessageID? {
    withOpen(conversation) { $0.session.editing } ?? nil
  }

  /// Ends an edit that the app's server has. If the composer holds another text by now, the edit goes on.
  ///
  /// - Parameter text: the text that was sent. Nil when the composer's present text was sent.
  func editSucceeded(text: String?, in conversation: ConversationID) throws(ChatError) {
    let key = DraftKey(conversation: conversation, slot: .edit)
    if let text, !drafts.open(key).buffer.content.text.hasSameBytes(as: text) { return }
    try drafts.take(key) { _, _ in }
    let session = session(of: conversation)
    session.sent()
    _ = session.present()
    withOpen(conversation) { $0.change(isShown: false) }
  }

  /// Earlier texts of the composer, newest first, at most five. A text is kept when a save would have lost much of it,
  /// until the draft is sent or discarded (SPEC D18). The call stores unsaved content first.
  ///
  /// ```swift
  /// if let last = try drafts.versions(in: chat).first {
  ///   field.text = try drafts.restoreVersion(last.id, in: chat).text    // "Take back"
  /// }
  /// ```
  ///
  /// - Throws: as ``hardSave()``.
  public func versions(in conversation: ConversationID) throws(ChatError) -> [DraftVersion] {
    try session(of: conversation).versions()
  }

  /// Puts an earlier text into the composer, in one transaction. The replaced text becomes a version.
  ///
  /// - Returns: the composer's new content.
  /// - Throws: ``ChatError`` with code `invalidDraft` when the version does not exist, or one that starts with
  ///   `storage`.
  @discardableResult
  public func restoreVersion(
    _ version: DraftVersion.ID, in conversation: ConversationID
  ) throws(ChatError) -> DraftContent {
    try session(of: conversation).restoreVersion(version)
    return shownContent(in: conversation)
  }

  /// Gives a conversation another ID, with its drafts and their versions, in one transaction: a local ID is replaced by
  /// the server's (SPEC D15). If the new ID has drafts too, the texts are joined. The earlier ID means the conversation
  /// from then on, also after a restart.
  ///
  /// - Throws: ``ChatError`` with code `malformedID`, `sameConversation`, or one that starts with `storage`. Nothing is
  ///   changed then.
  public func replaceID(
    of old: ConversationID, with new: ConversationID
  ) throws(ChatError) {
    guard old.isWellFormed, new.isWellFormed else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
    guard old != new else {
      throw ChatError(.sameConversation, "The conversation has this ID already. Give another one.")
    }
    store.lookForRenames()
    let current = store.aliases.current(old)
    guard current != new else { return }
    try drafts.rename(current, to: new) { transaction in
      // Nothing of the conversation may be stored yet.
      try drafts.storage.makeConversation(current, in: transaction, now: environment.now())
      try transaction.renameConversation(current, to: new)
    }
    // The app shows one composer for both from now on.
    let surplus = open.withLock { open -> DraftSession? in
      guard let moved = open.removeValue(forKey: current) else { return nil }
      guard open[new] == nil else { return moved.session }
      open[new] = moved
      return nil
    }
    withExtendedLifetime(surplus) {}
  }
}
