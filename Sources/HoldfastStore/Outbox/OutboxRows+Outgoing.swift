import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

private enum OutgoingColumn: String, ExtendingColumn {
  typealias Shared = ContentColumn

  case conversationID = "m.conversationID"
  case sender = "m.sender"
  case role = "m.role"
  case createdAt = "m.createdAt"
  case members = "c.members"
  case isConfirmed = "c.isConfirmed"
  case customTitle = "CASE WHEN c.titleIsCustom THEN c.title END"
  case hasAttachments = "EXISTS (SELECT 1 FROM attachmentUse u WHERE u.messageID = m.id)"

  static let message = select(
    """
    FROM outbox o JOIN message m ON m.id = o.messageID JOIN conversation c ON c.id = m.conversationID
    WHERE o.position = ?
    """)
}

private enum OutgoingOperationColumn: String, ExtendingColumn {
  typealias Shared = OperationContentColumn

  case conversationID = "o.conversationID"
  case kind = "p.kind"
  case messageID = "p.messageID"
  case createdAt = "p.createdAt"

  static let operation = select(
    "FROM outbox o JOIN operation p ON p.id = o.operationID WHERE o.position = ?")
}

extension OutgoingMessage {
  fileprivate init(
    _ sent: OutboxLane.Transmission, in conversation: ConversationID, _ row: QueryRow<OutgoingColumn>
  ) {
    let isConfirmed: Bool = row[.isConfirmed]
    self.init(
      id: sent.id, conversation: conversation,
      // The server lists accounts only. A message names the assistant that wrote it.
      members: isConfirmed ? [] : StoredMembers.decode(row[.members]).filter { $0.assistantName == nil },
      title: isConfirmed ? nil : row[.customTitle] as String?,
      sender: row[.sender], role: MessageRole(rawValue: row[.role]) ?? .user,
      content: MessageContent(row.shared), createdAt: row[.createdAt], predecessor: sent.predecessor,
      transmission: sent.transmission)
  }

  /// Nil for a kind of operation that this version does not know.
  fileprivate init?(
    _ sent: OutboxLane.Transmission, in conversation: ConversationID,
    _ row: QueryRow<OutgoingOperationColumn>
  ) {
    guard let kind = MessageOperation.Kind(rawValue: row[.kind]) else { return nil }
    self.init(
      id: sent.id, conversation: conversation,
      content: MessageContent(row.shared), createdAt: row[.createdAt],
      operation: MessageOperation(kind, of: row[.messageID], isWhole: row.shared[.isWhole]),
      predecessor: sent.predecessor, transmission: sent.transmission)
  }
}

private enum SentColumn: String, QueryColumn {
  case checksum = "u.checksum"
  case name = "u.name"
  case mediaType = "u.mediaType"
  case byteCount = "a.byteCount"
  case serverID = "a.serverID"

  static let attachments = select(
    """
    FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum WHERE u.messageID = ? ORDER BY u.number
    """)
}

extension OutgoingMessage.SentAttachment {
  fileprivate init(_ row: QueryRow<SentColumn>) {
    self.init(
      ChatAttachment(
        checksum: row[.checksum], name: row[.name], mediaType: row[.mediaType], byteCount: row[.byteCount]),
      serverID: row[.serverID] ?? "")
  }
}

extension OutboxRows {
  /// The data to send for one entry. The entry is found by its position in the outbox: a server could have given
  /// another user's message the ID of an operation of this device.
  package func outgoing(_ sent: OutboxLane.Transmission, by user: UserID) throws -> OutgoingMessage? {
    guard var message = try outgoingMessage(sent) ?? outgoingOperation(sent) else { return nil }
    message.serverIDs = try serverIDs(for: message, by: user)
    return message
  }

  private func serverIDs(
    for message: OutgoingMessage, by user: UserID
  ) throws -> OutgoingMessage.ServerIDs {
    var names = OutgoingMessage.ServerIDs()
    if let answered = message.content.replyTo { names.replyTo = try db.messages.serverID(of: answered) }
    guard let operation = message.operation else { return names }
    names.target = try db.messages.serverID(of: operation.target)
    if operation.kind == .unreact {
      names.reaction = try db.messages.serverID(
        ofReaction: message.content.text, to: operation.target, from: user)
    }
    return names
  }

  private func outgoingMessage(_ sent: OutboxLane.Transmission) throws -> OutgoingMessage? {
    guard
      var found = try row(
        OutgoingColumn.message, [sent.position],
        { row in
          let name = try name(of: row[.conversationID])
          return (
            message: OutgoingMessage(sent, in: name, row), hasAttachments: row[.hasAttachments] as Bool
          )
        })
    else { return nil }
    if found.hasAttachments { found.message.attachments = try sentAttachments(of: sent.id) }
    return found.message
  }

  private func sentAttachments(of id: MessageID) throws -> [OutgoingMessage.SentAttachment] {
    try rows(SentColumn.attachments, [id.rawValue], OutgoingMessage.SentAttachment.init)
  }

  private func outgoingOperation(_ sent: OutboxLane.Transmission) throws -> OutgoingMessage? {
    try row(OutgoingOperationColumn.operation, [sent.position]) {
      OutgoingMessage(sent, in: try name(of: $0[.conversationID]), $0)
    } ?? nil
  }
}
