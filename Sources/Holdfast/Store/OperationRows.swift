import Foundation
import GRDB

/// Something done to a message, as stored: it waits in the outbox, has failed there, or has been accepted and waits
/// for the message's new state to come.
struct StoredOperation: Equatable, Sendable {
  var id: MessageID
  var kind: MessageOperation.Kind
  /// The new text, or the reaction. Empty for a deletion.
  var payload: String
  /// Of an edit: mentions and spans of the new text.
  var formatting: Data?
  var createdAt: Date
  /// The server has carried it out.
  var isAccepted: Bool
  /// The server may have it: it has left, and nothing was heard of it.
  var mayHaveArrived: Bool
  var failure: FailureReason?
}

/// A message that something is to be done to.
struct OperationTarget: Equatable {
  var conversation: ConversationID
  var sender: UserID
  var isDeleted: Bool
  var isStreaming: Bool
  /// It is in the outbox, and nothing of it can be anywhere else.
  var hasNotLeft: Bool
}

/// An operation whose answer is awaited.
struct PendingOperation: Equatable {
  var id: MessageID
  var conversation: ConversationID
  var target: MessageID
  var kind: MessageOperation.Kind
  var payload: String
  /// Of an edit: mentions and spans of the new text.
  var formatting: Data?
  /// It has left this device, and the server has not said since that it has not carried it out.
  var mayHaveArrived: Bool
}

