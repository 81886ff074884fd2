import Foundation
import GRDB
import HoldfastCore

extension Reading {
  /// The data to send for one entry. The entry is found by its position in the outbox: a server could have given
  /// another user's message the ID of an operation of this device.
  package func outgoing(_ departure: OutboxLane.Departure) throws -> OutgoingMessage? {
    try outgoingMessage(departure) ?? outgoingOperation(departure)
  }

  private func outgoingMessage(_ departure: OutboxLane.Departure) throws -> OutgoingMessage? {
    try row(
      """
      SELECT m.conversationID, m.role, m.body, m.reasoning, m.createdAt, c.members, c.isConfirmed,
        CASE WHEN c.titleIsCustom THEN c.title END,
        EXISTS (SELECT 1 FROM attachmentUse u WHERE u.messageID = m.id), m.replyTo, m.formatting
      FROM outbox o JOIN message m ON m.id = o.messageID JOIN conversation c ON c.id = m.conversationID
      WHERE o.position = ?
      """, [departure.position]
    ).map { row in
      OutgoingMessage(
        id: departure.id, conversation: ConversationID(rawValue: row[0]),
        members: row[6] ? [] : Self.decodeMembers(row[5]), title: row[6] ? nil : row[7],
        role: MessageRole(rawValue: row[1]) ?? .user, body: row[2], reasoning: row[3],
        createdAt: Date(microseconds: row[4]), replyTo: (row[9] as String?).map(MessageID.init(rawValue:)),
        formatting: row[10], attachments: row[8] ? try sentAttachments(of: departure.id) : [],
        predecessor: departure.predecessor, handover: departure.handover)
    }
  }

  private func sentAttachments(of id: MessageID) throws -> [SentAttachment] {
    try rows(
      """
      SELECT u.checksum, u.name, u.mediaType, a.byteCount, a.serverID
      FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum WHERE u.messageID = ? ORDER BY u.number
      """, [id.rawValue]
    ) { row in
      SentAttachment(
        Attachment(
          checksum: AttachmentChecksum(rawValue: row[0]), name: row[1], mediaType: row[2], byteCount: row[3]),
        serverID: row[4] ?? "")
    }
  }

  private func outgoingOperation(_ departure: OutboxLane.Departure) throws -> OutgoingMessage? {
    try row(
      """
      SELECT o.conversationID, p.kind, p.messageID, p.payload, p.createdAt, p.formatting
      FROM outbox o JOIN operation p ON p.id = o.operationID WHERE o.position = ?
      """, [departure.position]
    ).flatMap { row in
      guard let kind = MessageOperation.Kind(rawValue: row[1]) else { return nil }
      return OutgoingMessage(
        id: departure.id, conversation: ConversationID(rawValue: row[0]), body: row[3] ?? "",
        createdAt: Date(microseconds: row[4]), formatting: row[5],
        operation: MessageOperation(kind, of: MessageID(rawValue: row[2])),
        predecessor: departure.predecessor, handover: departure.handover)
    }
  }
}
