import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// Operations and read marks whose message is absent, or not confirmed yet (rule B2). They are carried out in the
/// transaction in which the message arrives. This user's own operations on a message that was cancelled in doubt
/// wait here too, and are sent then.
extension OperationRows where Access == Transaction {
  func keepWaiting(_ operation: IncomingOperation, in conversation: ConversationKey) throws {
    let content = operation.operation.kind == .delete ? MessageContent() : operation.content.storable
    try insertWaiting(
      operation.operation.target, kind: operation.operation.kind.rawValue, in: conversation,
      by: operation.sender, at: operation.createdAt, named: operation.serverID,
      content: try JSONEncoder().encode(content), isWhole: operation.operation.isWhole)
  }

  /// Stores a read mark. Only the last one of each reader waits.
  func keepWaiting(_ mark: IncomingItem.ReadMark, in conversation: ConversationKey, now: Date) throws {
    try run(
      "DELETE FROM waitingOperation WHERE conversationID = ? AND sender = ? AND kind = ?",
      [conversation.rawValue, mark.reader.rawValue, WaitingOperation.read])
    try insertWaiting(
      mark.message, kind: WaitingOperation.read, in: conversation, by: mark.reader, at: now, named: nil,
      content: nil, isWhole: false)
  }

  /// Stores this user's read mark at a message that no event has placed yet.
  ///
  /// - Parameter isPending: whether the server has to be notified.
  func keepWaiting(
    in conversation: ConversationKey, readUpTo message: MessageID, isPending: Bool
  ) throws {
    try insertWaiting(
      message, kind: WaitingOperation.readHere, in: conversation, by: UserID(rawValue: ""),
      at: Date(timeIntervalSince1970: 0), named: nil, content: nil, isWhole: isPending)
  }

  /// Stores this user's operations on a message that is about to be removed here, and that the server may have. They
  /// are sent when the server's copy of the message arrives.
  func keepForCopy(of message: MessageID, in conversation: ConversationKey) throws {
    for operation in try all(of: message) where operation.failure == nil && !operation.isAccepted {
      try insertWaiting(
        message, kind: WaitingOperation.here(operation.kind), in: conversation, by: UserID(rawValue: ""),
        at: operation.createdAt, named: operation.id.rawValue,
        content: try JSONEncoder().encode(operation.content), isWhole: operation.isWhole)
    }
  }

