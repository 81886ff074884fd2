import HoldfastCore
import HoldfastStore

/// One message of a client, or one operation on a message, and what its user can do with it.
///
/// ```swift
/// let message = client.message(row.id)
/// try await message.retry()
/// try message.react("👍")
/// ```
///
/// A handle is a value without a state of its own. Making one costs nothing and reads nothing.
public struct MessageHandle: Sendable, Identifiable {
  public let id: MessageID
  let client: ChatClient

  /// Puts a failed or held message, or a failed operation, back into the queue, behind the entries that wait there,
  /// with all its attempts (rule O8). Operations that depend on the message follow it. A message that already waits
  /// keeps its place, and so does a failed message for which those behind it have waited
  /// (``ChatConfiguration/RetryPolicy/afterFailure``). A message that may have arrived (`outcomeUnknown`) is sent
  /// again, and exists twice if it had arrived.
  ///
  /// The call also ends every wait of the link and of the message's conversation (rule O7), as
  /// ``ChatClient/reconnectNow()`` does for all conversations, and tries a refused conversation again.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when the message has been delivered or removed.
  public func retry() async throws(ChatError) {
    try await client.perform { try $0.retries.retry(message: id) }
  }

  /// Takes an unsent message out of queue and timeline, back into the composer, in one transaction, with its
  /// attachments. The composer's present text follows it. A failed message with an unknown delivery outcome
  /// (``FailureReason/mayHaveArrived``) can be taken back too. If the server has it, it comes back as delivered, and
  /// the text that is sent instead is a second message.
  ///
  /// - Returns: the content of the composer afterwards.
  /// - Throws: ``ChatError`` with code `tooLate` when the message has been delivered, or is in flight;
  ///   `unknownMessage` for an operation.
  @discardableResult
  public func takeBack() async throws(ChatError) -> DraftContent {
    try await client.perform { try $0.unsent.takeBack(id) }
  }

  /// Deletes an unsent message: its text, the operations on it, and the files of its attachments to which nothing
  /// else refers. Or deletes an operation that was not sent yet, or has failed: its message is then shown without it.
  /// Edits and reactions that a deletion had replaced do not come back.
  ///
  /// A failed message with an unknown delivery outcome (``FailureReason/mayHaveArrived``) is deleted on this device
  /// alone. If the server has it, others see it, and it comes back as delivered.
  ///
  /// The text is removed from the journal too, which costs two more syncs. Copies that SQLite may have left in the
  /// database are erased when ``ChatClient/enterBackground()`` has compacted it (rule S9).
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when the message has been delivered, or is in flight.
  public func cancel() async throws(ChatError) { try await client.perform { try $0.unsent.cancel(id) } }

  /// Explains why a message was not sent yet, and when it is tried next (rule O17). There is an explanation for a
  /// delivered message and for one that is not here, too.
  ///
  /// ```swift
  /// let explanation = try client.message(id).explain()
  /// if explanation.code == .signedOut { showLogin() }
  /// ```
  ///
  /// The explanation is that of this instant; ``ExplanationModel`` updates it when it may have changed. It costs a
  /// read of a few rows, or a pass over the outbox where a failed message stops those behind it, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with a storage code, when the store cannot be read.
  public func explain() throws(ChatError) -> Explanation { try client.reader.explanation(of: id) }

  /// The explanations of the message: the present one, and one after each change, for a program without a view. A
  /// reader who is late misses states in between, and never the last one. An explanation that cannot be read is left
  /// out.
  ///
  /// ```swift
  /// for await explanation in client.message(id).explanations() where explanation.code == .delivered { break }
  /// ```
  ///
  /// Each change in the store costs a read of a few rows.
  public func explanations() -> some AsyncSequence<Explanation, Never> & Sendable {
    SnapshotSequence(client: client, unread: ExplanationSnapshot(), concerns: \.concernsStatuses) {
      ExplanationSnapshot(explanation: try client.reader.explanation(of: id))
    }.compactMap(\.explanation)
  }

  /// The parts of a message that the timeline does not show by itself. They come with an import alone. Nil: there is no
  /// such message. Costs one small read.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public func details() throws(ChatError) -> MessageDetails? { try client.reader.details(of: id) }
}

extension MessageHandle {
  /// Gives a message of this user another text.
  ///
  /// ```swift
  /// try client.message(row.id).edit(to: "See you at eight")
  /// ```
  ///
  /// A message that was not sent yet is changed in place: it keeps its ID and its place in the queue, and a failed
  /// one still waits for a retry. For a message that the server may have, an operation waits in the outbox. It
  /// replaces an edit that was not sent yet, or has failed.
  ///
  /// Costs one transaction, as a send does, and is on disk when the call returns. It survives what a message in the
  /// outbox survives, and is never carried out twice.
  ///
  /// - Returns: the operation's ID, for a handle of the operation. Nil: the message was changed in place.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `unknownMessage`, `notYourMessage`,
  ///   `messageDeleted`, `messageUnfinished`, `unsupported`, `outboxFull`, or a storage code. Nothing
  ///   is changed then.
  @discardableResult
  public func edit(to text: String) throws(ChatError) -> MessageID? {
    try client.sharedStates.editor.edit(id, to: text)
  }

