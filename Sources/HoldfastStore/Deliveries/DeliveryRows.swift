import Foundation
import GRDB
import HoldfastCore

/// The outcomes of own messages, for an app that keeps its messages itself (rule L8).
package struct DeliveryRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var deliveries: DeliveryRows<Self> { DeliveryRows(db: self) }
}

/// Outcomes of own messages, for an app that keeps its messages itself (rule L8). The outcome is recorded in the
/// transaction that delivers or fails the message, so that a crash leaves both or neither.
extension DeliveryRows where Access == Transaction {
  fileprivate func record(_ records: Bool) throws {
    try db.settings.set(.recordsDeliveries, to: records)
    db.isRecordingDeliveries = records
  }

  /// Whether outcomes are recorded. Read once in a transaction.
  private func recordsOutcomes() throws -> Bool {
    if let known = db.isRecordingDeliveries { return known }
    let records = try areRecorded()
    db.isRecordingDeliveries = records
    return records
  }

  /// Records the delivery of a message that is still in the outbox. A message that is already delivered is not
  /// recorded a second time.
  func noteConfirmation(
    of id: MessageID, in conversation: ConversationKey, order: Int64?, at date: Date
  ) throws {
    guard try recordsOutcomes(), try exists("SELECT 1 FROM outbox WHERE messageID = ?", [id.rawValue]) else {
      return
    }
    try note(of: id, in: conversation, order: order, at: date)
  }

  /// Records that a message is delivered: the server has it, or it is stored in a conversation on this device alone.
  package func note(
    of id: MessageID, in conversation: ConversationKey, order: Int64? = nil, at date: Date
  ) throws {
    guard try recordsOutcomes() else { return }
    try run(
      """
      INSERT INTO delivery (number, messageID, conversationID, serverOrder, deliveredAt) VALUES (?, ?, ?, ?, ?)
      """, [try db.settings.nextRevision(), id.rawValue, conversation.rawValue, order, date.microseconds])
    changes.deliveries = true
  }

  /// Whether the failure of this entry has to be recorded: it is a message, and has not failed already.
  func isFailureToBeNoted(of entry: OutboxEntry) throws -> Bool {
    guard !entry.isOperation, try recordsOutcomes() else { return false }
    return try exists("SELECT 1 FROM outbox WHERE position = ? AND parkedCode IS NULL", [entry.position])
  }

  /// Records that a message has failed. An operation is not recorded, and neither is a message that its user has
  /// deleted meanwhile.
  package func noteFailure(
    of entry: OutboxEntry, in conversation: ConversationKey, reason: FailureReason
  ) throws {
    guard !entry.isOperation, try recordsOutcomes(),
      try exists("SELECT 1 FROM outbox WHERE messageID = ?", [entry.id.rawValue])
    else { return }
    try run(
      """
      INSERT INTO delivery (number, messageID, conversationID, failedCode, failedExplanation) VALUES (?, ?, ?, ?, ?)
      """,
      [
        try db.settings.nextRevision(), entry.id.rawValue, conversation.rawValue, reason.code.rawValue,
        reason.explanation.storable,
      ])
    changes.deliveries = true
  }

  /// Deletes the outcomes up to a number. With `andMessages`, the delivered messages are deleted too, and their
  /// echoes do not restore them. A message that an unsent operation, a draft or Undo may still need is kept, with
  /// its outcome.
  package func forget(upTo number: Int64, andMessages: Bool) throws {
    if andMessages {
      let messages = try rows(ForgettableColumn.delivered, [number]) { row in
        (id: row[.messageID] as MessageID, conversation: row[.conversationID] as ConversationKey)
      }
      for message in messages {
        try run(
          """
          INSERT INTO forgottenMessage (id, conversationID, serverID)
          SELECT id, conversationID, serverID FROM message WHERE id = ? ON CONFLICT DO NOTHING
          """, [message.id.rawValue])
        try db.conversations.removeHere(message.id, in: message.conversation)
      }
    }
    try run(
      """
      DELETE FROM delivery WHERE number <= ?1
        AND NOT (?2 AND deliveredAt IS NOT NULL AND messageID IN (SELECT id FROM message))
      """, [number, andMessages])
  }
}

private enum ForgettableColumn: String, QueryColumn {
  case messageID = "m.id"
  case conversationID = "m.conversationID"

  /// The delivered messages that no unsent item refers to.
  static let delivered = select(
    """
    FROM message m WHERE m.id IN (SELECT messageID FROM delivery WHERE number <= ? AND deliveredAt IS NOT NULL)
      AND m.conversationID \(DeletionRule.notDeleted)
      AND m.id NOT IN (
        SELECT messageID FROM operation
        UNION SELECT messageID FROM outbox WHERE messageID IS NOT NULL
        UNION SELECT replyTo FROM draft WHERE replyTo IS NOT NULL
        UNION SELECT editing FROM draft WHERE editing IS NOT NULL)
    """)
}

private enum DeliveryColumn: String, QueryColumn {
  case number, messageID, conversationID, serverOrder, deliveredAt, failedCode, failedExplanation
  /// The server's ID of a delivered message. It is read from the message's row, because an event may bring it later
  /// than the acknowledgement.
  case serverID = """
    CASE WHEN deliveredAt IS NOT NULL THEN coalesce(
      (SELECT m.serverID FROM message m WHERE m.id = delivery.messageID),
      (SELECT f.serverID FROM forgottenMessage f WHERE f.id = delivery.messageID)) END
    """

  static let next = select("FROM delivery WHERE number > ? ORDER BY number LIMIT ?")
}

extension DeliveryRows {
  /// Whether a client of this store has chosen to record outcomes.
  fileprivate func areRecorded() throws -> Bool { try db.settings.value(.recordsDeliveries) ?? false }

  /// The next outcomes after a number, in order.
  package func next(after number: Int64, limit: Int) throws -> [OutboxOutcome] {
    try rows(DeliveryColumn.next, [number, limit]) { row in
      OutboxOutcome(
        number: row[.number], message: row[.messageID], conversation: try name(of: row[.conversationID]),
        order: row[.serverOrder], serverID: row[.serverID], deliveredAt: row[.deliveredAt],
        failure: row.failure(.failedCode, .failedExplanation))
    }
  }
}

extension Store {
  /// Stores whether outcomes are recorded. Writes nothing if the value is unchanged.
  package func recordDeliveries(_ records: Bool) throws(ChatError) {
    guard try read({ try $0.deliveries.areRecorded() }) != records else { return }
    try write { try $0.deliveries.record(records) }
  }
}
