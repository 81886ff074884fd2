import GRDB
import HoldfastCore

/// Conversations that the server has removed (rules B5, R5).
extension DeletionRows where Access == Transaction {
  /// Erases a conversation that was removed on the server. Its user's unsent contents are kept: messages in the
  /// outbox, the draft and the unfinished edit. The conversation then accepts no messages, and shows the reason.
  ///
  /// - Parameter aside: an unused key. The other messages are stored under it until they are erased.
  /// - Returns: whether something is kept.
  package func remove(_ id: ConversationKey, erasing aside: ConversationKey) throws -> Bool {
    guard try db.conversations.isHere(id) else { return false }
    // The user has already deleted it.
    guard !isHidden(id) else {
      try finish(of: id)
      return false
    }
    guard try hasUnsent(id) else {
      try hide(id, isFinal: true)
      return false
    }
    try empty(id, into: aside)
    try takeBackUnsent(from: aside, into: id)
    try finish(of: aside)
    try db.conversations.refuse(id, reason: FailureReason(.conversationRemoved))
    changes.lanes.insert(id)
    note(of: id)
    return true
  }

  private func hasUnsent(_ id: ConversationKey) throws -> Bool {
    try exists(
      """
      SELECT 1 FROM outbox WHERE conversationID = ?1 AND messageID IS NOT NULL
      UNION ALL
      SELECT 1 FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE c.id = ?1 AND \(DraftRule.isRestorable)
      """, [id.rawValue])
  }

  /// Moves the user's unsent contents back into a conversation that was emptied. An operation moves only with its
  /// message.
  private func takeBackUnsent(from aside: ConversationKey, into id: ConversationKey) throws {
    try run(
      """
      UPDATE message SET conversationID = ?1
      WHERE id IN (SELECT messageID FROM outboxAside WHERE conversationID = ?2 AND messageID IS NOT NULL)
      """, [id.rawValue, aside.rawValue])
    try run(
      """
      DELETE FROM outboxAside WHERE conversationID = ?2 AND operationID IS NOT NULL AND operationID NOT IN (
        SELECT p.id FROM operation p JOIN message m ON m.id = p.messageID WHERE m.conversationID = ?1)
      """, [id.rawValue, aside.rawValue])
    try putBackOutbox(of: aside)
    try run("UPDATE outbox SET conversationID = ? WHERE conversationID = ?", [id.rawValue, aside.rawValue])
    for table in ["draft", "draftVersion"] {
      try run(
        "UPDATE OR IGNORE \(table) SET conversationID = ? WHERE conversationID = ?",
        [id.rawValue, aside.rawValue])
    }
  }
}
