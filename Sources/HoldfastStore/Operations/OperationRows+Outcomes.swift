import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

private enum AbsentColumn: String, QueryColumn {
  case messageID, conversationID

  /// The message of an outbox entry, if the server does not have it.
  static let message = select(
    "FROM outbox WHERE position = ? AND NOT mayHaveArrived AND messageID IS NOT NULL")
}

/// The outcomes of operations, and of the messages that they change, after the server's response.
extension OperationRows where Access == Transaction {
  /// Takes an acknowledged operation out of the outbox. The operation stays applied over the message until a state
  /// of the message that includes it has arrived. A backend without revisions sends no such state, so the operation
  /// is written into the message's row at once.
  package func accept(_ pending: PendingOperation, _ receipt: Receipt, by user: UserID) throws {
    try run("DELETE FROM outbox WHERE operationID = ?", [pending.id.rawValue])
    if pending.kind == .delete { try db.attachments.remove(from: pending.target) }
    if let revision = receipt.revision {
      try run(
        "UPDATE operation SET acceptedRevision = ? WHERE id = ?", [revision, pending.id.rawValue])
      if pending.kind == .react, let name = receipt.serverID {
        try db.messages.keepName(name, ofReaction: pending, by: user, before: revision)
      }
      try removeShownOperations(of: pending.target)
    } else {
      if try isNewest(pending, receipt, by: user) {
        try write(
          MessageOperation(pending.kind, of: pending.target, isWhole: pending.isWhole), pending.content,
          in: pending.conversation, by: user, at: receipt.createdAt, named: receipt.serverID)
        if pending.kind == .edit { try noteEdit(receipt.serverID, of: pending.target) }
      }
      try run("DELETE FROM operation WHERE id = ?", [pending.id.rawValue])
    }
    changes.noteEntry(in: pending.conversation)
  }

  /// Stores the server's state of a message that was changed.
  package func applyState(of message: IncomingMessage, in conversation: ConversationKey) throws {
    let isDeleted = message.deletedAt != nil
    let content = isDeleted ? MessageContent() : message.content.storable
    try run(
      stateUpdate,
      content.arguments + [
        // A revision above 0 marks that there may be reactions.
        max(1, message.revision), message.editedAt?.microseconds, message.deletedAt?.microseconds,
        message.id.rawValue,
      ])
    try replaceReactions(to: message.id, with: isDeleted ? [] : message.reactions, in: conversation)
    try removeShownOperations(of: message.id)
    if isDeleted {
      try remove(onDeleted: message.id)
      try db.attachments.remove(from: message.id)
      try db.streams.removeVersions(ofDeleted: message.id)
      changes.deletedTexts = true
    }
    changes.noteEntry(in: conversation)
    changes.lanes.insert(conversation)
  }

  /// Drops operations that a failure makes pointless. Either the operation itself has failed, or its message has.
  /// The user is not asked about them.
  func dropPointless(besideFailed entry: OutboxEntry) throws {
    // A failed operation is pointless when its message is deleted, or when a later operation replaces it.
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
    let message = try row(AbsentColumn.message, [entry.position]) { row in
      (id: row[.messageID] as MessageID, conversation: row[.conversationID] as ConversationKey)
    }
    if let message { try carryOutHere(message.id, in: message.conversation) }
  }

  /// Carries out operations locally, because the server does not have the message. The sender made these operations
  /// since the message was sent.
  private func carryOutHere(_ id: MessageID, in conversation: ConversationKey) throws {
    let operations = try all(of: id).filter { $0.failure == nil }
    if operations.contains(where: { $0.kind == .delete }) {
      try db.outbox.removeUnsent(id)
    } else if let edit = operations.last(where: { $0.kind == .edit }) {
      try rewriteUnsent(id, to: edit.text, in: conversation)
    }
  }

  /// Removes the operations that the message's state already includes.
  private func removeShownOperations(of id: MessageID) throws {
    try run(
      """
      DELETE FROM operation WHERE messageID = ?1
        AND acceptedRevision <= (SELECT revision FROM message WHERE id = ?1)
      """, [id.rawValue])
  }

  /// Removes the operations on a deleted message. An operation in flight stays until its response has arrived.
  private func remove(onDeleted id: MessageID) throws {
    try run(
      """
      DELETE FROM operation WHERE messageID = ? AND NOT EXISTS (
        SELECT 1 FROM outbox o
        WHERE o.operationID = operation.id AND o.mayHaveArrived AND o.parkedCode IS NULL)
      """, [id.rawValue])
  }

  /// Carries out an operation in a local conversation.
  package func carryOutHere(
    _ operation: MessageOperation, content: MessageContent, in conversation: ConversationKey,
    by user: UserID, at date: Date
  ) throws {
    try write(operation, content, in: conversation, by: user, at: date)
    changes.noteEntry(in: conversation)
  }

  /// Writes a carried out operation into the message's row. `name` is the server's name of a reaction.
  func write(
    _ operation: MessageOperation, _ content: MessageContent, in conversation: ConversationKey,
    by user: UserID, at date: Date, named name: String? = nil
  ) throws {
    let id = operation.target
    // A deletion is final. It may have arrived before the acknowledgement of an earlier operation.
    guard try !exists("SELECT 1 FROM message WHERE id = ? AND deletedAt IS NOT NULL", [id.rawValue]) else {
      return
    }
    switch operation.kind {
    case .edit where operation.isWhole:
      try run(wholeEditUpdate, content.replacing + [date.microseconds, id.rawValue])
    case .edit:
      try run(editUpdate, content.formattedText.arguments + [date.microseconds, id.rawValue])
    case .delete:
      changes.deletedTexts = true
      try db.streams.removeVersions(ofDeleted: id)
      try run(deletionUpdate, MessageContent().arguments + [date.microseconds, id.rawValue])
      try run("DELETE FROM reaction WHERE messageID = ?", [id.rawValue])
      try remove(onDeleted: id)
    case .react:
      try insertReaction(
        IncomingMessage.Reaction(content.text, from: user, serverID: name), to: id, in: conversation)
    case .unreact:
      try run(
        "DELETE FROM reaction WHERE messageID = ? AND sender = ? AND value = ?",
        [id.rawValue, user.rawValue, content.text])
    }
    try run("UPDATE message SET revision = revision + 1 WHERE id = ?", [id.rawValue])
  }
}

private let stateUpdate = """
  UPDATE message SET \(MessageContent.assignments), revision = ?, editedAt = ?, deletedAt = ? WHERE id = ?
  """

private let editUpdate =
  "UPDATE message SET \(MessageContent.FormattedText.assignments), editedAt = ? WHERE id = ?"

private let wholeEditUpdate =
  "UPDATE message SET \(MessageContent.replacements), editedAt = ? WHERE id = ?"

private let deletionUpdate =
  "UPDATE message SET \(MessageContent.assignments), deletedAt = ? WHERE id = ?"
