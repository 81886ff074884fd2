import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The relation of a server's name (rule B1) to the messages on this device.
///
/// A server may send a message under its own name only. The name is then the message's ID. An own message can arrive
/// twice: its acknowledgement has our ID, and its echo has the name. One row is left, in either order of arrival.
///
/// ```
///   acknowledgement: ours = A, name = $1 ──► A has its name ──► echo: ID $1 ──► is A
///   echo: ID $1 ──► row $1 ──► acknowledgement: ours = A, name = $1 ──► A replaces row $1
/// ```
package enum ServerNaming: Equatable {
  /// No other message has the name.
  case isFree
  /// The message is stored under this ID. The server sent only its name.
  case of(MessageID)
  /// The echo is stored under this ID, which is its name, because it arrived before our ID did.
  case echo(MessageID)
  /// Another message has the name. Either the server or the network is wrong.
  case isTaken
}

extension MessageRows where Access == Transaction {
  func naming(of message: IncomingMessage, in conversation: ConversationKey) throws -> ServerNaming {
    guard let name = message.serverID, MessageID.isWellFormed(name), let holder = try holder(of: name),
      holder != message.id
    else { return .isFree }
    if message.id.rawValue.hasSameBytes(as: name) { return .of(holder) }
    guard holder.rawValue.hasSameBytes(as: name) else { return .isTaken }
    guard let known = try known(message.id) else { return .of(holder) }
    return try isEcho(holder, of: known, in: conversation) ? .echo(holder) : .isTaken
  }

  package func naming(
    of receipt: Receipt, _ known: KnownMessage, in conversation: ConversationKey
  ) throws -> ServerNaming {
    guard let name = receipt.serverID, MessageID.isWellFormed(name), let holder = try holder(of: name),
      holder != receipt.id
    else { return .isFree }
    let isUnderItsName = holder.rawValue.hasSameBytes(as: name)
    return try isUnderItsName && isEcho(holder, of: known, in: conversation) ? .echo(holder) : .isTaken
  }

  /// Stores the name of a message, in the transaction in which it arrived. The first name is kept. A row that has
  /// the name as its ID is deleted: the message gets its place, its state, and its reactions and operations.
  package func keep(
    _ naming: ServerNaming, _ name: String?, of id: MessageID, in conversation: ConversationKey
  ) throws {
    guard let name else { return }
    if case .echo(let echo) = naming { try takeIn(echo, into: id, in: conversation) }
    try run("UPDATE message SET serverID = ? WHERE id = ? AND serverID IS NULL", [name, id.rawValue])
  }

  /// Stores the name of a reaction from its acknowledgement. The state with the reaction may arrive before or after
  /// the acknowledgement. Until then the operation stays applied over the row, which looks the same with or without
  /// the reaction.
  func keepName(
    _ name: String, ofReaction pending: PendingOperation, by user: UserID, before revision: Int64
  ) throws {
    let isAwaited = try exists(
      "SELECT 1 FROM message WHERE id = ? AND revision < ? AND deletedAt IS NULL",
      [pending.target.rawValue, revision])
    guard !isAwaited else {
      return try db.operations.insertReaction(
        IncomingMessage.Reaction(pending.content.text, from: user, serverID: name), to: pending.target,
        in: pending.conversation)
    }
    try run(
      "UPDATE reaction SET serverID = ? WHERE messageID = ? AND sender = ? AND value = ? AND serverID IS NULL",
      [name, pending.target.rawValue, user.rawValue, pending.content.text])
  }

  /// Whether the server has sent this message under another name before, so that this one is a second copy.
  func isCopy(_ message: IncomingMessage) throws -> Bool {
    guard let name = message.serverID else { return false }
    return try exists(
      "SELECT 1 FROM message WHERE id = ? AND serverID IS NOT NULL AND serverID <> ?",
      [message.id.rawValue, name])
  }

  /// Gives a message the server's name as its ID, if its own ID is taken by another message: from another sender, or
  /// in another conversation under another name. If a server names messages itself, clients write our IDs, and a
  /// client can write one that it has read. IDs of messages that were deleted here are taken too.
  func setApart(_ message: inout IncomingMessage, in conversation: ConversationKey) throws {
    guard let name = message.serverID, MessageID.isWellFormed(name),
      !message.id.rawValue.hasSameBytes(as: name)
    else { return }
    guard let known = try known(message.id) else {
      let isForgotten = try exists(
        "SELECT 1 FROM forgottenMessage WHERE id = ? AND conversationID <> ? AND serverID <> ?",
        [message.id.rawValue, conversation.rawValue, name])
      if isForgotten { message.id = MessageID(rawValue: name) }
      return
    }
    guard !known.isStreaming else { return }
    let isElsewhere = try localDeletions.origin(of: known.conversation) != conversation && isCopy(message)
    let isAnothers = try known.sender != message.sender && !isNamed(message.id, name)
    if isElsewhere || isAnothers { message.id = MessageID(rawValue: name) }
  }

