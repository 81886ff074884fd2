import HoldfastCore

/// Questions to an assistant.
extension ConversationHandle {
  /// Sends a question and begins the reply to it, in one transaction: a crash leaves both or neither, so that no
  /// question is without a row that answers it or says why not (rule L9).
  ///
  /// ```swift
  /// let reply = try await chat.ask("What is the tide?", of: .assistant("claude", of: client.user))
  /// try await reply.write { reply in
  ///   for try await word in model.answer(question) { try await reply.append(word) }
  /// }
  /// ```
  ///
  /// The same transaction marks the question as a request under way, under the question's ID
  /// (``ChatClient/processingRequests()``). A kill before the first word leaves the reply as failed, and one after it
  /// as interrupted, with the text so far.
  ///
  /// - Parameter text: the question.
  /// - Parameter assistant: the member that answers: ``UserID/assistant(_:of:)``. In a conversation that is kept on
  ///   this device alone, any ID.
  /// - Returns: the writer of the reply. ``ReplyHandle/question`` is the question's ID.
  /// - Throws: as ``send(_:replyTo:creatingWith:)``, and code `malformedID`. Nothing is changed then.
  public func ask(_ text: String, of assistant: UserID) async throws(ChatError) -> ReplyHandle {
    try await ask(MessageContent(text), of: assistant)
  }

  /// Sends a question with the other fields of its content, and begins the reply to it: see ``ask(_:of:)-(String,_)``
  /// and ``send(_:creatingWith:)``.
  public func ask(
    _ content: MessageContent, of assistant: UserID
  ) async throws(ChatError) -> ReplyHandle {
    try await client.ask(content, in: key, of: assistant)
  }

  /// Sends the content of the conversation's composer as a question, and begins the reply to it. Text and attachments
  /// leave the draft in the same transaction, so that a crash leaves the draft, or the question with its reply.
  ///
  /// - Throws: as ``sendDraft()`` and ``ask(_:of:)-(String,_)``. All of it is then still in the composer.
  public func askDraft(of assistant: UserID) async throws(ChatError) -> ReplyHandle {
    try await client.ask(nil, in: key, of: assistant)
  }

  /// Asks a question, and writes the answer. The answer is finished only after a normal end that was not cancelled.
  /// ``ReplyHandle/write(_:)`` lists the other endings.
  ///
  /// ```swift
  /// try await chat.answer(to: "What is the tide?", as: .assistant("claude", of: client.user)) { writer in
  ///   for try await word in model.answer(question) { try await writer.append(word) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - question: the text of the question, which is sent in the transaction that begins the answer.
  ///   - assistant: the member that answers.
  ///   - body: appends the output of the model.
  /// - Returns: how the answer ended.
  /// - Throws: as ``ask(_:of:)-(String,_)`` and ``ReplyHandle/write(_:)``.
  @discardableResult
  public func answer(
    to question: String, as assistant: UserID, _ body: @escaping @Sendable (ReplyHandle) async throws -> Void
  ) async throws(ChatError) -> ReplyEnding {
    try await ask(question, of: assistant).write(body)
  }
}

extension ChatClient {
  fileprivate func ask(
    _ content: MessageContent?, in conversation: ConversationKey, of assistant: UserID
  ) throws(ChatError) -> ReplyHandle {
    opened(try sharedStates.questions.ask(content, in: conversation, of: assistant))
  }

  /// Lets the answer to a question be written. The question was sent already.
  func opened(_ asked: Questions.Asked) -> ReplyHandle {
    parts.replies.open(asked)
    return ReplyHandle(id: asked.first.id, client: self, question: asked.question)
  }
}
