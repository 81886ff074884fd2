import HoldfastCore
import HoldfastStore

/// The text of a reply so far, for a model that goes on with it.
public struct ReplySoFar: Sendable, Hashable {
  public var text: String
  public var reasoning: String
}

/// Messages that are written piece by piece, as an assistant's answer is (SPEC H3).
extension ChatClient {
  /// Begins a message that is written piece by piece.
  ///
  /// ```swift
  /// let id = try await client.beginStream(in: conversation)
  /// for try await token in model { try await client.append(token, to: id) }
  /// try await client.finishStream(id)
  /// ```
  ///
  /// The pieces go out as they come and may be lost on the way. The whole text goes out as a message once it is
  /// finished, and is not lost. A crash in between leaves the stored text, marked interrupted: ``continueStream(_:)``
  /// and ``retryStream(_:)`` lead on from there.
  ///
  /// - Parameter request: the request that it answers. It is marked as under way in the same transaction, as
  ///   ``beginProcessing(_:in:)`` does, until the reply is finished.
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, or one that starts with `storage`.
  public func beginStream(
    in conversation: ConversationID, role: MessageRole = .assistant, answering request: RequestID? = nil
  ) throws(ChatError) -> MessageID {
    try Requests.requireWellFormed(request)
    return try replies.begin(in: conversation, role: role, answering: request)
  }

  /// Adds to a message that was begun here. It is shown at once, and on disk 250 ms or 64 KB later: that much of it
  /// can be lost with the process.
  ///
  /// - Throws: ``ChatError`` with code `unknownMessage` when it is not written by this client: it was not begun here,
  ///   is finished or cut off, or another process of the app went on with it.
  public func append(_ text: String, reasoning: String = "", to id: MessageID) throws {
    try replies.append(text, reasoning: reasoning, to: id)
  }

  /// Ends a message that was begun here, and puts its whole text into the outbox in one transaction.
  ///
  /// The text is in the timeline already, so nothing of it is turned away: it enters a full outbox too, and only the
  /// next message does not. A text that is longer than the backend accepts is finished as a failed message with code
  /// `tooLong`, whose user can take it back and shorten it.
  ///
  /// The request that it answers is not under way any more.
  ///
  /// - Throws: as ``append(_:reasoning:to:)``; code `emptyMessage` when nothing was written; and `beingWritten` when
  ///   another process of the app has found it cut off, and goes on with it.
  public func finishStream(_ id: MessageID) throws(ChatError) { try replies.finish(id) }

  /// Stops writing a reply before its end, because the model's connection broke or its user wants no more of it. Its
  /// text so far is stored, marked interrupted. The request that it answers is not under way any more.
  ///
  /// - Throws: as ``append(_:reasoning:to:)``, or a ``ChatError`` with a code that starts with `storage`: it is still
  ///   being written then.
  public func interruptStream(_ id: MessageID) throws(ChatError) {
    try replies.interrupt(id)
    requests.askAgain()
  }

  /// Goes on with a reply that was cut off, by a kill or by ``interruptStream(_:)``. It keeps its ID, and appended
  /// text stands behind the stored text.
  ///
  /// ```swift
  /// let soFar = try await client.continueStream(row.id)
  /// for try await token in model.answer(question, beginningWith: soFar.text) { try await client.append(token, to: row.id) }
  /// try await client.finishStream(row.id)
  /// ```
  ///
  /// Of the appended text, the last 250 ms may be missing, or what came after the last 64 KB that were stored, whichever
  /// is less. Others may have seen those pieces. They see nothing of the new text until the reply is finished, and then
  /// the whole of it.
  ///
  /// One transaction. A crash leaves the reply interrupted again, with all that was stored.
  ///
  /// - Returns: the stored text.
  /// - Throws: ``ChatError`` with code `unknownMessage`; `notInterrupted` when it was finished meanwhile; `beingWritten`
  ///   when it is written at this moment, by this process or another one of the app; `notYourMessage` when it is not
  ///   written on this device: it goes on by itself then; or one that starts with `storage`.
  public func continueStream(_ id: MessageID) throws(ChatError) -> ReplySoFar {
    let stored = try replies.takeOver(id, isAnew: false)
    return ReplySoFar(text: stored.text, reasoning: stored.reasoning)
  }

  /// Writes a reply anew that was cut off. It keeps its ID and its place. Its text and reasoning are replaced, for
  /// everybody who has seen their beginning, and no version of them is kept.
  ///
  /// ```swift
  /// try await client.retryStream(row.id)
  /// for try await token in model.answer(question) { try await client.append(token, to: row.id) }
  /// try await client.finishStream(row.id)
  /// ```
  ///
  /// The earlier text leaves the screen at once, and the disk together with the first piece that is stored. A crash
  /// before that, or ``interruptStream(_:)``, brings it back, so that a backend that does not answer costs nothing.
  ///
  /// - Throws: as ``continueStream(_:)``.
  public func retryStream(_ id: MessageID) throws(ChatError) {
    _ = try replies.takeOver(id, isAnew: true)
  }

  /// Marks a request as under way, before it leaves. It takes the place of an earlier one of the conversation.
  ///
  /// ```swift
  /// try client.beginProcessing(request, in: conversation)
  /// let answer = try await model.ask(question, as: request)
  /// try client.endProcessing(request, in: conversation)
  /// ```
  ///
  /// ``beginStream(in:role:answering:)`` does it by itself. One transaction, which costs a sync. After a kill the mark
  /// is there, as interrupted. On each connection the backend is asked for the outcome
  /// (``TransportConnection/outcome(of:in:)``), and the mark goes once there is one.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, or one that starts with `storage`.
  public nonisolated func beginProcessing(
    _ request: RequestID, in conversation: ConversationID
  ) throws(ChatError) {
    try requests.begin(request, in: conversation)
  }

  /// Takes the mark of a request away: it was answered, or nobody waits for it any more. Does nothing when it is not
  /// there, or another request has taken its place. One transaction; a crash leaves the mark as it was, or none.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func endProcessing(
    _ request: RequestID, in conversation: ConversationID
  ) throws(ChatError) {
    try requests.end(request, in: conversation)
  }

  /// All requests that have no outcome yet, the oldest first: for an app that, at its launch, resumes what was
  /// interrupted. One read.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func processingRequests() throws(ChatError) -> [ProcessingRequest] {
    try requests.all()
  }
}
