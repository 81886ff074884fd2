import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// The accepted operations on messages, without their contents.
struct Operations {
  let db: Database

  /// The fields of the receipt, for when the operation arrives again.
  struct Accepted: Sendable, Hashable {
    var sender: UserID
    var conversation: ConversationID
    var message: MessageID
    /// The message's order in its conversation.
    var order: Int64
    /// The message's revision with the operation carried out.
    var revision: Int64
    var at: Int64

    func receipt(_ id: String) -> Wire.ReceiptItem {
      .init(id: id, conversation: conversation.rawValue, order: order, at: at, revision: revision)
    }
  }

  func accepted(_ id: String) throws -> Accepted? {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT operation.sender, message.conversation, operation.message, message."order", operation.revision,
            operation.at
          FROM operation JOIN message ON message.id = operation.message WHERE operation.id = ?
          """),
      arguments: [id])
    return row.map {
      Accepted(
        sender: UserID(rawValue: $0["sender"]), conversation: ConversationID(rawValue: $0["conversation"]),
        message: MessageID(rawValue: $0["message"]), order: $0["order"], revision: $0["revision"],
        at: $0["at"])
    }
  }

  func insert(_ id: String, _ operation: Accepted) throws {
    try db.cachedStatement(
      sql: "INSERT INTO operation (id, sender, message, revision, at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [
      id, operation.sender.rawValue, operation.message.rawValue, operation.revision, operation.at,
    ])
  }
}
