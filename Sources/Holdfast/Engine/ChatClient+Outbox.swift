import HoldfastCore
import HoldfastStore

/// The outbox, for its user: messages that have not gone, and why.
extension ChatClient {
  /// Puts a failed or held message, or a failed operation, back into the queue, behind what waits there, with all its
  /// attempts (SPEC O8). What waits for a message to go follows it. What waits already keeps its place, and so does a
  /// failed message where those behind it have waited for it (``ChatConfiguration/RetryPolicy/behindFailed``). One of which nobody knows
  /// whether it arrived (`outcomeUnknown`) is sent again, and is there twice if it had. A tap ends every wait: of the
  /// link, and of the message's conversation (SPEC O7), as ``reconnectNow()`` does for all of them; and a refusal of the
  /// whole conversation is put to the test.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered or removed.
  public func retry(_ id: MessageID) throws(ChatError) {
    let conversation = try unsent.requeue(id)
    link.nudge()
    outbox.endWaits(of: [conversation])
  }

  /// Tries the messages of a conversation again that the server refused as a whole (SPEC O8): they are queued still, in
  /// their order. If the server refuses it again, ``ConversationSnapshot/refusal`` says so again. A conversation that
  /// is not refused only has its waits ended.
  ///
  /// ```swift
  /// if let refusal = chat.snapshot.refusal { Button(refusal.explanation) { try await client.retryConversation(id) } }
  /// ```
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or one that starts with `storage`.
  public func retryConversation(_ id: ConversationID) throws(ChatError) {
    let conversation = try unsent.liftRefusal(of: id)
    link.nudge()
    outbox.endWaits(of: [conversation])
  }

  /// Takes an unsent message out of queue and timeline, back into the composer, in one transaction, with its
  /// attachments. What is in the composer stays behind it. A failed one whose fate is unknown
  /// (``FailureReason/mayHaveArrived``) can be taken back too; if the server has it, it comes back as delivered, and
  /// what is sent instead is a second message.
  ///
  /// - Returns: what the composer holds now.
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered, or is on its way; `unknownMessage` for an
  ///   operation.
  @discardableResult
  public func takeBack(_ id: MessageID) throws(ChatError) -> DraftContent { try unsent.takeBack(id) }

  /// Deletes an unsent message, with its text, with what was done to it, and with the files of its attachments that
  /// nothing else refers to; or an operation that has not left, or has failed: its message is shown as if it had not
  /// been. The edits and reactions that a deletion took away when it was asked for do not come back. A failed message
  /// whose fate is unknown (``FailureReason/mayHaveArrived``) is deleted here alone: if the server has it, others see it,
  /// and it comes back as delivered. The text is gone from the journal too, which costs two syncs more. Copies of it that
  /// SQLite may have left in the database are gone when ``enterBackground()`` has compacted it (SPEC S9).
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered, or is on its way.
  public func cancel(_ id: MessageID) throws(ChatError) { try unsent.cancel(id) }

  /// What is held, as it is now. Costs one pass over the outbox, and nothing once a pass has found nothing held.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func heldSnapshot() throws(ChatError) -> HeldMessages { try held.snapshot() }

  /// Answers the question, for all that is held. For one message alone, `retry`, `takeBack` and `cancel` do.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `draftTooLong`. What could not be done is
  ///   still held, and still asked: each conversation that goes back to its composer is a transaction of its own,
  ///   and sending is one for all. What is done survives a crash; *keep waiting* changes nothing on disk.
  public nonisolated func answerHeld(_ answer: HeldMessages.Answer) throws(ChatError) {
    try held.answer(answer, drafts: drafts)
  }

  /// Queues messages that have waited elsewhere (SPEC H10). Those of conversations in which one is too old are held in the
  /// same transaction, because the connection may have begun long ago; and their user is asked where somebody is connected.
  ///
  /// - Parameter queue: gives these conversations.
  package nonisolated func queueHolding(_ queue: (Transaction) throws -> Set<ConversationID>) throws {
    try held.queueHolding(queue)
  }

  /// Whether what was queued at `reading` is asked about before it leaves.
  package nonisolated func isOld(_ reading: Int64) -> Bool { held.isOld(reading) }

  /// How the outbox is doing, at this instant.
  ///
  /// ```swift
  /// let health = try client.outboxHealth()
  /// report("\(health.waiting) wait, the oldest for \(health.oldestWaited ?? .zero)")
  /// ```
  ///
  /// It costs one pass over the outbox, and changes nothing. The counts of the delivery times are part of the
  /// receipts' transactions, and survive what these survive.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func outboxHealth() throws(ChatError) -> OutboxHealth { try context.outboxHealth() }

  /// How many messages the server has not confirmed, failed ones included.
  public nonisolated func unsentCount() throws(ChatError) -> Int { try store.read { try $0.unsentCount() } }
}
