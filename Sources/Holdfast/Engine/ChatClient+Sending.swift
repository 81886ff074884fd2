import HoldfastCore

/// Sending, editing and reacting.
extension ChatClient {
  /// Sends a text: trimmed, checked, and put into the timeline and the outbox in one transaction. It is on
  /// disk when this returns, online or offline, and leaves by itself (SPEC O2). A draft is not touched.
  ///
  /// ```swift
  /// let id = try client.send("On my way", in: conversation)
  /// ```
  ///
  /// - Parameter replyTo: the message of this conversation that it answers.
  /// - Returns: the message's ID, the same for ever and everywhere.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `malformedID`, `unknownConversation`,
  ///   `outboxFull`, or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func send(
    _ text: String, in conversation: ConversationID, replyTo: MessageID? = nil
  ) throws(ChatError) -> MessageID {
    try sender.send(MessageContent(text, replyTo: replyTo), in: conversation)
  }

  /// Sends a text under an ID that the caller made, once: for a bot that answers, or whoever else may do the same again
  /// after a crash. When the message is here already, sent from here or come back from the server, nothing changes.
  ///
  /// ```swift
  /// for question in questions {
  ///   try client.sendOnce(answer(question), in: conversation, id: .init(rawValue: "answer-\(question.id)"))
  /// }
  /// ```
  ///
  /// One transaction, which costs a sync when the message is new and none when it is not. What was stored survives any
  /// crash, and the server takes an ID once: even a device that has lost its store sends no second copy.
  ///
  /// - Parameter id: one that nobody else makes, in 1 to 255 bytes. The text belongs to it for good.
  /// - Returns: whether it is new.
  /// - Throws: as ``send(_:in:)``; and code `malformedID`, also when the ID is that of somebody else's message, or of
  ///   one in another conversation.
  @discardableResult
  public nonisolated func sendOnce(
    _ text: String, in conversation: ConversationID, id: MessageID
  ) throws(ChatError) -> Bool { try sender.sendOnce(text, in: conversation, id: id) }

  /// The text of a message as it is sent, without the white space around it.
  package nonisolated func validated(_ text: String) throws(ChatError) -> String {
    try sender.validated(text)
  }

  /// Sends what is in the conversation's composer: text and attachments move from the draft to the outbox in one
  /// transaction, so that they are in exactly one of them at any moment (SPEC D7). Attachments need no text.
  ///
  /// - Throws: as ``send(_:in:)``, and code `attachmentsUnsupported`, `attachmentTooLarge` or `tooManyAttachments` for
  ///   what this transport does not carry. All of it is still in the composer then.
  @discardableResult
  public nonisolated func sendDraft(in conversation: ConversationID) throws(ChatError) -> MessageID {
    try sender.sendDraft(in: conversation)
  }

  /// Gives a message of this user another text.
  ///
  /// ```swift
  /// try client.editMessage(row.id, to: "See you at eight")
  /// ```
  ///
  /// A message that has not left is changed in place: it keeps its ID and its place in the queue, and one that failed
  /// still waits for a retry. For one that the server may have, an operation waits in the outbox, in place of an edit
  /// that has not left, or has failed.
  ///
  /// It costs one transaction, as a send does, and is on disk when this returns. It survives what a message in the
  /// outbox survives, and is never carried out twice.
  ///
  /// - Returns: the operation's ID, with which `retry`, `cancel` and `explain` find it. Nil: the message was changed in
  ///   place.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `unknownMessage`, `notYourMessage`,
  ///   `messageDeleted`, `messageUnfinished`, `unsupported`, `outboxFull`, or one that starts with `storage`. Nothing
  ///   was changed then.
  @discardableResult
  public nonisolated func editMessage(_ id: MessageID, to text: String) throws(ChatError) -> MessageID? {
    try editor.edit(id, to: text)
  }

  /// Deletes a message of this user, for everybody. Its row stays, without the text.
  ///
  /// ```swift
  /// try client.deleteMessage(row.id)
  /// ```
  ///
  /// A message that has not left is taken out of queue and timeline, as `cancel` does. For one that the server may
  /// have, an operation waits in the outbox, in place of the edits and reactions that waited. Costs and survives as
  /// ``editMessage(_:to:)``.
  ///
  /// - Returns: the operation's ID. Nil: the message is gone.
  /// - Throws: ``ChatError`` with code `unknownMessage`, `notYourMessage`, `messageDeleted`, `messageUnfinished`,
  ///   `unsupported`, `outboxFull`, or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func deleteMessage(_ id: MessageID) throws(ChatError) -> MessageID? {
    try editor.delete(id)
  }

  /// Adds a reaction of this user to a message, mostly an emoji. To one that waits in the outbox too: the reaction
  /// goes out behind it. Does nothing when it is there.
  ///
  /// ```swift
  /// try client.react("👍", to: row.id)
  /// ```
  ///
  /// Costs and survives as ``editMessage(_:to:)``.
  ///
  /// - Returns: the operation's ID. Nil: there is nothing to send, because the reaction is there, or because its
  ///   removal had not left.
  /// - Throws: ``ChatError`` with code `malformedReaction`, `unknownMessage`, `messageDeleted`, `messageUnfinished`,
  ///   `unsupported`, `outboxFull`, or one that starts with `storage`. Nothing was changed then.
  @discardableResult
  public nonisolated func react(_ value: String, to id: MessageID) throws(ChatError) -> MessageID? {
    try editor.setReaction(value, .react, of: id)
  }

  /// Takes back a reaction of this user. Does nothing when there is none.
  ///
  /// - Returns: the operation's ID. Nil: there is nothing to send.
  /// - Throws: as ``react(_:to:)``.
  @discardableResult
  public nonisolated func unreact(_ value: String, from id: MessageID) throws(ChatError) -> MessageID? {
    try editor.setReaction(value, .unreact, of: id)
  }
}
