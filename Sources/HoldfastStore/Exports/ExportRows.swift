import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The rows of an export.
package struct ExportRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var exports: ExportRows<Self> { ExportRows(db: self) }
}

/// A conversation as it is exported. Dates are in microseconds since 1970, as stored.
package struct ExportedConversation {
  package var key: ConversationKey
  package var id: ConversationID
  package var title: String?
  package var titleIsCustom: Bool
  package var members: [String]
  package var metadata: Data?
  package var createdAt: Int64
  package var updatedAt: Int64
}

/// A message as it is exported.
package struct ExportedMessage {
  package var id: String
  package var role: String
  package var content: MessageContent
  package var status: String
  package var createdAt: Int64
  package var sender: String
  package var order: Int64?
  package var serverID: String?
  package var readBy: [String]
  package var editedAt: Int64?
  package var deletedAt: Int64?
  package var revision: Int64
  package var reactions: [IncomingMessage.Reaction] = []
  package var attachments: [ChatAttachment] = []
}

/// A draft as it is exported.
package struct ExportedDraft {
  package var conversation: ConversationID
  package var slot: DraftSlot
  package var draft: StoredDraft
}

/// The status of a message in an exported file, unless the message was imported with another status.
enum HistoryStatus {
  static let delivered = "delivered"
  static let queued = "queued"
  static let failed = "failed"
  static let interrupted = "interrupted"
}

private enum ExportedConversationColumn: String, QueryColumn {
  case id, title, titleIsCustom, members, metadata, createdAt, updatedAt

  static let visible = select(
    """
    FROM conversation
    WHERE id \(DeletionRule.notDeleted) ORDER BY updatedAt DESC, id
    """)
}

extension ExportedConversation {
  fileprivate init(_ row: QueryRow<ExportedConversationColumn>, named name: ConversationID) {
    key = row[.id]
    id = name
    title = row[.title]
    titleIsCustom = row[.titleIsCustom]
    members = StoredMembers.decode(row[.members]).map(\.rawValue)
    metadata = row[.metadata]
    createdAt = row[.createdAt]
    updatedAt = row[.updatedAt]
  }
}

private enum ExportedMessageColumn: String, ExtendingColumn {
  typealias Shared = ContentColumn

  case id = "m.id"
  case role = "m.role"
  case importedStatus = "m.importedStatus"
  case createdAt = "m.createdAt"
  case sender = "m.sender"
  case serverOrder = "m.serverOrder"
  case serverID = "m.serverID"
  case readBy = "m.readBy"
  case editedAt = "m.editedAt"
  case deletedAt = "m.deletedAt"
  case revision = "m.revision"
  case isStreaming = "s.messageID IS NOT NULL AND NOT s.regenerates"
  case hasReplyFailed = "s.failedCode IS NOT NULL"
  case isUnsent = "o.messageID IS NOT NULL"
  case hasFailed = "o.parkedCode IS NOT NULL"

  static let timeline = select(
    """
    FROM message m
    LEFT JOIN stream s ON s.messageID = m.id
    LEFT JOIN outbox o ON o.messageID = m.id
    WHERE m.conversationID = ? ORDER BY m.place, m.position
    """)
}

extension ExportedMessage {
  fileprivate init(_ row: QueryRow<ExportedMessageColumn>) {
    id = row[.id]
    role = row[.role]
    content = MessageContent(row.shared)
    status = row[.importedStatus] ?? HistoryStatus.of(row)
    createdAt = row[.createdAt]
    sender = row[.sender]
    order = row[.serverOrder]
    serverID = row[.serverID]
    readBy = ReferenceList.references(row[.readBy])
    editedAt = row[.editedAt]
    deletedAt = row[.deletedAt]
    revision = row[.revision]
  }
}

extension HistoryStatus {
  fileprivate static func of(_ row: QueryRow<ExportedMessageColumn>) -> String {
    if row[.isStreaming] { return row[.hasReplyFailed] ? failed : interrupted }
    if row[.hasFailed] { return failed }
    return row[.isUnsent] ? queued : delivered
  }
}

private enum ExportedDraftColumn: String, QueryColumn {
  case conversationID = "d.conversationID"
  case isEdit = "d.slot = 'edit'"

  /// The draft of a new message precedes the edit in the same conversation.
  static let visible = select(
    """
    FROM draft d JOIN conversation c ON c.id = d.conversationID
    WHERE d.conversationID \(DeletionRule.notDeleted)
      AND \(DraftRule.isRestorable)
    ORDER BY d.conversationID, d.slot DESC
    """)
}

extension ExportRows {
  /// Passes to `body` each draft of a visible conversation that a launch would restore, in the order of the
  /// conversations' IDs. One draft is in memory at a time.
  package func forEachDraft(_ body: (ExportedDraft) throws -> Void) throws {
    try forEachRow(of: ExportedDraftColumn.visible) { row in
      let key = DraftKey(conversation: row[.conversationID], slot: row[.isEdit] ? .edit : .new)
      if let draft = try db.drafts.restorable(key) {
        try body(ExportedDraft(conversation: try name(of: key.conversation), slot: key.slot, draft: draft))
      }
      return true
    }
  }

  package func messageCount() throws -> Int64 {
    try value(
      "SELECT count(*) FROM message WHERE conversationID \(DeletionRule.notDeleted)") ?? 0
  }

  /// Passes to `body` each visible conversation, the last changed first. The order depends only on the contents, so
  /// it is the same in every store with the same contents. One conversation is in memory at a time.
  package func forEachConversation(_ body: (ExportedConversation) throws -> Void) throws {
    try forEachRow(of: ExportedConversationColumn.visible) { row in
      try body(ExportedConversation(row, named: try name(of: row[.id])))
      return true
    }
  }

  /// Passes to `body` each message of a conversation, in the order of the timeline. One message is in memory at a
  /// time.
  package func forEachMessage(
    of conversation: ConversationKey, _ body: (ExportedMessage) throws -> Void
  ) throws {
    let hasAttachments = try db.attachments.areInMessages()
    try forEachRow(of: ExportedMessageColumn.timeline, [conversation.rawValue]) { row in
      var message = ExportedMessage(row)
      let id = MessageID(rawValue: message.id)
      if row[.isStreaming] {
        let prefix = try db.streams.prefix(of: id)
        message.content.text = prefix.text
        message.content.reasoning = prefix.reasoning.isEmpty ? nil : prefix.reasoning
      }
      if message.revision > 0 { message.reactions = try db.operations.reactions(to: id) }
      if hasAttachments { message.attachments = try db.attachments.all(of: id).map(\.attachment) }
      try body(message)
      return true
    }
  }
}
