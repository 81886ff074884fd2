import HoldfastCore
import HoldfastStore

/// Asks an assistant: the question and the beginning of its answer are one transaction (rule L9).
final class Questions {
  private let sender: Sender
  private let replies: Replies

  init(_ sender: Sender, _ replies: Replies) { (self.sender, self.replies) = (sender, replies) }

  /// Sends a question, and begins the reply to it in the same transaction. Returns the IDs of both.
  ///
  /// - Parameter content: the question. Nil: the content of the conversation's composer.
  func ask(
    _ content: MessageContent?, in conversation: ConversationKey, of assistant: UserID
  ) throws(ChatError) -> (question: MessageID, reply: MessageID) {
    let first = replies.first(in: conversation, role: .assistant, as: assistant)
    let begin: (MessageID, Transaction) throws -> Bool = { question, transaction in
      // The ID that the question has everywhere.
      try self.replies.insert(
        first, in: conversation, answering: RequestID(rawValue: question.rawValue), transaction)
    }
    let (question, isOnDevice) = try replies.begun(first) { _ throws(ChatError) in
      if let content {
        try sender.send(content, in: conversation, also: begin)
      } else {
        try sender.sendDraft(in: conversation, also: begin)
      }
    }
    replies.open(
      first, in: conversation, answering: RequestID(rawValue: question.rawValue), isOnDevice: isOnDevice)
    return (question, first.id)
  }
}
