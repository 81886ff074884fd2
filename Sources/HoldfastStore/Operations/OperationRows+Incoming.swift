import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// Operations that arrive as events (rule B2). Which of two operations wins is decided by the server's time and name
/// of each, and never by the order of arrival, so that all devices converge.
///
/// ```
///   its message is stored and confirmed ──► carried out, if it is the newest on its text or its reaction
///   not yet                             ──► waits: WaitingOperationRows
/// ```
extension OperationRows where Access == Transaction {
  /// The effect of an incoming operation on this device.
  package enum OperationEffect: Equatable, Sendable {
    case carriedOut, waits, nothing
    /// The operation is invalid: malformed, or an edit by someone other than the sender.
    case refused
  }

  package func apply(
    _ operation: IncomingOperation, in conversation: ConversationKey, by user: UserID
  ) throws -> OperationEffect {
    guard Reconciler.isPlausible(operation) else { return .refused }
    let id = try db.messages.knownID(operation.operation.target)
    guard let known = try db.messages.known(id) else {
      return try applyWithoutMessage(operation, in: conversation)
    }
    guard localDeletions.origin(of: known.conversation) == conversation else { return .refused }
    guard !known.isUnconfirmed, !known.isStreaming else {
      try keepWaiting(operation, in: conversation)
      return .waits
    }
    guard operation.operation.kind != .edit || operation.sender.account == known.sender.account else {
      return .refused
    }
    var operation = operation
    operation.operation.target = id
    return try carryOut(operation, in: known.conversation) ? .carriedOut : .nothing
  }

  /// Handles a deletion whose target is a reaction or an edit, and an operation whose message is absent.
  private func applyWithoutMessage(
    _ operation: IncomingOperation, in conversation: ConversationKey
  ) throws -> OperationEffect {
    let name = operation.operation.target.rawValue
    if operation.operation.kind == .delete,
      let reaction = try row(NamedReactionColumn.named, [name], NamedReaction.init)
    {
      guard try db.messages.known(reaction.message)?.conversation == conversation else { return .refused }
      let turn = ReactionTurn(reaction.value, from: reaction.sender, at: operation.createdAt, name: name)
      return try apply(turn, isAdded: false, on: reaction.message, in: conversation) ? .carriedOut : .nothing
    }
    // The deletion of only the edit whose text is shown. The server then shows the text before it, which no client
    // has.
    if try exists("SELECT 1 FROM message WHERE editID = ? LIMIT 1", [name]) { return .nothing }
    guard !db.localDeletions.isHidden(conversation) else { return .nothing }
    try keepWaiting(operation, in: conversation)
    return .waits
  }

  private func carryOut(_ operation: IncomingOperation, in conversation: ConversationKey) throws -> Bool {
    let id = operation.operation.target
    guard try !exists("SELECT 1 FROM message WHERE id = ? AND deletedAt IS NOT NULL", [id.rawValue]) else {
      return false
    }
    switch operation.operation.kind {
    case .edit: return try applyEdit(operation, in: conversation)
    case .delete:
      try write(
        operation.operation, MessageContent(), in: conversation, by: operation.sender, at: operation.createdAt
      )
      try db.attachments.remove(from: id)
      try forgetWaiting(for: id)
      changes.noteEntry(in: conversation)
      changes.lanes.insert(conversation)
      return true
    case .react, .unreact:
      let turn = ReactionTurn(
        operation.content.text, from: operation.sender, at: operation.createdAt, name: operation.serverID)
      return try apply(turn, isAdded: operation.operation.kind == .react, on: id, in: conversation)
    }
  }

  // MARK: Edits

  private func applyEdit(_ edit: IncomingOperation, in conversation: ConversationKey) throws -> Bool {
    let id = edit.operation.target
    guard let stored = try row(EditColumn.message, [id.rawValue], StoredEdit.init), stored.isBefore(edit)
    else {
      return false
    }
    let content = edit.content.storable
    try write(edit.operation, content, in: conversation, by: edit.sender, at: edit.createdAt)
    try noteEdit(edit.serverID ?? "", of: id)
    // An edit that was deleted alone is kept, whichever arrived first.
    if let name = edit.serverID { try forgetWaiting(for: MessageID(rawValue: name)) }
    changes.noteEntry(in: conversation)
    return true
  }

  /// Records which edit made the text, for the order among edits that arrive as events. Nil for an edit from an
  /// acknowledgement without a name.
  func noteEdit(_ name: String?, of id: MessageID) throws {
    try run("UPDATE message SET editID = ? WHERE id = ?", [name, id.rawValue])
  }

