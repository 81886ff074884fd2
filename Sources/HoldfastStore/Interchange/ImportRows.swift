import Foundation
import GRDB
import HoldfastCore

/// The fields of a conversation that is made from an import.
package struct ImportedHead {
  package var id: ConversationID
  package var title: String?
  package var titleIsCustom: Bool
  package var members: [UserID]
  package var createdAt: Int64
  package var updatedAt: Int64

  package init(
    id: ConversationID, title: String? = nil, titleIsCustom: Bool, members: [UserID], createdAt: Int64,
    updatedAt: Int64
  ) {
    self.id = id
    self.title = title
    self.titleIsCustom = titleIsCustom
    self.members = members
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

}

extension Transaction {
  /// Makes a conversation from an import. A conversation that is here already stays as it is. Imported
  /// conversations stand in the list below those that were written in here, ordered by their last changes.
  /// Returns whether the conversation is new.
  package func importConversation(_ head: ImportedHead) throws -> Bool {
    try run(
      """
      INSERT INTO conversation (id, title, titleIsCustom, members, createdAt, updatedAt, listRevision)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        head.id.rawValue, Self.storedTitle(head.title),
        head.titleIsCustom && Self.storedTitle(head.title) != nil, Self.encode(head.members), head.createdAt,
        head.updatedAt,
        head.updatedAt - (1 << 62),
      ])
    guard changedRows > 0 else { return false }
    try restoreHead(of: head.id)
    changes.noteConversation(head.id)
    return true
  }

  /// Stores a message of the past. It counts as delivered, by any means, and never leaves this device.
  package func importMessage(
    _ message: ImportedMessage, as id: MessageID, sender: UserID, in conversation: ConversationID,
    place: Int64,
    createdAt: Int64, now: Date
  ) throws {
    let reactions = message.reactions.map {
      IncomingMessage.Reaction($0.value, from: UserID(rawValue: $0.by))
    }
    try run(
      Self.importInsertion,
      [
        id.rawValue, conversation.rawValue, message.order, place, sender.rawValue, message.role.rawValue,
        ReferenceList.column(message.readBy.map(\.storable)),
        message.status == HistoryStatus.delivered ? nil : message.status, message.editedAt, createdAt,
        max(message.revision, reactions.isEmpty ? 0 : 1), message.deletedAt,
        message.order == nil && message.deletedAt == nil,
      ] + message.content.arguments)
    for reaction in reactions { try insertReaction(reaction, to: id, in: conversation) }
    if !message.attachments.isEmpty {
      for attachment in message.attachments { try insertAttachment(attachment, isHere: false, now: now) }
      try setAttachments(message.attachments, of: .message(id))
    }
    changes.noteMessage(in: conversation)
  }

  private static let importInsertion = """
    INSERT INTO message (id, conversationID, serverOrder, place, sender, role, readBy, importedStatus, editedAt,
      createdAt, revision, deletedAt, isRecorded, \(MessageContent.columns))
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(MessageContent.placeholders))
    """

  /// Notes an imported item, so that it is not imported again, even after the item is gone. Returns whether it is
  /// new.
  package func noteImported(_ item: String) throws -> Bool {
    try run("INSERT INTO importedItem (item) VALUES (?) ON CONFLICT DO NOTHING", [item])
    return changedRows > 0
  }

  /// Gives a conversation without a title the title that its first message would have given it.
  package func titleImported(_ id: ConversationID, by owner: UserID) throws {
    let isUntitled = try value("SELECT title IS NULL FROM conversation WHERE id = ?", [id.rawValue]) ?? false
    if isUntitled { try setTitle(nil, of: id, by: owner) }
  }
}

private enum ImportPlaceColumn: String, QueryColumn {
  case conversationID, place

  static let message = select("FROM message WHERE id = ?")
}

extension Reading {
  /// The conversation and place of a message. Nil when the message is not here.
  package func importPlace(of id: MessageID) throws -> (conversation: ConversationID, place: Int64)? {
    try row(ImportPlaceColumn.message, [id.rawValue]) { ($0[.conversationID], $0[.place]) }
  }

  package func nextPlace(in conversation: ConversationID, behind place: Int64) throws -> Int64? {
    try value(
      "SELECT min(place) FROM message WHERE conversationID = ? AND place > ?", [conversation.rawValue, place])
  }

  package func wasImported(_ item: String) throws -> Bool {
    try exists("SELECT 1 FROM importedItem WHERE item = ?", [item])
  }
}