  private func isNamed(_ id: MessageID, _ name: String) throws -> Bool {
    try exists("SELECT 1 FROM message WHERE id = ? AND serverID = ?", [id.rawValue, name])
  }

  /// Whether a row under a name can be the echo of a message: it has the same sender and conversation.
  private func isEcho(
    _ echo: MessageID, of known: KnownMessage, in conversation: ConversationKey
  ) throws -> Bool {
    guard let found = try self.known(echo), !found.isUnconfirmed, !found.isStreaming, !known.isStreaming
    else { return false }
    return found.sender == known.sender && found.conversation == conversation
      && known.conversation == conversation
  }

  private func takeIn(_ echo: MessageID, into id: MessageID, in conversation: ConversationKey) throws {
    let isChanged = try exists("SELECT 1 FROM message WHERE id = ? AND revision > 0", [echo.rawValue])
    if isChanged { try run(stateMovement, [id.rawValue, echo.rawValue]) }
    for statement in movements { try run(statement, [id.rawValue, echo.rawValue]) }
    try run("DELETE FROM message WHERE id = ?", [echo.rawValue])
    if try exists("SELECT 1 FROM message WHERE id = ? AND deletedAt IS NOT NULL", [id.rawValue]) {
      try db.attachments.remove(from: id)
      changes.deletedTexts = true
    }
    changes.noteMessage(in: conversation)
  }

  /// Whether an imported message is present under another ID, because the server sent its name and not our ID.
  package func isHere(
    underName name: String?, besides id: String?, sender: UserID, in conversation: ConversationKey
  ) throws -> Bool {
    guard let name, let holder = try holder(of: name), holder.rawValue != id,
      let known = try known(holder)
    else { return false }
    return known.sender == sender && known.conversation == conversation
  }

  /// The message that has the name, either as its name or as its ID.
  func holder(of name: String) throws -> MessageID? {
    try value("SELECT id FROM message WHERE serverID = ? LIMIT 1", [name])
      ?? value("SELECT id FROM message WHERE id = ?", [name])
  }
}

extension MessageRows {
  /// The server's name of a message. `id` may be that name itself. Nil when the message has none, or is absent.
  func serverID(of id: MessageID) throws -> String? {
    try value("SELECT serverID FROM message WHERE id = ?", [try knownID(id).rawValue])
  }

  func serverID(
    ofReaction value: String, to id: MessageID, from sender: UserID
  ) throws -> String? {
    try self.value(
      "SELECT serverID FROM reaction WHERE messageID = ? AND sender = ? AND value = ?",
      [id.rawValue, sender.rawValue, value])
  }

  /// The local ID of a message, given its ID or the server's name.
  package func knownID(_ id: MessageID) throws -> MessageID {
    guard id.isWellFormed, try !exists("SELECT 1 FROM message WHERE id = ?", [id.rawValue]) else { return id }
    return try value("SELECT id FROM message WHERE serverID = ? LIMIT 1", [id.rawValue]) ?? id
  }
}

private let stateMovement = """
  UPDATE message SET (\(MessageContent.columns), revision, editedAt, deletedAt, editID) =
    (SELECT \(MessageContent.columns), revision, editedAt, deletedAt, editID FROM message WHERE id = ?2) WHERE id = ?1
  """

/// The statements that move place, reactions and operations from the echo's row to the message's own row. Replies to
/// the echo are unchanged: they find the message by its name.
private let movements = [
  """
  UPDATE message SET (serverOrder, place, createdAt) =
    (SELECT serverOrder, place, createdAt FROM message WHERE id = ?2) WHERE id = ?1 AND serverOrder IS NULL
  """,
  "UPDATE OR IGNORE reaction SET messageID = ?1 WHERE messageID = ?2",
  "UPDATE OR IGNORE reactionTurn SET messageID = ?1 WHERE messageID = ?2",
  "UPDATE operation SET messageID = ?1 WHERE messageID = ?2",
]
