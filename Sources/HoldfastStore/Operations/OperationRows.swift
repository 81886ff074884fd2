import Foundation
import GRDB
import HoldfastCore

/// The changes of messages: edits, deletions and reactions.
package struct OperationRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var operations: OperationRows<Self> { OperationRows(db: self) }
}

/// A message that an operation is to change.
package struct OperationTarget: Equatable {
  package var conversation: ConversationKey
  package var sender: UserID
  package var isDeleted: Bool
  package var isStreaming: Bool
  /// Whether the message is a reply that was cut off on this device before it was ever whole.
  package var isCutOffHere: Bool
  /// Whether the message is a whole answer whose regeneration was cut off on this device.
  package var isRegenerationCutOff: Bool
  /// Whether the message is in the outbox and nowhere else.
  package var hasNotLeft: Bool
}

extension OperationRows where Access == Transaction {
  /// Stores an operation, and puts it at the end of the outbox.
  package func insert(
    _ id: MessageID, _ operation: MessageOperation, content: MessageContent,
    in conversation: ConversationKey,
    now: Date, at reading: Int64
  ) throws {
    try run(
      "INSERT INTO operation (id, messageID, kind, payload, formatting, createdAt) VALUES (?, ?, ?, ?, ?, ?)",
      [
        id.rawValue, operation.target.rawValue, operation.kind.rawValue,
        operation.kind == .delete ? nil : content.text, content.formatting, now.microseconds,
      ])
    if operation.isWhole {
      // The text and its formatting are stored already.
      let rest = ContentColumn.replaced.filter { $0 != .body && $0 != .formatting }
      try run(
        "UPDATE operation SET isWhole = 1, \(ContentColumn.assignments(of: rest)) WHERE id = ?",
        content.arguments(of: rest) + [id.rawValue])
    }
    try run(
      "INSERT INTO outbox (operationID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
      [id.rawValue, conversation.rawValue, reading])
    changes.noteEntry(in: conversation)
    changes.lanes.insert(conversation)
  }

  /// Deletes operations, and their outbox entries.
  package func remove(_ ids: [MessageID], in conversation: ConversationKey) throws {
    // A trigger deletes the outbox entry of each operation.
    for id in ids { try run("DELETE FROM operation WHERE id = ?", [id.rawValue]) }
    changes.noteEntry(in: conversation)
  }

  /// Replaces the text of an unsent message. The replaced text was never sent, so an edit that waited for the
  /// message is pointless and is deleted.
  package func rewriteUnsent(
    _ id: MessageID, to text: MessageContent.FormattedText, in conversation: ConversationKey
  ) throws {
    try run(textUpdate, text.arguments + [id.rawValue])
    try run("DELETE FROM operation WHERE messageID = ? AND kind = 'edit'", [id.rawValue])
    changes.noteEntry(in: conversation)
  }

  /// Moves the operations of a message after it, in their order, once the message has moved to the end of the
  /// outbox.
  func move(behind id: MessageID) throws {
    let offset: Int64? = try value(
      """
      SELECT (SELECT max(position) FROM outbox) - min(position) + 1 FROM outbox
      WHERE operationID IN (SELECT id FROM operation WHERE messageID = ?)
      """, [id.rawValue])
    guard let offset else { return }
    try run(
      """
      UPDATE outbox SET position = position + ?
      WHERE operationID IN (SELECT id FROM operation WHERE messageID = ?)
      """, [offset, id.rawValue])
  }
}

private enum TargetColumn: String, QueryColumn {
  case conversationID = "m.conversationID"
  case sender = "m.sender"
  case isDeleted = "m.deletedAt IS NOT NULL"
  case isStreaming = "s.messageID IS NOT NULL"
  case isCutOffHere = "s.isInterrupted IS 1 AND s.writer IS NOT NULL AND NOT s.regenerates"
  case isRegenerationCutOff = "s.isInterrupted IS 1 AND s.regenerates"
  case hasNotLeft = "o.messageID IS NOT NULL AND NOT o.mayHaveArrived"

  static let message = select(
    """
    FROM message m
    LEFT JOIN outbox o ON o.messageID = m.id
    LEFT JOIN stream s ON s.messageID = m.id
    WHERE m.id = ?
    """)
}

