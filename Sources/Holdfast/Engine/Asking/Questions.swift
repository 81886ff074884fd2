import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Asks an assistant: the question and the beginning of its answer are one transaction (rule L9). Any thread may ask:
/// the text of a composer is taken at the tap, and not when the client's executor is free.
struct Questions: Sendable {
  /// A question that was sent, and the beginning of its answer. `Replies.open` lets the answer be written.
  struct Asked: Sendable {
    let question: MessageID
    let first: StreamPiece
    let conversation: ConversationKey
    let isOnDevice: Bool
  }

  let sender: Sender
  let beginning: ReplyBeginning

  /// Sends a question, and begins the reply to it in the same transaction.
  ///
  /// - Parameter content: the question. Nil: the content of the conversation's composer.
  func ask(
    _ content: MessageContent?, in conversation: ConversationKey, of assistant: UserID
  ) throws(ChatError) -> Asked {
    let first = beginning.first(in: conversation, role: .assistant, as: assistant)
    let begin: (MessageID, Transaction) throws -> Bool = { question, transaction in
      // The ID that the question has everywhere.
      try beginning.insert(
        first, in: conversation, answering: RequestID(rawValue: question.rawValue), transaction)
    }
    let (question, isOnDevice) = try beginning.shown(first) { () throws(ChatError) in
      if let content {
        try sender.send(content, in: conversation, also: begin)
      } else {
        try sender.sendDraft(in: conversation, also: begin)
      }
    }
    return Asked(question: question, first: first, conversation: conversation, isOnDevice: isOnDevice)
  }
}

extension Replies {
  /// Lets the answer to a question be written.
  func open(_ asked: Questions.Asked) {
    open(
      asked.first, in: asked.conversation, answering: RequestID(rawValue: asked.question.rawValue),
      isOnDevice: asked.isOnDevice)
  }
}
