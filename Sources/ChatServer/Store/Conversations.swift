import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// A conversation as a transaction needs it: its members and its last order.
struct ConversationRecord: Sendable, Hashable {
  var id: String
  var title: String?
  /// The members, in the order in which the creator named them.
  var members: [UserID]
  /// The order of the last message. 0 while there is none.
  var lastOrder: Int64
}

/// The conversations and their members.
struct Conversations {
  let db: Database

  func find(_ id: String) throws -> ConversationRecord? {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT title, lastOrder FROM conversation WHERE id = ?"), arguments: [id])
    guard let row else { return nil }
    return ConversationRecord(
      id: id, title: row["title"], members: try members(of: id), lastOrder: row["lastOrder"])
  }

  func members(of conversation: String) throws -> [UserID] {
    try String.fetchAll(
      db.cachedStatement(sql: "SELECT account FROM member WHERE conversation = ? ORDER BY place"),
      arguments: [conversation]
    ).map(UserID.init(rawValue:))
  }

  func isMember(_ account: UserID, of conversation: String) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM member WHERE conversation = ? AND account = ?)"),
      arguments: [conversation, account.rawValue]) ?? false
  }

  func create(_ conversation: ConversationRecord) throws {
    try db.cachedStatement(sql: "INSERT INTO conversation (id, title, lastOrder) VALUES (?, ?, ?)")
      .execute(arguments: [conversation.id, conversation.title, conversation.lastOrder])
    let insert = try db.cachedStatement(
      sql: "INSERT INTO member (conversation, account, place) VALUES (?, ?, ?)")
    for (place, member) in conversation.members.enumerated() {
      try insert.execute(arguments: [conversation.id, member.rawValue, place])
    }
  }

  func setLastOrder(_ order: Int64, of conversation: String) throws {
    try db.cachedStatement(sql: "UPDATE conversation SET lastOrder = ? WHERE id = ?")
      .execute(arguments: [order, conversation])
  }
}
