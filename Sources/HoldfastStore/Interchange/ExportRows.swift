import Foundation
import GRDB
import HoldfastCore

/// A conversation as it is exported. Dates are in microseconds since 1970, as stored.
package struct ExportedConversation {
  package var id: ConversationID
  package var title: String?
  package var titleIsCustom: Bool
  package var members: [String]
  package var createdAt: Int64
  package var updatedAt: Int64
}

/// A message as it is exported.
package struct ExportedMessage {
  package var id: String
  package var role: String
  package var body: String
  package var status: String
  package var reasoning: String?
  package var images: [String]
  package var videos: [String]
  package var createdAt: Int64
  package var sender: String
  package var order: Int64?
  package var readBy: [String]
  package var replyTo: String?
  package var formatting: Data?
  package var editedAt: Int64?
  package var deletedAt: Int64?
  package var revision: Int64
  package var reactions: [SentReaction] = []
  package var attachments: [Attachment] = []
}

/// The status of a message in an exported file, unless the message was imported with another status.
enum HistoryStatus {
  static let delivered = "delivered"
  static let queued = "queued"
  static let failed = "failed"
  static let interrupted = "interrupted"
}

extension Reading {
  package func visibleMessageCount() throws -> Int64 {
    try row(
      "SELECT count(*) FROM message WHERE conversationID NOT IN (SELECT conversationID FROM deletion)")![0]
  }

  /// Gives `body` each visible conversation, the last changed first. The order follows from the contents, so that
  /// it is the same in every store with the same contents. One conversation is in memory at a time.
  package func forEachExportedConversation(_ body: (ExportedConversation) throws -> Void) throws {
    let cursor = try Row.fetchCursor(
      db,
      sql: """
        SELECT id, title, titleIsCustom, members, createdAt, updatedAt FROM conversation
        WHERE id NOT IN (SELECT conversationID FROM deletion) ORDER BY updatedAt DESC, id
        """)
    while let row = try cursor.next() {
      try body(
        ExportedConversation(
          id: ConversationID(rawValue: row[0]), title: row[1], titleIsCustom: row[2],
          members: Self.decodeMembers(row[3]).map(\.rawValue), createdAt: row[4], updatedAt: row[5]))
    }
  }

  /// Gives `body` each message of a conversation, in the order of the timeline. One message is in memory at a
  /// time.
  package func forEachExportedMessage(
    of conversation: ConversationID, _ body: (ExportedMessage) throws -> Void
  ) throws {
    let hasAttachments = try row("SELECT 1 FROM attachmentUse WHERE messageID IS NOT NULL LIMIT 1") != nil
    let cursor = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT m.id, m.role, m.body, m.importedStatus, m.reasoning, m.images, m.videos, m.createdAt, m.sender,
            m.serverOrder, m.readBy, m.replyTo, m.formatting, m.editedAt, m.deletedAt, m.revision,
            s.messageID IS NOT NULL, o.messageID IS NOT NULL, o.parkedCode IS NOT NULL
          FROM message m
          LEFT JOIN stream s ON s.messageID = m.id
          LEFT JOIN outbox o ON o.messageID = m.id
          WHERE m.conversationID = ? ORDER BY m.place, m.position
          """), arguments: [conversation.rawValue])
    while let row = try cursor.next() {
      var message = Self.exportedMessage(row)
      let id = MessageID(rawValue: message.id)
      if row[16] {
        let prefix = try streamPrefix(of: id)
        message.body = prefix.text
        message.reasoning = prefix.reasoning.isEmpty ? nil : prefix.reasoning
      }
      if message.revision > 0 { message.reactions = try reactions(to: id) }
      if hasAttachments { message.attachments = try attachments(of: id).map(\.attachment) }
      try body(message)
    }
  }

  private static func exportedMessage(_ row: Row) -> ExportedMessage {
    let (isStreaming, isUnsent, hasFailed): (Bool, Bool, Bool) = (row[16], row[17], row[18])
    let state =
      isStreaming
      ? HistoryStatus.interrupted
      : isUnsent ? (hasFailed ? HistoryStatus.failed : HistoryStatus.queued) : HistoryStatus.delivered
    return ExportedMessage(
      id: row[0], role: row[1], body: row[2], status: row[3] ?? state, reasoning: row[4],
      images: Self.references(row[5]), videos: Self.references(row[6]), createdAt: row[7],
      sender: row[8],
      order: row[9],
      readBy: Self.references(row[10]), replyTo: row[11], formatting: row[12], editedAt: row[13],
      deletedAt: row[14],
      revision: row[15])
  }
}
