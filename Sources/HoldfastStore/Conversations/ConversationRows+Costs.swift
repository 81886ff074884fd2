import GRDB
import HoldfastCore

private enum CostColumn: String, QueryColumn {
  case requests, inputTokens, outputTokens

  static let member = select("FROM answerCost WHERE conversationID = ? AND member = ?")
}

extension ConversationRows where Access == Transaction {
  /// Adds the cost of an answer to a member's total in a conversation.
  package func addCost(_ cost: AnswerCost, of member: UserID, in conversation: ConversationKey) throws {
    try run(
      """
      INSERT INTO answerCost (conversationID, member, requests, inputTokens, outputTokens) VALUES (?, ?, ?, ?, ?)
      \(added)
      """,
      [conversation.rawValue, member.rawValue, cost.requests, cost.inputTokens, cost.outputTokens])
  }

  /// Adds the costs of a conversation to those of the conversation that it is merged into.
  func moveCosts(from old: ConversationKey, to new: ConversationKey) throws {
    try run(
      """
      INSERT INTO answerCost (conversationID, member, requests, inputTokens, outputTokens)
      SELECT ?, member, requests, inputTokens, outputTokens FROM answerCost WHERE conversationID = ?
      \(added)
      """, [new.rawValue, old.rawValue])
  }
}

extension ConversationRows {
  /// The total cost of a member's answers in a conversation.
  package func cost(of member: UserID, in conversation: ConversationKey) throws -> AnswerCost {
    try row(CostColumn.member, [conversation.rawValue, member.rawValue]) { row in
      AnswerCost(requests: row[.requests], inputTokens: row[.inputTokens], outputTokens: row[.outputTokens])
    } ?? AnswerCost()
  }
}

private let added = """
  ON CONFLICT (conversationID, member) DO UPDATE SET requests = requests + excluded.requests,
    inputTokens = inputTokens + excluded.inputTokens, outputTokens = outputTokens + excluded.outputTokens
  """
