import Foundation
import GRDB

/// A conversation as it is exported. Dates are as the store has them.
struct ExportedConversation {
  var id: ConversationID
  var title: String?
  var titleIsCustom: Bool
  var members: [String]
  var createdAt: Int64
  var updatedAt: Int64
}

/// A message as it is exported.
struct ExportedMessage {
  var id: String
  var role: String
  var body: String
  var status: String
  var reasoning: String?
  var images: [String]
  var videos: [String]
  var createdAt: Int64
  var sender: String
  var order: Int64?
  var readBy: [String]
  var replyTo: String?
  var formatting: Data?
  var editedAt: Int64?
  var deletedAt: Int64?
  var revision: Int64
  var reactions: [SentReaction] = []
  var attachments: [Attachment] = []
}

/// What a message's status is called in a file, where it did not come with another one.
enum HistoryStatus {
  static let delivered = "delivered"
  static let queued = "queued"
  static let failed = "failed"
  static let interrupted = "interrupted"
}

extension Database {
  /// Whether the database has the schema that is read here.
  func hasPresentSchema() throws -> Bool { try Schema.migrator.hasCompletedMigrations(self) }

  func visibleMessageCount() throws -> Int64 {
    try row(
      "SELECT count(*) FROM message WHERE conversationID NOT IN (SELECT conversationID FROM deletion)")![0]
  }

  /// The last changed first: in an order that is in the contents, and the same in every store that has them. One is in
  /// memory at a time.
  func forEachExportedConversation(_ body: (ExportedConversation) throws -> Void) throws {
    let cursor = try Row.fetchCursor(
      self,
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

  /// In the order of the timeline. One is in memory at a time.
  func forEachExportedMessage(
    of conversation: ConversationID, _ body: (ExportedMessage) throws -> Void
  ) throws {
    let hasAttachments = try row("SELECT 1 FROM attachmentUse WHERE messageID IS NOT NULL LIMIT 1") != nil
    let cursor = try Row.fetchCursor(
      cachedStatement(
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
      images: references(row[5]), videos: references(row[6]), createdAt: row[7], sender: row[8],
      order: row[9],
      readBy: references(row[10]), replyTo: row[11], formatting: row[12], editedAt: row[13],
      deletedAt: row[14],
      revision: row[15])
  }
}
