import Foundation
import GRDB
import HoldfastCore

/// Failed messages that block the messages behind them (rule O8).
extension OutboxRows where Access == Transaction {
  /// Puts a failed message back into the queue at its old position. Its attempts start again. Returns whether it had
  /// failed.
  package func resume(_ id: MessageID, in conversation: ConversationKey, at reading: Int64) throws -> Bool {
    try run(
      """
      UPDATE outbox SET attempts = 0, unanswered = 0, enqueuedAt = ?, parkedCode = NULL, parkedExplanation = NULL,
        departedAt = CASE WHEN parkedCode IS NOT ? THEN departedAt END
      WHERE messageID = ? AND parkedCode IS NOT NULL
      """, [reading, FailureReason.Code.outcomeUnknown.rawValue, id.rawValue])
    guard changedRows > 0 else { return false }
    try run("UPDATE message SET place = ? WHERE id = ?", [TimelinePlace.underWay, id.rawValue])
    changes.noteEntry(in: conversation)
    changes.lanes.insert(conversation)
    return true
  }
}

private enum FailedColumn: String, QueryColumn {
  case position, messageID

  static let first = select(
    """
    FROM outbox
    WHERE conversationID = ? AND parkedCode IS NOT NULL AND messageID IS NOT NULL ORDER BY position LIMIT 1
    """)
}

extension OutboxRows {
  /// The first message of a conversation that has failed. Costs one pass over the outbox.
  package func firstFailed(in conversation: ConversationKey) throws -> (position: Int64, id: MessageID)? {
    try row(FailedColumn.first, [conversation.rawValue]) { ($0[.position], $0[.messageID]) }
  }

  /// The messages and operations that have failed, in their order. Costs one pass over the outbox.
  package func failed() throws -> [MessageID] {
    try values(
      "SELECT coalesce(messageID, operationID) FROM outbox WHERE parkedCode IS NOT NULL ORDER BY position")
  }

  /// The number of waiting messages that are sent without user action as soon as there is a link, because their
  /// conversation is not blocked. Costs one more pass over the queue if a conversation may be blocked.
  package func leavingCount(ofWaiting waiting: Int, afterFailure: ChatConfiguration.RetryPolicy.AfterFailure)
    throws -> Int
  {
    let isStrict = afterFailure == .block
    let isAnyRefused = try exists("SELECT 1 FROM conversation WHERE refusedCode IS NOT NULL LIMIT 1")
    guard isStrict || isAnyRefused else { return waiting }
    return try value(leavingMessages, [isStrict]) ?? 0
  }
}

private let leavingMessages = """
  SELECT (SELECT count(*) FROM outbox WHERE \(leaves))
    - (SELECT count(*) FROM outbox WHERE operationID IS NOT NULL AND \(leaves))
  """

/// An SQL condition for entries that are sent without user action. `?1` says whether the order is strict.
private let leaves = """
  \(OutboxRule.isQueued)
    AND conversationID NOT IN (SELECT id FROM conversation WHERE refusedCode IS NOT NULL)
    AND (NOT ?1 OR conversationID NOT IN (
      SELECT conversationID FROM outbox WHERE parkedCode IS NOT NULL AND messageID IS NOT NULL))
  """
