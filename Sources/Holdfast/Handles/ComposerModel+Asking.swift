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
    guard session.editing == nil else {
      send()
      return nil
    }
    do throws(ChatError) {
      guard takesFiles || client.drafts.attachments(in: session.conversation).isEmpty else {
        throw .readsTextAlone
      }
      let reply = try await client.conversation(session.conversation).askDraft(of: assistant)
      attempt { session.sent() }
      return reply
    } catch {
      attempt { () throws(ChatError) in throw error }
      return nil
    }
  }
}
