import Foundation
import HoldfastCore
import HoldfastStore

/// Messages that are written piece by piece. ``ReplyHandle`` is their public interface.
extension ChatClient {
  func beginStream(
    in conversation: ConversationKey, role: MessageRole, as sender: UserID? = nil,
    answering request: RequestID?
  ) throws(ChatError) -> MessageID {
    try Requests.requireWellFormed(request)
    return try replies.begin(in: conversation, role: role, as: sender, answering: request)
  }

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

  /// The end of a reply that is written here, to wait for.
  func end(of id: MessageID) throws(ChatError) -> ReplyEnd { try replies.end(of: id) }

  func append(_ text: String, reasoning: String, to id: MessageID) throws {
    try replies.append(text, reasoning: reasoning, to: id)
  }

  func finishStream(_ id: MessageID, with additions: MessageContent = MessageContent()) throws(ChatError) {
    try replies.finish(id, with: additions)
  }

  /// Ends a reply, and counts what its last request cost in the same transaction.
  package func finish(_ reply: MessageID, metadata: Data?, adding cost: AnswerCost) throws(ChatError) {
    try replies.finish(reply, with: MessageContent(metadata: metadata), adding: cost)
  }

  func interruptStream(_ id: MessageID, because failure: FailureReason? = nil) throws(ChatError) {
    try replies.interrupt(id, because: failure)
    requests.askAgain()
  }

  /// Stores metadata of a reply that is written here, before its end, which replaces it. Counts the cost of its member in
  /// its conversation. One transaction.
  package func note(_ metadata: Data?, on reply: MessageID, adding cost: AnswerCost) throws(ChatError) {
    try replies.note(metadata, on: reply, adding: cost)
  }

  func takeOverStream(_ id: MessageID, isAnew: Bool) throws(ChatError) -> StreamPrefix {
    try replies.takeOver(id, isAnew: isAnew)
  }

  func regenerate(_ id: MessageID) throws(ChatError) { try replies.regenerate(id) }

  nonisolated var regenerations: Regenerations { Regenerations(context: context) }

  /// All requests without an outcome, the oldest first. An app reads them at its launch and resumes the interrupted
  /// ones. Costs one read.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func processingRequests() throws(ChatError) -> [ProcessingRequest] {
    try requests.all()
  }
}
