import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// The reactions to messages.
struct Reactions {
  let db: Database

  /// A message's reactions, sorted by value and sender. Nil when there are none.
  func items(to message: String) throws -> [Wire.ReactionItem]? {
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT value, sender FROM reaction WHERE message = ? ORDER BY value, sender"),
      arguments: [message])
    var items: [Wire.ReactionItem] = []
    for row in rows {
      let value: String = row["value"]
      // Values are compared byte by byte, as in the table: `==` would join values that only look the same.
      if let last = items.indices.last, items[last].value.utf8.elementsEqual(value.utf8) {
        items[last].senders.append(row["sender"])
      } else {
        items.append(.init(value: value, senders: [row["sender"]]))
      }
    }
    return items.isEmpty ? nil : items
  }

  func contains(_ value: String, from sender: String, to message: String) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM reaction WHERE message = ? AND value = ? AND sender = ?)"),
      arguments: [message, value, sender]) ?? false
  }

  /// The number of all reactions to a message, and the number of different values other than `value`.
  func counts(to message: String, beside value: String) throws -> (all: Int, values: Int) {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT count(*), count(DISTINCT value) FILTER (WHERE value <> ?2) FROM reaction WHERE message = ?1
          """),
      arguments: [message, value])
    return (row?[0] ?? 0, row?[1] ?? 0)
  }

  func insert(_ value: String, from sender: String, to message: String) throws {
    try db.cachedStatement(sql: "INSERT INTO reaction (message, value, sender) VALUES (?, ?, ?)")
      .execute(arguments: [message, value, sender])
  }

  func remove(_ value: String, from sender: String, to message: String) throws {
    try db.cachedStatement(sql: "DELETE FROM reaction WHERE message = ? AND value = ? AND sender = ?")
      .execute(arguments: [message, value, sender])
  }

  func removeAll(from message: String) throws {
    try db.cachedStatement(sql: "DELETE FROM reaction WHERE message = ?").execute(arguments: [message])
  }
}