  /// Deletes a message of this user, for everybody. Its row stays, without the text.
  ///
  /// ```swift
  /// try client.message(row.id).delete()
  /// ```
  ///
  /// A message that was not sent yet is taken out of queue and timeline, as ``cancel()`` does. For a message that the
  /// server may have, an operation waits in the outbox. It replaces the edits and reactions that waited. Costs and
  /// survives as ``edit(to:)``.
  ///
  /// - Returns: the operation's ID. Nil: the message no longer exists.
  /// - Throws: ``ChatError`` with code `unknownMessage`, `notYourMessage`, `messageDeleted`, `messageUnfinished`,
  ///   `unsupported`, `outboxFull`, or a storage code. Nothing is changed then.
  @discardableResult
  public func delete() throws(ChatError) -> MessageID? { try client.sharedStates.editor.delete(id) }

  /// Adds a reaction of this user, usually an emoji. The reaction to a message that waits in the outbox is sent
  /// behind it. Does nothing when the reaction is there.
  ///
  /// Costs and survives as ``edit(to:)``.
  ///
  /// - Returns: the operation's ID. Nil: there is nothing to send, because the reaction is there, or because its
  ///   removal was not sent yet.
  /// - Throws: ``ChatError`` with code `malformedReaction`, `unknownMessage`, `messageDeleted`, `messageUnfinished`,
  ///   `unsupported`, `outboxFull`, or a storage code. Nothing is changed then.
  @discardableResult
  public func react(_ value: String) throws(ChatError) -> MessageID? {
    try client.sharedStates.editor.setReaction(value, .react, of: id)
  }

  /// Takes back a reaction of this user. Does nothing when the user has not reacted with it.
  ///
  /// - Returns: the operation's ID. Nil: there is nothing to send.
  /// - Throws: as ``react(_:)``.
  @discardableResult
  public func unreact(_ value: String) throws(ChatError) -> MessageID? {
    try client.sharedStates.editor.setReaction(value, .unreact, of: id)
  }
}

extension MessageHandle {
  /// Continues a reply that was interrupted, by a kill or by ``ReplyHandle/interrupt()``. It keeps its ID, and appended
  /// text follows the stored text.
  ///
  /// ```swift
  /// let reply = try await client.message(row.id).continueReply()
  /// try await reply.write { reply in
  ///   for try await word in model.answer(question, beginningWith: reply.textSoFar) { try await reply.append(word) }
  /// }
  /// ```
  ///
  /// Of the text before the cut, the last 250 ms may be missing, or the end behind the last 64 KB that were stored,
  /// whichever is less. Others may have seen those pieces. They see nothing of the new text until the reply is
  /// finished, and then the whole of it.
  ///
  /// One transaction. A crash leaves the reply interrupted again, with all that was stored.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage`; `notInterrupted` when the reply was finished meanwhile;
  ///   `beingWritten` when it is being written, by this process or another one of the app; `notYourMessage` when it
  ///   is
  ///   written on another device, where it continues by itself; or a storage code.
  @discardableResult
  public func continueReply() async throws(ChatError) -> ReplyHandle {
    let stored = try await client.perform { try $0.replies.takeOver(id, isAnew: false) }
    return ReplyHandle(id: id, client: client, textSoFar: stored.text, reasoningSoFar: stored.reasoning)
  }

  /// Retries a reply that was interrupted, from its beginning. It keeps its ID, and is at the end of the timeline while
  /// it is written. Its text and reasoning are replaced, for everybody who has seen their beginning, and no version
  /// of them is kept.
  ///
  /// ```swift
  /// let reply = try await client.message(row.id).retryReply()
  /// try await reply.write { reply in for try await word in model.answer(question) { try await reply.append(word) } }
  /// ```
  ///
  /// The earlier text leaves the screen at once, and the disk together with the first piece that is stored. A crash
  /// before that, or ``ReplyHandle/interrupt()``, brings it back, so that a backend that does not answer costs nothing.
  ///
  /// - Throws: as ``continueReply()``.
  @discardableResult
  public func retryReply() async throws(ChatError) -> ReplyHandle {
    _ = try await client.perform { try $0.replies.takeOver(id, isAnew: true) }
    return ReplyHandle(id: id, client: client)
  }

  /// Stops a reply that is being written on this device, as ``ReplyHandle/interrupt()`` does. For a view that has the
  /// row and not the reply's writer.
  ///
  /// - Throws: as ``ReplyHandle/interrupt()``.
  public func stopReply() async throws(ChatError) { try await client.perform { try $0.replies.stop(id) } }
}

/// The explanation of one message, for ``MessageHandle/explanations()``.
private struct ExplanationSnapshot: Equatable, Sendable, FallibleSnapshot {
  var explanation: Explanation?
  var problem: ChatError?
}
