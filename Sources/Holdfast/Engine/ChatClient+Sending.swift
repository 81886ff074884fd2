import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Sends a text. It is trimmed, checked, and put into the timeline and the outbox in one transaction. When the call
  /// returns, the message is on disk, online or offline, and it leaves by itself (SPEC O2). The draft is not touched.
  ///
  /// ```swift
  /// let id = try client.send("On my way", in: conversation)
  /// ```
  ///
  /// - Parameters:
  ///   - text: what to say, in at most as many bytes of UTF-8 as the transport accepts.
  ///   - conversation: the conversation in which it is said.
  ///   - replyTo: the message of this conversation that the text answers.
  ///   - members: the accounts of a conversation that may not exist yet. It is then created in the same transaction, as
  ///     by ``createConversation(_:title:members:metadata:isOnDevice:)``. Nil: it must exist.
  /// - Returns: the message's ID, which never changes.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `malformedID`, `unknownConversation`,
  ///   `outboxFull`, or one that starts with `storage`. Nothing is changed then.
  @discardableResult
  public nonisolated func send(
    _ text: String, in conversation: ConversationID, replyTo: MessageID? = nil,
    creatingWith members: [UserID]? = nil
  ) throws(ChatError) -> MessageID {
    try sender.send(
      MessageContent(text, replyTo: replyTo), in: store.key(of: conversation), creatingWith: members)
  }

  /// Whether the server keeps every field that the content has.
  package nonisolated func carries(
    _ content: MessageContent, in conversation: ConversationKey, _ reading: Reading
  ) throws -> Bool {
    try context.dropped(of: content.fields, in: conversation, reading) == nil
  }

  /// The text of a message as it is sent, without the white space around it.
  package nonisolated func validated(
    _ text: MessageContent.FormattedText, in conversation: ConversationKey, _ transaction: Transaction
  ) throws -> MessageContent.FormattedText {
    try sender.validated(text, isAlone: true, in: conversation, transaction)
  }
}