  private func insertWaiting(
    _ target: MessageID, kind: String, in conversation: ConversationKey, by sender: UserID, at date: Date,
    named name: String?, content: Data?, isWhole: Bool
  ) throws {
    try run(
      """
      INSERT INTO waitingOperation (conversationID, target, kind, sender, createdAt, serverID, content, isWhole)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        conversation.rawValue, target.rawValue, kind, sender.rawValue, date.microseconds, name ?? "", content,
        isWhole,
      ])
    db.mayHaveWaiting = true
    try run(
      "DELETE FROM waitingOperation WHERE number <= (SELECT max(number) FROM waitingOperation) - ?",
      [mostWaiting])
  }

  /// Carries out the operations and read marks that waited for a message, by its ID or by the server's name.
  ///
  /// - Parameter user: the owner of this device.
  package func carryOutWaiting(for id: MessageID, _ name: String?, by user: UserID) throws {
    guard db.mayHaveWaiting else { return }
    for target in Set([id.rawValue, name ?? id.rawValue]).sorted() {
      let waiting = try rows(WaitingColumn.target, [target], WaitingOperation.init)
      guard !waiting.isEmpty else { continue }
      try run("DELETE FROM waitingOperation WHERE target = ?", [target])
      for item in waiting { try carryOut(item, on: id, by: user) }
    }
  }

  private func carryOut(_ waiting: WaitingOperation, on id: MessageID, by user: UserID) throws {
    guard let conversation = try db.messages.known(id)?.conversation else { return }
    if waiting.kind == WaitingOperation.read {
      let mark = IncomingItem.ReadMark(
        conversation: name(of: conversation), reader: waiting.sender, message: id, order: nil)
      return try db.readMarks.apply(mark, in: conversation, by: user, now: waiting.createdAt)
    }
    if waiting.kind == WaitingOperation.readHere {
      return try db.readMarks.move(in: conversation, upTo: id, isPending: waiting.isWhole)
    }
    if let kind = waiting.kindHere { return try send(waiting, kind, on: id, in: conversation) }
    guard let kind = MessageOperation.Kind(rawValue: waiting.kind) else { return }
    let operation = IncomingOperation(
      MessageOperation(kind, of: id, isWhole: waiting.isWhole), waiting.content, in: name(of: conversation),
      by: waiting.sender, at: waiting.createdAt, serverID: waiting.name)
    _ = try apply(operation, in: whole(of: waiting.conversation), by: user)
  }

  /// Puts this user's operation into the outbox, once the server's copy of the message has arrived.
  private func send(
    _ waiting: WaitingOperation, _ kind: MessageOperation.Kind, on id: MessageID,
    in conversation: ConversationKey
  ) throws {
    let isDeleted = try exists(
      "SELECT 1 FROM message WHERE id = ? AND deletedAt IS NOT NULL", [id.rawValue])
    guard !isDeleted, let operation = waiting.name else { return }
    try insert(
      MessageID(rawValue: operation), MessageOperation(kind, of: id, isWhole: waiting.isWhole),
      content: waiting.content, in: conversation, now: waiting.createdAt,
      at: try db.settings.value(.waitingReading) ?? 0)
  }

  /// Whether a deletion waits for the item with this server's name.
  func isTakenBack(_ name: String) throws -> Bool {
    guard db.mayHaveWaiting else { return false }
    return try exists("SELECT 1 FROM waitingOperation WHERE target = ? AND kind = 'delete'", [name])
  }

  /// Drops the waiting operations of a deleted message, with the text of its edits.
  func forgetWaiting(for target: MessageID) throws {
    guard db.mayHaveWaiting else { return }
    try run("DELETE FROM waitingOperation WHERE target = ?", [target.rawValue])
  }

  /// Drops the waiting operations of a deleted conversation.
  func forgetWaiting(in conversation: ConversationKey) throws {
    guard db.mayHaveWaiting else { return }
    try run("DELETE FROM waitingOperation WHERE conversationID = ?", [conversation.rawValue])
  }
}

private struct WaitingOperation {
  /// The kind of a read mark.
  static let read = "read"
  /// The kind of this user's own read mark. `isWhole` says whether the server has to be notified.
  static let readHere = "readHere"

  /// The kind of this user's operation that waits for the server's copy of the message. The name is then the
  /// operation's ID.
  static func here(_ kind: MessageOperation.Kind) -> String { kind.rawValue + "Here" }

  /// This user's operation on the message. Nil for an operation from an event.
  var kindHere: MessageOperation.Kind? {
    kind.hasSuffix("Here") ? MessageOperation.Kind(rawValue: String(kind.dropLast(4))) : nil
  }

  let conversation: ConversationKey
  let kind: String
  let sender: UserID
  let createdAt: Date
  let name: String?
  let content: MessageContent
  let isWhole: Bool

  init(_ row: QueryRow<WaitingColumn>) {
    conversation = row[.conversationID]
    kind = row[.kind]
    sender = row[.sender]
    createdAt = row[.createdAt]
    let name: String = row[.serverID]
    self.name = name.isEmpty ? nil : name
    let content: Data? = row[.content]
    self.content =
      content.flatMap { try? JSONDecoder().decode(MessageContent.self, from: $0) } ?? MessageContent()
    isWhole = row[.isWhole]
  }
}

private enum WaitingColumn: String, QueryColumn {
  case conversationID, kind, sender, createdAt, serverID, content, isWhole

  static let target = select("FROM waitingOperation WHERE target = ? ORDER BY number")
}

extension OperationRows {
  func hasWaiting() throws -> Bool { try exists("SELECT 1 FROM waitingOperation LIMIT 1") }
}

/// The largest number of waiting operations. The oldest are dropped first: their messages may never arrive.
let mostWaiting = 1_000
