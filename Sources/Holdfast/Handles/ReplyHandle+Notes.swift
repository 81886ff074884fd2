import Foundation
import HoldfastCore
import HoldfastStore

/// Notes of an assistant beside the text of its reply. Its next turn needs them.
extension ReplyHandle {
  /// Stores metadata of the reply so far, and adds to what its conversation has cost.
  package func note(_ metadata: Data?, adding cost: AnswerCost) async throws(ChatError) {
    try await client.perform { try $0.replies.note(metadata, on: id, adding: cost) }
  }

  /// Ends the reply, with its metadata. The cost is added in the same transaction.
  package func finish(metadata: Data?, adding cost: AnswerCost) async throws(ChatError) {
    try await client.perform {
      try $0.replies.finish(id, with: MessageContent(metadata: metadata), adding: cost)
    }
  }
}
