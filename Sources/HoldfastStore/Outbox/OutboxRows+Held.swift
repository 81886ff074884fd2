import Foundation
import GRDB
import HoldfastCore

private enum OffsetColumn: String, QueryColumn {
  case outbox = "(SELECT max(position) FROM outbox) - min(o.position) + 1"
  case timeline = "(SELECT max(position) FROM message) - min(m.position) + 1"

  /// The distances by which the held messages move to the ends of outbox and timeline.
  static let held = select("FROM outbox o JOIN message m ON m.id = o.messageID WHERE o.isHeld = 1")
}

private enum HeldColumn: String, QueryColumn {
  case count = "count(*)"
  case conversations = "count(DISTINCT o.conversationID)"
  case oldest = "min(m.createdAt)"

  static let all = select("FROM outbox o JOIN message m ON m.id = o.messageID WHERE o.isHeld = 1")
}

extension OutboxRows where Access == Transaction {
  /// Holds all messages that are queued in a conversation, so that messages written together stay together. A
  /// message that was sent and may have arrived is not held: only sending it again shows whether it arrived.
  /// Operations are never held themselves. They wait with their message.
  package func hold(_ conversation: ConversationKey) throws {
    try run(
      """
      UPDATE outbox SET isHeld = 1
      WHERE conversationID = ? AND messageID IS NOT NULL AND \(OutboxRule.isQueued)
        AND mayHaveArrived = 0
      """, [conversation.rawValue])
    guard changedRows > 0 else { return }
    changes.timelines.insert(conversation)
    changes.outbox = true
  }

  /// Puts all held messages back into the queue, in their order, with the operations on them. They go after the
  /// messages that overtook them, and their attempts start again. Their waiting time starts again too, because the
  /// user has just decided to send them.
  package func releaseHeld(at reading: Int64) throws {
    let conversations = try conversationsHeld()
    guard !conversations.isEmpty else { return }
    // The entries move as a block, so that their order is kept and no positions collide. Operations are behind their
    // messages, so the first entry of the block is a message.
    let offsets = try row(OffsetColumn.held) { row in
      (outbox: row[.outbox] as Int64, timeline: row[.timeline] as Int64)
    }!
    try run(
      """
      UPDATE message SET position = position + ?
      WHERE id IN (SELECT messageID FROM outbox WHERE isHeld = 1)
      """, [offsets.timeline])
    try run(
      """
      UPDATE outbox SET position = position + ? WHERE isHeld = 1 OR operationID IN (
        SELECT p.id FROM operation p JOIN outbox t ON t.messageID = p.messageID WHERE t.isHeld = 1)
      """, [offsets.outbox])
    try run("UPDATE outbox SET isHeld = FALSE, attempts = 0, enqueuedAt = ? WHERE isHeld = 1", [reading])
    changes.timelines.formUnion(conversations)
    changes.lanes.formUnion(conversations)
    changes.outbox = true
  }

  /// Removes the held messages of a conversation from outbox and timeline. Returns their contents, in their
  /// order.
  package func removeHeld(in conversation: ConversationKey) throws -> [(id: MessageID, content: DraftContent)]
  {
    let held: [MessageID] = try values(
      "SELECT messageID FROM outbox WHERE conversationID = ? AND isHeld = 1 ORDER BY position",
      [conversation.rawValue])
    return try held.map { ($0, try takeUnsent($0)) }
  }
}

extension OutboxRows {
  /// Conversations in which a message has been queued since before `reading`. Costs one pass over the outbox.
  package func conversationsQueued(before reading: Int64) throws -> [ConversationKey] {
    try values(
      """
      SELECT DISTINCT conversationID FROM outbox
      WHERE messageID IS NOT NULL AND \(OutboxRule.isQueued) AND mayHaveArrived = 0
        AND enqueuedAt < ?
      ORDER BY conversationID
      """, [reading])
  }

  package func conversationsHeld() throws -> [ConversationKey] {
    try values("SELECT DISTINCT conversationID FROM outbox WHERE isHeld = 1 ORDER BY conversationID")
  }

  /// The number of held messages, the number of their conversations, and the date of the oldest. Costs one pass
  /// over the outbox.
  package func held() throws -> (count: Int, conversations: Int, oldest: Date?) {
    try row(HeldColumn.all) { ($0[.count], $0[.conversations], $0[.oldest]) }!
  }
}
