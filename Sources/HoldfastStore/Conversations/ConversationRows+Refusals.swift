import GRDB
import HoldfastCore

/// Refusals of a whole conversation by the server (rule O8).
extension ConversationRows where Access == Transaction {
  /// Notes that the server refuses the conversation. The reason is shown to the user once.
  package func refuse(_ conversation: ConversationKey, reason: FailureReason) throws {
    try run(
      "UPDATE conversation SET refusedCode = ?, refusedExplanation = ? WHERE id = ?",
      [reason.code.rawValue, reason.explanation.storable, conversation.rawValue])
    changes.noteEntry(in: conversation)
  }

  /// Notes that the server may accept the conversation's messages again. Does nothing if the conversation was not
  /// refused.
  package func liftRefusal(of conversation: ConversationKey) throws {
    try run(
      "UPDATE conversation SET refusedCode = NULL, refusedExplanation = NULL WHERE id = ? AND refusedCode IS NOT NULL",
      [conversation.rawValue])
    guard changedRows > 0 else { return }
    changes.noteEntry(in: conversation)
    changes.lanes.insert(conversation)
  }
}

private enum RefusalColumn: String, QueryColumn {
  case refusedCode, refusedExplanation

  static let conversation = select("FROM conversation WHERE id = ?")
}

extension ConversationRows {
  /// The reason why the server refuses the conversation. Nil when it does not.
  package func refusal(of conversation: ConversationKey) throws -> FailureReason? {
    try row(RefusalColumn.conversation, [conversation.rawValue]) {
      $0.failure(.refusedCode, .refusedExplanation)
    } ?? nil
  }

  /// The conversations that the server refuses. Costs one pass over the conversations.
  package func refused() throws -> [ConversationKey] {
    try values("SELECT id FROM conversation WHERE refusedCode IS NOT NULL ORDER BY id")
  }
}
