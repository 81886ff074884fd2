import Foundation
import GRDB
import Holdfast

/// The accepted messages.
///
/// Texts are bound and read as bytes: as C strings they would end at the first NUL character, and the text
/// that a reader gets must be the one that was sent.
struct Messages {
  let db: Database

  /// Where a message is that was accepted before.
  struct Place: Sendable, Hashable {
    var conversation: ConversationID
    var sender: UserID
    var order: Int64
    var at: Int64
  }

  func place(of id: String) throws -> Place? {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: #"SELECT conversation, sender, "order", at FROM message WHERE id = ?"#),
      arguments: [id])
    return row.map {
      Place(
        conversation: ConversationID(rawValue: $0["conversation"]), sender: UserID(rawValue: $0["sender"]),
        order: $0["order"], at: $0["at"])
    }
  }

  func insert(_ message: Wire.MessageItem) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO message (id, conversation, sender, role, body, reasoning, "order", at)
        VALUES (?, ?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?)
        """
    ).execute(arguments: [
      message.id, message.conversation, message.sender, message.role, Data(message.body.utf8),
      message.reasoning.map { Data($0.utf8) }, message.order, message.at,
    ])
  }
}

extension Wire.MessageItem {
  /// From a row of ``EventLog``'s query.
  init(row: Row) {
    self.init(
      id: row["id"], conversation: row["conversation"], sender: row["sender"], role: row["role"],
      body: String(decoding: row["body"] as Data, as: UTF8.self),
      reasoning: (row["reasoning"] as Data?).map { String(decoding: $0, as: UTF8.self) },
      order: row["order"], at: row["at"])
  }
}
