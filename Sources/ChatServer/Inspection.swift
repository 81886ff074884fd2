import Foundation
import GRDB
import Holdfast

extension ChatServer {
  /// The attachments of a conversation's messages, by message, for whoever compares them with what was promised.
  package func attachments(in conversation: ConversationID) throws -> [String: [Wire.AttachmentItem]] {
    try database.read { db in
      let messages = try String.fetchAll(
        db,
        sql: """
          SELECT DISTINCT message.id FROM message JOIN messageAttachment a ON a.message = message.id
          WHERE message.conversation = ?
          """, arguments: [conversation.rawValue])
      let uploads = Uploads(db: db)
      return Dictionary(uniqueKeysWithValues: try messages.map { ($0, try uploads.attachments(of: $0)) })
    }
  }

  /// All messages of a conversation in their order, for whoever compares them with what was promised.
  package func messages(in conversation: ConversationID) throws -> [Wire.MessageItem] {
    try database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT id, conversation, sender, role, CAST(body AS BLOB) AS body,
            CAST(reasoning AS BLOB) AS reasoning, "order", at
          FROM message WHERE conversation = ? ORDER BY "order"
          """, arguments: [conversation.rawValue]
      ).map(Wire.MessageItem.init(row:))
    }
  }
}
