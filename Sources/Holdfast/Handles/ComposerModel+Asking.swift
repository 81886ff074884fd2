import HoldfastCore

extension ComposerModel {
  /// Sends the composer's content as a question, and begins the assistant's reply in the same transaction
  /// (``ConversationHandle/askDraft(of:)``). During an edit, the edit is sent as ``send()`` does, and nothing is asked.
  ///
  /// ```swift
  /// guard let reply = await composer.ask(.assistant("claude", of: client.user)) else { return }
  /// try await reply.write { reply in for try await word in model.answer(question) { try await reply.append(word) } }
  /// ```
  ///
  /// - Parameters:
  ///   - assistant: the member that answers.
  ///   - takesFiles: whether the model is given the draft's files. False: a draft with files is refused.
  /// - Returns: the writer of the reply. Nil when nothing was asked: the text stays, and `snapshot.problem` has the
  ///   reason.
  public func ask(_ assistant: UserID, takesFiles: Bool = true) async -> ReplyHandle? {
    guard let asked = beginAsking(assistant, takesFiles: takesFiles) else { return nil }
    return await asked.reply()
  }

  /// A question that was sent from a composer.
  package struct Asked: Sendable {
    fileprivate let client: ChatClient
    fileprivate let asked: Questions.Asked

    /// The ID of the question.
    package var id: MessageID { asked.question }

    /// The writer of its answer.
    package func reply() async -> ReplyHandle { await client.opened(asked) }
  }

  /// Sends the composer's content as a question at once, so that what is typed afterwards is another text. Nil when
  /// nothing was asked: see ``ask(_:takesFiles:)``.
  package func beginAsking(_ assistant: UserID, takesFiles: Bool) -> Asked? {
    guard session.editing == nil else {
      send()
      return nil
    }
    var asked: Questions.Asked?
    attempt { () throws(ChatError) in
      guard takesFiles || client.drafts.attachments(in: session.conversation).isEmpty else {
        throw .readsTextAlone
      }
      asked = try client.sharedStates.questions.ask(nil, in: session.conversationKey, of: assistant)
      session.sent()
    }
    return asked.map { Asked(client: client, asked: $0) }
  }
}