extension Transaction {
  /// Stores an operation, and puts it behind everything in the outbox.
  func insertOperation(
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

  /// Takes operations away, and out of the outbox.
  func removeOperations(_ ids: [MessageID], in conversation: ConversationID) throws {
    // A trigger takes each one's place in the queue along.
    for id in ids { try run("DELETE FROM operation WHERE id = ?", [id.rawValue]) }
    noteOperation(in: conversation)
  }

  /// Another text for a message that has not left: nobody has seen the one before. An edit that waited for it has
  /// nothing to say any more.
  func rewriteUnsent(
    _ id: MessageID, body: String, formatting: Data?, in conversation: ConversationID
  ) throws {
    try run(
      "UPDATE message SET body = ?, formatting = ? WHERE id = ?", [body, formatting, id.rawValue])
    try run("DELETE FROM operation WHERE messageID = ? AND kind = 'edit'", [id.rawValue])
    noteOperation(in: conversation)
  }

  /// The operations of a message that went to the end of the queue follow it, in their order.
  func moveOperations(behind id: MessageID) throws {
    let offset =
      try db.row(
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

  /// The server has carried it out. It stays over the message until the state that shows it has come; a backend that
  /// does not count has none that could be waited for.
  func accept(_ pending: PendingOperation, _ receipt: Receipt, by user: UserID) throws {
    try run("DELETE FROM outbox WHERE operationID = ?", [pending.id.rawValue])
    if pending.kind == .delete { try removeAttachments(from: pending.target) }
    if let revision = receipt.revision {
      try run(
        "UPDATE operation SET acceptedRevision = ? WHERE id = ?", [revision, pending.id.rawValue])
      try removeShownOperations(of: pending.target)
    } else {
      try fold(pending, by: user, at: receipt.createdAt)
      try run("DELETE FROM operation WHERE id = ?", [pending.id.rawValue])
    }
    noteOperation(in: pending.conversation)
  }

  /// Takes over what the server says of a message that was changed.
  func takeState(of message: IncomingMessage) throws {
    let isDeleted = message.deletedAt != nil
    try run(
      """
      UPDATE message SET body = ?, reasoning = ?, replyTo = ?, formatting = ?, revision = ?, editedAt = ?,
        deletedAt = ? WHERE id = ?
      """,
      [
        isDeleted ? "" : message.body.storable, isDeleted ? nil : message.reasoning?.storable,
        isDeleted ? nil : message.replyTo?.rawValue, isDeleted ? nil : message.formatting,
        // Above 0 tells that there may be reactions.
        max(1, message.revision), message.editedAt?.microseconds, message.deletedAt?.microseconds,
        message.id.rawValue,
      ])
    try run("DELETE FROM reaction WHERE messageID = ?", [message.id.rawValue])
    for reaction in isDeleted ? [] : message.reactions { try insertReaction(reaction, to: message.id) }
    try removeShownOperations(of: message.id)
    if isDeleted {
      try removeOperations(onDeleted: message.id)
      try removeAttachments(from: message.id)
      changes.deletedTexts = true
    }
    noteOperation(in: message.conversation)
    changes.lanes.insert(message.conversation)
  }

  /// What has failed, or the message that has failed, may make operations pointless. Nobody is asked about those.
  func dropWhatIsPointless(besideParked entry: OutboxEntry) throws {
    // The failed one is, when its message is deleted, or when a later one says the same thing anew.
    try run(
      """
      DELETE FROM operation WHERE id IN (
        SELECT p.id FROM outbox o JOIN operation p ON p.id = o.operationID JOIN message m ON m.id = p.messageID
        WHERE o.position = ?1 AND (m.deletedAt IS NOT NULL OR EXISTS (
          SELECT 1 FROM operation q JOIN outbox n ON n.operationID = q.id
          WHERE q.messageID = p.messageID AND n.position > o.position AND n.parkedCode IS NULL
            AND (q.kind = 'delete' OR (p.kind = 'edit' AND q.kind = 'edit')
              OR (p.kind IN ('react', 'unreact') AND q.kind IN ('react', 'unreact') AND q.payload = p.payload)))))
      """, [entry.position])
    guard
      let message = try db.row(
        "SELECT messageID, conversationID FROM outbox WHERE position = ? AND NOT mayHaveArrived AND messageID IS NOT NULL",
        [entry.position])
    else { return }
    try settleHere(MessageID(rawValue: message[0]), in: ConversationID(rawValue: message[1]))
  }

  /// The server does not have the message: what its sender did to it since it left is done on this device alone.
  private func settleHere(_ id: MessageID, in conversation: ConversationID) throws {
    let operations = try db.operations(of: id).filter { $0.failure == nil }
    if operations.contains(where: { $0.kind == .delete }) {
      try removeUnsent(id)
    } else if let edit = operations.last(where: { $0.kind == .edit }) {
      try rewriteUnsent(id, body: edit.payload, formatting: edit.formatting, in: conversation)
    }
  }

  /// The message's state shows these: they need not be laid over it any more.
  private func removeShownOperations(of id: MessageID) throws {
    try run(
      """
      DELETE FROM operation WHERE messageID = ?1
        AND acceptedRevision <= (SELECT revision FROM message WHERE id = ?1)
      """, [id.rawValue])
  }

  /// What is on its way stays until its answer has come.
  private func removeOperations(onDeleted id: MessageID) throws {
    try run(
      """
      DELETE FROM operation WHERE messageID = ? AND NOT EXISTS (
        SELECT 1 FROM outbox o
        WHERE o.operationID = operation.id AND o.mayHaveArrived AND o.parkedCode IS NULL)
      """, [id.rawValue])
  }

  /// Carries out on the message's own row what the server has accepted.
  private func fold(_ operation: PendingOperation, by user: UserID, at date: Date) throws {
    let id = operation.target
    switch operation.kind {
    case .edit:
      try run(
        "UPDATE message SET body = ?, formatting = ?, editedAt = ? WHERE id = ?",
        [operation.payload, operation.formatting, date.microseconds, id.rawValue])
    case .delete:
      changes.deletedTexts = true
      try run(
        """
        UPDATE message SET body = '', reasoning = NULL, replyTo = NULL, formatting = NULL, deletedAt = ?
        WHERE id = ?
        """,
        [date.microseconds, id.rawValue])
      try run("DELETE FROM reaction WHERE messageID = ?", [id.rawValue])
      try removeOperations(onDeleted: id)
    case .react: try insertReaction(SentReaction(operation.payload, from: user), to: id)
    case .unreact:
      try run(
        "DELETE FROM reaction WHERE messageID = ? AND sender = ? AND value = ?",
        [id.rawValue, user.rawValue, operation.payload])
    }
    try run("UPDATE message SET revision = revision + 1 WHERE id = ?", [id.rawValue])
  }

  func insertReaction(_ reaction: SentReaction, to id: MessageID) throws {
    guard SentReaction.isWellFormed(reaction.value), reaction.sender.isWellFormed else { return }
    try run(
      "INSERT INTO reaction (messageID, sender, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [id.rawValue, reaction.sender.rawValue, reaction.value])
  }

  private func noteOperation(in conversation: ConversationID) {
    changes.timelines.insert(conversation)
    changes.outbox = true
    changes.list = true
  }
}

extension Database {
  /// The message that something is to be done to. Nil: there is none.
  func operationTarget(_ id: MessageID) throws -> OperationTarget? {
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

  func pendingOperation(_ id: MessageID) throws -> PendingOperation? {
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

  /// All that was done to a message and is not in its row yet, in the order in which the server carries it out.
  func operations(of id: MessageID) throws -> [StoredOperation] {
    try rows(Self.operationSQL + "p.messageID = ?" + Self.operationOrder, [id.rawValue]) {
      try Self.storedOperation($0)
    }.compactMap(\.self)
  }

  /// The same for the newest `limit` messages of a conversation.
  func operations(
    in conversation: ConversationID, limit: Int
  ) throws -> [MessageID: [StoredOperation]] {
    let found = try rows(
      Self.operationSQL + Self.onPage + Self.operationOrder, [conversation.rawValue, limit]
    ) { (message: MessageID(rawValue: $0[1]), operation: try Self.storedOperation($0)) }
    return found.reduce(into: [:]) { operations, row in
      if let operation = row.operation { operations[row.message, default: []].append(operation) }
    }
  }

  /// The reactions to the newest `limit` messages of a conversation.
  func reactions(in conversation: ConversationID, limit: Int) throws -> [MessageID: [SentReaction]] {
    let found = try rows(
      "SELECT p.messageID, p.sender, p.value FROM reaction p WHERE " + Self.onPage,
      [conversation.rawValue, limit]
    ) { (message: MessageID(rawValue: $0[0]), SentReaction($0[2], from: UserID(rawValue: $0[1]))) }
    return found.reduce(into: [:]) { $0[$1.message, default: []].append($1.1) }
  }

  func reactions(to id: MessageID) throws -> [SentReaction] {
    try rows("SELECT value, sender FROM reaction WHERE messageID = ?", [id.rawValue]) {
      SentReaction($0[0], from: UserID(rawValue: $0[1]))
    }
  }

  private static let operationSQL = """
    SELECT p.id, p.messageID, p.kind, p.payload, p.createdAt, p.acceptedRevision IS NOT NULL, o.mayHaveArrived,
      o.parkedCode, o.parkedExplanation, p.formatting
    FROM operation p LEFT JOIN outbox o ON o.operationID = p.id WHERE 
    """

  private static let operationOrder =
    " ORDER BY p.acceptedRevision IS NULL, p.acceptedRevision, o.position"

  private static let onPage = """
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
