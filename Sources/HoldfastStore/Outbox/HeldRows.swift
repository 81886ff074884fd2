import Foundation
import GRDB
import HoldfastCore

extension Transaction {
  /// Holds all messages that are queued in a conversation, so that what was written together stays together. What has
  /// left and may have arrived goes on: only sending it again tells whether it did. Operations are never held
  /// themselves: they wait with their message.
  package func hold(_ conversation: ConversationID) throws {
    try run(
      """
      UPDATE outbox SET isHeld = 1
      WHERE conversationID = ? AND messageID IS NOT NULL AND parkedCode IS NULL AND isHeld = 0
        AND mayHaveArrived = 0
      """, [conversation.rawValue])
    guard changedRows > 0 else { return }
    changes.timelines.insert(conversation)
    changes.outbox = true
  }

  /// Puts all that is held back into the queue, in its order, with the operations on it and with all its attempts,
  /// behind what passed it. It has not waited from now on: its user has just said that it is to go.
  package func releaseHeld(at reading: Int64) throws {
    let conversations = try db.conversationsHeld()
    guard !conversations.isEmpty else { return }
    // Moved as a block: the order within it stays, and no position is taken. Operations stand behind their messages,
    // so that the first of the block is a message.
    let offsets = try db.row(
      """
      SELECT (SELECT max(position) FROM outbox) - min(o.position) + 1,
        (SELECT max(position) FROM message) - min(m.position) + 1
      FROM outbox o JOIN message m ON m.id = o.messageID WHERE o.isHeld = 1
      """)!
    try run(
      """
      UPDATE message SET position = position + ?
      WHERE id IN (SELECT messageID FROM outbox WHERE isHeld = 1)
      """, [offsets[1] as Int64])
    try run(
      """
      UPDATE outbox SET position = position + ? WHERE isHeld = 1 OR operationID IN (
        SELECT p.id FROM operation p JOIN outbox t ON t.messageID = p.messageID WHERE t.isHeld = 1)
      """, [offsets[0] as Int64])
    try run("UPDATE outbox SET isHeld = 0, attempts = 0, enqueuedAt = ? WHERE isHeld = 1", [reading])
    changes.timelines.formUnion(conversations)
    changes.lanes.formUnion(conversations)
    changes.outbox = true
  }

  /// Removes what is held in a conversation from queue and timeline, and gives what they consisted of, in their order.
  package func removeHeld(in conversation: ConversationID) throws -> [(id: MessageID, content: DraftContent)]
  {
    let held = try db.rows(
      "SELECT messageID FROM outbox WHERE conversationID = ? AND isHeld = 1 ORDER BY position",
      [conversation.rawValue]
    ) { MessageID(rawValue: $0[0]) }
    return try held.map { ($0, try takeUnsent($0)) }
  }
}

extension Database {
  /// Conversations in which a message has been queued since before `reading`. Costs one pass over the outbox.
  package func conversationsQueued(before reading: Int64) throws -> [ConversationID] {
    try rows(
      """
      SELECT DISTINCT conversationID FROM outbox
      WHERE messageID IS NOT NULL AND parkedCode IS NULL AND isHeld = 0 AND mayHaveArrived = 0
        AND enqueuedAt < ?
      ORDER BY conversationID
      """, [reading]
    ) { ConversationID(rawValue: $0[0]) }
  }

  package func conversationsHeld() throws -> [ConversationID] {
    try rows("SELECT DISTINCT conversationID FROM outbox WHERE isHeld = 1 ORDER BY conversationID") {
      ConversationID(rawValue: $0[0])
    }
  }

  /// How many are held, in how many conversations, and when the oldest was written. Costs one pass over the outbox.
  package func heldMessages() throws -> (count: Int, conversations: Int, oldest: Date?) {
    let held = try row(
      """
      SELECT count(*), count(DISTINCT o.conversationID), min(m.createdAt)
      FROM outbox o JOIN message m ON m.id = o.messageID WHERE o.isHeld = 1
      """)!
    return (held[0], held[1], (held[2] as Int64?).map(Date.init(microseconds:)))
  }
}
