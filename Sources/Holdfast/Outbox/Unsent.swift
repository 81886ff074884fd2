import HoldfastCore
import HoldfastStore

/// What a user does with messages that have not gone: try again, take back, delete (SPEC O8, O9).
extension ChatClient {
  /// Puts a failed or held message, or a failed operation, back into the queue, behind what waits there, with all its
  /// attempts (SPEC O8). What waits for a message to go follows it. What waits already keeps its place, and so does a
  /// failed message where those behind it have waited for it (``RetryPolicy/behindFailed``). One of which nobody knows
  /// whether it arrived (`outcomeUnknown`) is sent again, and is there twice if it had. A tap ends every wait: of the
  /// link, and of the message's conversation (SPEC O7), as ``reconnectNow()`` does for all of them; and a refusal of the
  /// whole conversation is put to the test.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered or removed.
  public func retry(_ id: MessageID) throws(ChatError) {
    let reading = waitingClock.reading(at: environment.uptime())
    let keepsPlace = policy.behindFailed == .wait
    let conversation = try store.write { transaction in
      let conversation = try transaction.requeue(id, at: reading, keepsPlace: keepsPlace)
      try transaction.liftRefusal(of: conversation)
      return conversation
    }
    linkState.nudge()
    linkSignal.raise()
    endWaits(of: [conversation])
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
    let conversation = try store.write { transaction in
      let conversation = transaction.current(id)
      try transaction.requireConversation(conversation)
      try transaction.liftRefusal(of: conversation)
      return conversation
    }
    linkState.nudge()
    linkSignal.raise()
    endWaits(of: [conversation])
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
  public func takeBack(_ id: MessageID) throws(ChatError) -> DraftContent {
    let conversation = try requireUnsent(id)
    let content = try drafts.put(DraftKey(conversation: conversation)) {
      try $0.requireAtRest(id)
      return try $0.takeUnsent(id)
    }
    deliveryTimes.forget(id)
    return content
  }

  /// Deletes an unsent message, with its text, with what was done to it, and with the files of its attachments that
  /// nothing else refers to; or an operation that has not left, or has failed: its message is shown as if it had not
  /// been. The edits and reactions that a deletion took away when it was asked for do not come back. A failed message
  /// whose fate is unknown (``FailureReason/mayHaveArrived``) is deleted here alone: if the server has it, others see it,
  /// and it comes back as delivered. The text is gone from the journal too, which costs two syncs more. Copies of it that
  /// SQLite may have left in the database are gone when ``enterBackground()`` has compacted it (SPEC S9).
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it has been delivered, or is on its way.
  public func cancel(_ id: MessageID) throws(ChatError) {
    let conversation = try requireUnsent(id)
    try store.write { transaction in
      if try transaction.pendingOperation(id) != nil {
        try transaction.requireAtRest(id)
        try transaction.removeOperations([id], in: conversation)
      } else {
        try transaction.removeAtRest(id)
      }
    }
    deliveryTimes.forget(id)
  }

  private func requireUnsent(_ id: MessageID) throws(ChatError) -> ConversationID {
    guard let (_, conversation) = try store.read({ try $0.outboxEntry(of: id) }) else {
      throw ChatError(.tooLate, "The message has been delivered, or is gone.")
    }
    return conversation
  }
}
