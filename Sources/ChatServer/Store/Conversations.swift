import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// A conversation's state in a transaction: its members and its last order.
struct ConversationRecord: Sendable, Hashable {
  var id: String
  var title: String?
  /// The members, in the order in which the creator named them.
  var members: [UserID]
  /// The order of the last message. 0 without a message.
  var lastOrder: Int64
  /// Whether it was deleted for everyone.
  var isRemoved = false
  /// Why no messages are accepted. Nil while members may write.
  var refusal: String?
}

/// The conversations and their members.
struct Conversations {
  let db: Database

  func find(_ id: String) throws -> ConversationRecord? {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT title, lastOrder, isRemoved, refusal FROM conversation WHERE id = ?"),
      arguments: [id])
    guard let row else { return nil }
    return ConversationRecord(
      id: id, title: row["title"], members: try members(of: id), lastOrder: row["lastOrder"],
      isRemoved: row["isRemoved"], refusal: row["refusal"])
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

  /// The earlier IDs of a conversation, in the order of their bytes.
  func earlierIDs(of conversation: String) throws -> [String] {
    try String.fetchAll(
      db.cachedStatement(sql: "SELECT id FROM earlierID WHERE conversation = ? ORDER BY id"),
      arguments: [conversation])
  }

  /// The present IDs of conversations, by each earlier ID.
  func presentIDs() throws -> [String: String] {
    let rows = try Row.fetchAll(db, sql: "SELECT id, conversation FROM earlierID")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["conversation"]) })
  }

  /// Gives a conversation another ID. The earlier one is kept.
  func rename(_ old: String, to new: String) throws {
    // Rows that refer to each other change one after the other.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    try db.execute(sql: "UPDATE conversation SET id = ? WHERE id = ?", arguments: [new, old])
    for table in ["member", "message", "event", "readMark", "earlierID"] {
      try db.execute(
        sql: "UPDATE \(table) SET conversation = ? WHERE conversation = ?", arguments: [new, old])
    }
    try db.execute(sql: "DELETE FROM earlierID WHERE id = ?", arguments: [new])
    try db.execute(sql: "INSERT INTO earlierID (id, conversation) VALUES (?, ?)", arguments: [old, new])
  }

  /// Deletes everything in a conversation. Its members stay, so that they are notified.
  func removeContents(of conversation: String) throws {
    let ofMessages = "message IN (SELECT id FROM message WHERE conversation = ?)"
    for condition in [
      "readMark WHERE conversation = ?", "event WHERE conversation = ?", "reaction WHERE \(ofMessages)",
      "operation WHERE \(ofMessages)", "messageAttachment WHERE \(ofMessages)",
      "messageWords WHERE rowid IN (SELECT number FROM searched WHERE \(ofMessages))",
      "searched WHERE \(ofMessages)",
      "message WHERE conversation = ?",
    ] {
      try db.execute(sql: "DELETE FROM \(condition)", arguments: [conversation])
    }
    try db.execute(
      sql: "UPDATE conversation SET isRemoved = 1, title = NULL WHERE id = ?", arguments: [conversation])
  }

  func setRefusal(_ refusal: String?, of conversation: String) throws {
    try db.execute(
      sql: "UPDATE conversation SET refusal = ? WHERE id = ?", arguments: [refusal, conversation])
  }
}
