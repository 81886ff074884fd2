import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// The words of all messages, folded as on the phones, so that both find the same.
struct SearchIndex {
  let db: Database

  /// Replaces the words of a message.
  func note(_ text: String, of message: String) throws {
    let words = SearchWords.indexed(text)
    let number = try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          INSERT INTO searched (message) VALUES (?)
          ON CONFLICT (message) DO UPDATE SET message = excluded.message RETURNING number
          """), arguments: [message])
    if words.isEmpty {
      try db.cachedStatement(sql: "DELETE FROM messageWords WHERE rowid = ?").execute(arguments: [number])
    } else {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO messageWords (rowid, words) VALUES (?, ?)").execute(
        arguments: [number, words])
    }
  }

  /// Notes the words of every message, for a file of an earlier version.
  func noteAll() throws {
    // The log has the messages in the order in which they came, which is the order of the hits.
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT message.id, CAST(message.body AS BLOB) AS body FROM message
        LEFT JOIN (SELECT message, min(cursor) AS first FROM event GROUP BY message) AS told ON told.message = message.id
        ORDER BY told.first, message.rowid
        """)
    while let row = try rows.next() {
      try note(String(decoding: row["body"] as Data, as: UTF8.self), of: row["id"])
    }
  }

  func answer(_ question: Wire.Search, for account: UserID, limits: Limits) throws -> Wire.Found {
    guard let sought = SearchQuery(question.query) else {
      return Wire.Found(number: question.number, messages: [])
    }
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: Self.found),
      arguments: [sought.match, account.rawValue, question.conversation])
    let count = min(max(question.limit, 1), limits.pageSize)
    var (messages, size, looked) = ([Wire.MessageItem](), PageSize(limits: limits), 0)
    while let row = try rows.next() {
      looked += 1
      guard messages.count < count, looked <= Self.candidates else {
        return Wire.Found(number: question.number, messages: messages, more: true)
      }
      let message = try Messages(db: db).item(row)
      // The index is asked roughly. The text decides.
      guard sought.matches(in: SearchWords.words(of: message.content.text)) != nil else { continue }
      guard size.add(Wire.Item(message: message)) || messages.isEmpty else {
        return Wire.Found(number: question.number, messages: messages, more: true)
      }
      messages.append(message)
    }
    return Wire.Found(number: question.number, messages: messages)
  }

  /// No search looks at more messages than this.
  private static let candidates = 10_000

  private static let found = """
    SELECT \(Messages.columns)
    FROM messageWords CROSS JOIN searched ON searched.number = messageWords.rowid
    CROSS JOIN message ON message.id = searched.message
    JOIN conversation ON conversation.id = message.conversation
    WHERE messageWords MATCH ?1 AND (?3 IS NULL OR message.conversation = ?3) AND NOT conversation.isRemoved
      AND EXISTS (SELECT 1 FROM member WHERE member.conversation = message.conversation AND member.account = ?2)
    ORDER BY messageWords.rowid DESC
    """
}
