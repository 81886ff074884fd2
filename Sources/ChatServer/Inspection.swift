import Foundation
import GRDB
import Holdfast

extension ChatServer {
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