  /// Whether a carried out operation is newer than all that have arrived as events. An acknowledgement may arrive
  /// late.
  func isNewest(_ pending: PendingOperation, _ receipt: Receipt, by user: UserID) throws -> Bool {
    let accepted = (receipt.createdAt, receipt.serverID ?? "")
    switch pending.kind {
    case .delete: return true
    case .edit:
      let stored = try row(EditColumn.message, [pending.target.rawValue], StoredEdit.init)
      guard let at = stored?.at, let name = stored?.name else { return true }
      return (at, name) < accepted
    case .react, .unreact:
      let stored = try turn(of: pending.content.text, from: user, on: pending.target)
      return stored.map { $0 < accepted } ?? true
    }
  }

  // MARK: Reactions

  /// Adds or removes a reaction, unless it was changed by something newer.
  private func apply(
    _ turn: ReactionTurn, isAdded: Bool, on id: MessageID, in conversation: ConversationKey
  ) throws -> Bool {
    let arguments: StatementArguments = [id.rawValue, turn.sender.rawValue, turn.value]
    let stored = try self.turn(of: turn.value, from: turn.sender, on: id)
    if let stored, stored >= (turn.at, turn.name ?? "") { return false }
    // The reaction may have been removed by its name before it arrived.
    let isTakenBack = try isAdded && turn.name.map(isTakenBack) ?? false
    if isTakenBack, let name = turn.name { try forgetWaiting(for: MessageID(rawValue: name)) }
    try run(
      """
      INSERT INTO reactionTurn (messageID, sender, value, createdAt, serverID) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET createdAt = excluded.createdAt, serverID = excluded.serverID
      """, arguments + [turn.at.microseconds, turn.name ?? ""])
    if isAdded, !isTakenBack {
      try insertReaction(
        IncomingMessage.Reaction(turn.value, from: turn.sender, serverID: turn.name), to: id, in: conversation
      )
    } else {
      try run("DELETE FROM reaction WHERE messageID = ? AND sender = ? AND value = ?", arguments)
    }
    // A revision above 0 marks that there may be reactions.
    try run("UPDATE message SET revision = revision + 1 WHERE id = ?", [id.rawValue])
    changes.noteEntry(in: conversation)
    return true
  }
}

extension OperationRows {
  /// The time and the server's name of the last event that added or removed a reaction.
  fileprivate func turn(
    of value: String, from sender: UserID, on id: MessageID
  ) throws -> (at: Date, name: String)? {
    try row(TurnColumn.one, [id.rawValue, sender.rawValue, value]) { row in
      (at: row[.createdAt] as Date, name: row[.serverID] as String)
    }
  }
}

/// One change of a reaction.
private struct ReactionTurn {
  let value: String
  let sender: UserID
  let at: Date
  let name: String?

  init(_ value: String, from sender: UserID, at: Date, name: String?) {
    (self.value, self.sender, self.at, self.name) = (value, sender, at, name)
  }
}

private struct NamedReaction {
  let message: MessageID
  let sender: UserID
  let value: String

  init(_ row: QueryRow<NamedReactionColumn>) {
    message = row[.messageID]
    sender = row[.sender]
    value = row[.value]
  }
}

/// The edit that made a message's present text.
private struct StoredEdit {
  /// Nil when the text is the original one.
  let at: Date?
  /// The server's name of the edit. Empty when it has none. Nil when the edit did not arrive as an event: an
  /// acknowledgement brought it, with a time that an event may correct.
  let name: String?
  let text: String

  init(_ row: QueryRow<EditColumn>) {
    (at, name, text) = (row[.editedAt], row[.editID], row[.body])
  }

  func isBefore(_ edit: IncomingOperation) -> Bool {
    guard let at else { return true }
    guard let name else { return edit.content.text.hasSameBytes(as: text) || at <= edit.createdAt }
    if let id = edit.serverID, id.hasSameBytes(as: name) { return at != edit.createdAt }
    if at != edit.createdAt { return at < edit.createdAt }
    return (name, text) < (edit.serverID ?? "", edit.content.text)
  }
}

private enum EditColumn: String, QueryColumn {
  case editedAt, editID, body

  static let message = select("FROM message WHERE id = ?")
}

private enum TurnColumn: String, QueryColumn {
  case createdAt, serverID

  static let one = select("FROM reactionTurn WHERE messageID = ? AND sender = ? AND value = ?")
}

private enum NamedReactionColumn: String, QueryColumn {
  case messageID, sender, value

  static let named = select("FROM reaction WHERE serverID = ? LIMIT 1")
}
