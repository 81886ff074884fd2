import GRDB
import HoldfastCore
import HoldfastRelay

/// The members' read marks: how far each of them has read each conversation.
struct ReadMarks {
  let db: Database

  /// The marks of a conversation's members, in the order of their IDs.
  func items(of conversation: String) throws -> [Wire.Item] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: #"SELECT account, message, "order" FROM readMark WHERE conversation = ? ORDER BY account"#),
      arguments: [conversation]
    ).map { row in
      Wire.Item(
        readMark: .init(
          conversation: conversation, reader: row["account"], message: row["message"], order: row["order"]))
    }
  }

  /// Moves an account's mark forward. Returns nil when the mark is there already or further on, or when the
  /// conversation does not have the message.
  func move(of account: UserID, to read: Wire.Read) throws -> Wire.ReadMarkItem? {
    guard let place = try Messages(db: db).place(of: read.message),
      place.conversation.rawValue == read.conversation
    else { return nil }
    try db.cachedStatement(
      sql: """
        INSERT INTO readMark (conversation, account, message, "order") VALUES (?, ?, ?, ?)
        ON CONFLICT (conversation, account) DO UPDATE SET message = excluded.message, "order" = excluded."order"
        WHERE "order" < excluded."order"
        """
    ).execute(arguments: [read.conversation, account.rawValue, read.message, place.order])
    guard db.changesCount > 0 else { return nil }
    return Wire.ReadMarkItem(
      conversation: read.conversation, reader: account.rawValue, message: read.message, order: place.order)
  }
}
