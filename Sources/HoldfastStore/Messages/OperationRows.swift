import Foundation
import GRDB
import HoldfastCore

/// A message that an operation is to change.
package struct OperationTarget: Equatable {
  package var conversation: ConversationID
  package var sender: UserID
  package var isDeleted: Bool
  package var isStreaming: Bool
  /// Whether the message is in the outbox and cannot be anywhere else.
  package var hasNotLeft: Bool
}

extension Transaction {
  /// Stores an operation, and puts it at the end of the outbox.
  package func insertOperation(
    _ id: MessageID, _ operation: MessageOperation, payload: String, formatting: Data? = nil,
    in conversation: ConversationID, now: Date, at reading: Int64
  ) throws {
    try run(
      "INSERT INTO operation (id, messageID, kind, payload, formatting, createdAt) VALUES (?, ?, ?, ?, ?, ?)",
      [
        id.rawValue, operation.target.rawValue, operation.kind.rawValue,
        operation.kind == .delete ? nil : payload, formatting, now.microseconds,
      ])
    try run(
      "INSERT INTO outbox (operationID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
      [id.rawValue, conversation.rawValue, reading])
    noteOperation(in: conversation)
    changes.lanes.insert(conversation)
  }

  /// Deletes operations, and their outbox entries.
  package func removeOperations(_ ids: [MessageID], in conversation: ConversationID) throws {
    // A trigger deletes the outbox entry of each operation.
    for id in ids { try run("DELETE FROM operation WHERE id = ?", [id.rawValue]) }
    noteOperation(in: conversation)
  }

  /// Replaces the text of a message that has not left. The replaced text was never sent, so that an edit that
  /// waited for the message is pointless and is deleted.
  package func rewriteUnsent(
    _ id: MessageID, body: String, formatting: Data?, in conversation: ConversationID
  ) throws {
    try run(
      "UPDATE message SET body = ?, formatting = ? WHERE id = ?", [body, formatting, id.rawValue])
    try run("DELETE FROM operation WHERE messageID = ? AND kind = 'edit'", [id.rawValue])
    noteOperation(in: conversation)
  }

  /// Moves the operations of a message behind it, in their order, after the message went to the end of the
  /// outbox.
  func moveOperations(behind id: MessageID) throws {
    let offset =
      try row(
        """
        SELECT (SELECT max(position) FROM outbox) - min(position) + 1 FROM outbox
        WHERE operationID IN (SELECT id FROM operation WHERE messageID = ?)
        """, [id.rawValue])?[0] as Int64?
    guard let offset else { return }
    try run(
      """
      UPDATE outbox SET position = position + ?
      WHERE operationID IN (SELECT id FROM operation WHERE messageID = ?)
      """, [offset, id.rawValue])
  }

  package func noteOperation(in conversation: ConversationID) {
    changes.timelines.insert(conversation)
    changes.outbox = true
    changes.list = true
  }
}

extension Reading {
  /// The message that an operation is to change. Nil when there is none.
  package func operationTarget(_ id: MessageID) throws -> OperationTarget? {
    guard id.isWellFormed else { return nil }
    return try row(
      """
      SELECT m.conversationID, m.sender, m.deletedAt IS NOT NULL, s.messageID IS NOT NULL,
        o.messageID IS NOT NULL AND NOT o.mayHaveArrived
      FROM message m
      LEFT JOIN outbox o ON o.messageID = m.id
      LEFT JOIN stream s ON s.messageID = m.id
      WHERE m.id = ?
      """, [id.rawValue]
    ).map {
      OperationTarget(
        conversation: ConversationID(rawValue: $0[0]), sender: UserID(rawValue: $0[1]), isDeleted: $0[2],
        isStreaming: $0[3], hasNotLeft: $0[4])
    }
  }

  package func pendingOperation(_ id: MessageID) throws -> PendingOperation? {
    try row(
      """
      SELECT o.conversationID, p.messageID, p.kind, p.payload, p.formatting, o.mayHaveArrived
      FROM outbox o JOIN operation p ON p.id = o.operationID WHERE o.operationID = ?
      """, [id.rawValue]
    ).flatMap { row in
      guard let kind = MessageOperation.Kind(rawValue: row[2]) else { return nil }
      return PendingOperation(
        id: id, conversation: ConversationID(rawValue: row[0]), target: MessageID(rawValue: row[1]),
        kind: kind, payload: row[3] ?? "", formatting: row[4], mayHaveArrived: row[5])
    }
  }

  /// All operations on a message that its row does not have yet, in the order in which the server carries them
  /// out.
  package func operations(of id: MessageID) throws -> [StoredOperation] {
    try rows(Self.operationSQL + "p.messageID = ?" + Self.operationOrder, [id.rawValue]) {
      try Self.storedOperation($0)
    }.compactMap(\.self)
  }

  /// The same operations, for the newest `limit` messages of a conversation.
  package func operations(
    in conversation: ConversationID, limit: Int
  ) throws -> [MessageID: [StoredOperation]] {
    let found = try rows(
      Self.operationSQL + Self.onPage + Self.operationOrder, [conversation.rawValue, limit]
    ) { (message: MessageID(rawValue: $0[1]), operation: try Self.storedOperation($0)) }
    return found.reduce(into: [:]) { operations, row in
      if let operation = row.operation { operations[row.message, default: []].append(operation) }
    }
  }

  private static let operationSQL = """
    SELECT p.id, p.messageID, p.kind, p.payload, p.createdAt, p.acceptedRevision IS NOT NULL, o.mayHaveArrived,
      o.parkedCode, o.parkedExplanation, p.formatting
    FROM operation p LEFT JOIN outbox o ON o.operationID = p.id WHERE 
    """

  private static let operationOrder =
    " ORDER BY p.acceptedRevision IS NULL, p.acceptedRevision, o.position"

  /// An SQL condition that selects the newest messages of a conversation.
  static let onPage = """
    p.messageID IN (
      SELECT id FROM message WHERE conversationID = ? ORDER BY place DESC, position DESC LIMIT ?)
    """

  private static func storedOperation(_ row: Row) throws -> StoredOperation? {
    guard let kind = MessageOperation.Kind(rawValue: row[2]) else { return nil }
    let parkedCode: String? = row[7]
    return StoredOperation(
      id: MessageID(rawValue: row[0]), kind: kind, payload: row[3] ?? "", formatting: row[9],
      createdAt: Date(microseconds: row[4]), isAccepted: row[5], mayHaveArrived: row[6] ?? false,
      failure: parkedCode.map { FailureReason(.init(rawValue: $0), row[8] ?? "") })
  }
}
