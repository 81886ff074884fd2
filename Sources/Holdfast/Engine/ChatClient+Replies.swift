import Foundation
import HoldfastCore
import HoldfastStore

/// Messages that are written piece by piece. ``ReplyHandle`` is their public interface.
extension ChatClient {
  func beginStream(
    in conversation: ConversationID, role: MessageRole, as sender: UserID? = nil,
    answering request: RequestID?
  ) throws(ChatError) -> MessageID {
    try Requests.requireWellFormed(request)
    return try replies.begin(in: conversation, role: role, as: sender, answering: request)
  }

  func append(_ text: String, reasoning: String, to id: MessageID) throws {
    try replies.append(text, reasoning: reasoning, to: id)
  }

  func finishStream(_ id: MessageID, with additions: MessageContent = MessageContent()) throws(ChatError) {
    try replies.finish(id, with: additions)
  }

  func interruptStream(_ id: MessageID, because failure: FailureReason? = nil) throws(ChatError) {
    try replies.interrupt(id, because: failure)
    requests.askAgain()
  }

  func takeOverStream(_ id: MessageID, isAnew: Bool) throws(ChatError) -> StreamPrefix {
    try replies.takeOver(id, isAnew: isAnew)
  }

  /// All requests without an outcome, the oldest first. An app reads them at its launch and resumes the interrupted
  /// ones. Costs one read.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func processingRequests() throws(ChatError) -> [ProcessingRequest] {
    try requests.all()
  }
}
