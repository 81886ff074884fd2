import Foundation
import GRDB
import Holdfast

extension ChatServer {
  /// All conversations, for whoever compares them with those that were made.
  package func conversationIDs() throws -> [ConversationID] {
    try database.read { db in
      try String.fetchAll(db, sql: "SELECT id FROM conversation ORDER BY id").map(
        ConversationID.init(rawValue:))
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