extension OperationTarget {
  fileprivate init(_ row: QueryRow<TargetColumn>) {
    conversation = row[.conversationID]
    sender = row[.sender]
    isDeleted = row[.isDeleted]
    isStreaming = row[.isStreaming]
    isCutOffHere = row[.isCutOffHere]
    isRegenerationCutOff = row[.isRegenerationCutOff]
    hasNotLeft = row[.hasNotLeft]
  }
}

private enum PendingColumn: String, ExtendingColumn {
  typealias Shared = OperationContentColumn

  case conversationID = "o.conversationID"
  case messageID = "p.messageID"
  case kind = "p.kind"
  case mayHaveArrived = "o.mayHaveArrived"

  static let operation = select(
    "FROM outbox o JOIN operation p ON p.id = o.operationID WHERE o.operationID = ?")
}

extension PendingOperation {
  /// Nil for a kind that this version does not know.
  fileprivate init?(_ id: MessageID, _ row: QueryRow<PendingColumn>) {
    guard let kind = MessageOperation.Kind(rawValue: row[.kind]) else { return nil }
    self.init(
      id: id, conversation: row[.conversationID], target: row[.messageID], kind: kind,
      content: MessageContent(row.shared), isWhole: row.shared[.isWhole], mayHaveArrived: row[.mayHaveArrived]
    )
  }
}

private enum OperationColumn: String, ExtendingColumn {
  typealias Shared = OperationContentColumn

  case id = "p.id"
  case messageID = "p.messageID"
  case kind = "p.kind"
  case createdAt = "p.createdAt"
  case isAccepted = "p.acceptedRevision IS NOT NULL"
  case mayHaveArrived = "o.mayHaveArrived"
  case position = "o.position"
  case attempts = "o.attempts"
  case parkedCode = "o.parkedCode"
  case parkedExplanation = "o.parkedExplanation"

  static let message = select(from + "p.messageID = ?" + order)
  static let page = select(from + operationsOnPage + order)

  private static let from = "FROM operation p LEFT JOIN outbox o ON o.operationID = p.id WHERE "
  private static let order = " ORDER BY p.acceptedRevision IS NULL, p.acceptedRevision, o.position"
}

extension StoredOperation {
  /// Nil for a kind that this version does not know.
  fileprivate init?(_ row: QueryRow<OperationColumn>) {
    guard let kind = MessageOperation.Kind(rawValue: row[.kind]) else { return nil }
    self.init(
      id: row[.id], kind: kind, content: MessageContent(row.shared), isWhole: row.shared[.isWhole],
      createdAt: row[.createdAt], isAccepted: row[.isAccepted], mayHaveArrived: row[.mayHaveArrived] ?? false,
      failure: row.failure(.parkedCode, .parkedExplanation))
    position = row[.position] ?? 0
    attempts = row[.attempts] ?? 0
  }
}

extension OperationRows {
  /// The message that an operation is to change. Nil when there is no such message.
  package func target(_ id: MessageID) throws -> OperationTarget? {
    guard id.isWellFormed else { return nil }
    return try row(TargetColumn.message, [id.rawValue], OperationTarget.init)
  }

  package func pending(_ id: MessageID) throws -> PendingOperation? {
    try row(PendingColumn.operation, [id.rawValue]) { PendingOperation(id, $0) } ?? nil
  }

  /// All operations on a message that are not yet in its row, in the order in which the server carries them out.
  package func all(of id: MessageID) throws -> [StoredOperation] {
    try rows(OperationColumn.message, [id.rawValue], StoredOperation.init).compactMap(\.self)
  }

  /// The same operations, for the newest `limit` messages of a conversation.
  package func all(
    in conversation: ConversationKey, limit: Int
  ) throws -> [MessageID: [StoredOperation]] {
    let found = try rows(OperationColumn.page, [conversation.rawValue, limit]) { row in
      (message: row[.messageID] as MessageID, operation: StoredOperation(row))
    }
    return found.reduce(into: [:]) { operations, row in
      if let operation = row.operation { operations[row.message, default: []].append(operation) }
    }
  }
}

private let textUpdate =
  "UPDATE message SET \(MessageContent.FormattedText.assignments) WHERE id = ?"

/// An SQL condition that selects the newest messages of a conversation.
let operationsOnPage = """
  p.messageID IN (
    SELECT id FROM message WHERE conversationID = ? ORDER BY place DESC, position DESC LIMIT ?)
  """
