import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// The words of all messages, normalised as on the devices, so that both find the same.
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

  /// Indexes the words of every message, for a file of an earlier version.
  func noteAll() throws {
    // The log has the messages in the order of arrival, which is the order of the hits.
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT message.id, CAST(message.body AS BLOB) AS body FROM message
        LEFT JOIN (SELECT message, min(cursor) AS first FROM event GROUP BY message) AS logged ON logged.message = message.id
        ORDER BY logged.first, message.rowid
        """)
    while let row = try rows.next() {
      try note(String(decoding: row["body"] as Data, as: UTF8.self), of: row["id"])
    }
  }

  /// Merges the parts of the index, some pages at a time, so that no part has words of deleted messages. Returns
  /// whether there is more to merge.
  ///
  /// - Parameter isFirst: whether to merge all parts from now on, and not only those that are due.
  func merge(pages: Int, isFirst: Bool) throws -> Bool {
    let before = db.totalChangesCount
    try db.execute(
      sql: "INSERT INTO messageWords (messageWords, rank) VALUES ('merge', ?)",
      arguments: [isFirst ? -pages : pages])
    // SQLite counts this statement itself as one change.
    return db.totalChangesCount - before >= 2
  }

  /// The newest messages that have the words, as far as they are found within the limits. The limits count work, not
  /// time: a busy machine finds the same as an idle one.
  func answer(_ question: Wire.Search, for account: UserID, limits: Limits) throws -> Wire.Found {
    let conversations = try conversations(of: account, in: question.conversation)
    guard let sought = SearchQuery(question.query), conversations > 0 else {
      return Wire.Found(number: question.number, messages: [])
    }
    let rows = try candidates(for: sought, question, account, conversations, limits)
    let count = min(max(question.limit, 1), limits.pageSize)
    var (messages, size, looked, read) = ([Wire.MessageItem](), PageSize(limits: limits), 0, 0)
    while let row = try rows.next() {
      looked += 1
      guard messages.count < count, looked <= limits.searchedMessages, read < limits.searchedBytes else {
        return Wire.Found(number: question.number, messages: messages, more: true)
      }
      guard let body = row["body"] as Data? else { continue }
      read += body.count
      // The index gives candidates. The text decides.
      guard sought.matches(in: SearchWords.words(of: String(decoding: body, as: UTF8.self))) != nil,
        let message = try Messages(db: db).item(row["id"])
      else { continue }
      guard size.add(Wire.Item(message: message)) || messages.isEmpty else {
        return Wire.Found(number: question.number, messages: messages, more: true)
      }
      messages.append(message)
    }
    return Wire.Found(number: question.number, messages: messages)
  }

  /// The number of conversations that a search by an account covers: all of its conversations, or one.
  private func conversations(of account: UserID, in conversation: String?) throws -> Int {
    try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT count(*) FROM member WHERE account = ?1 AND (?2 IS NULL OR conversation = ?2)"),
      arguments: [account.rawValue, conversation]) ?? 0
  }

  /// The messages that may have the words, the newest first.
  private func candidates(
    for sought: SearchQuery, _ question: Wire.Search, _ account: UserID, _ conversations: Int,
    _ limits: Limits
  ) throws -> RowCursor {
    if sought.isVague {
      return try Row.fetchCursor(
        db.cachedStatement(sql: Self.newest),
        arguments: [
          account.rawValue, question.conversation, max(1, limits.searchedMessages / conversations),
          limits.searchedMessages,
        ])
    }
    return try Row.fetchCursor(
      db.cachedStatement(sql: Self.found),
      arguments: [sought.roughMatch, account.rawValue, question.conversation])
  }

  /// The messages of other accounts are candidates too, without their text, so that the reader can stop at any row.
  private static let found = """
    SELECT message.id,
      CASE WHEN (?3 IS NULL OR message.conversation = ?3) AND EXISTS (
        SELECT 1 FROM member JOIN conversation ON conversation.id = member.conversation
        WHERE member.conversation = message.conversation AND member.account = ?2 AND NOT conversation.isRemoved
      ) THEN CAST(message.body AS BLOB) END AS body
    FROM messageWords CROSS JOIN searched ON searched.number = messageWords.rowid
    CROSS JOIN message ON message.id = searched.message
    WHERE messageWords MATCH ?1 ORDER BY messageWords.rowid DESC
    """

  /// The newest messages of each conversation, regardless of their text.
  private static let newest = """
    SELECT message.id, CAST(message.body AS BLOB) AS body
    FROM member CROSS JOIN conversation ON conversation.id = member.conversation
    CROSS JOIN message ON message.conversation = conversation.id AND message."order" > conversation.lastOrder - ?3
    CROSS JOIN searched ON searched.message = message.id
    WHERE member.account = ?1 AND (?2 IS NULL OR member.conversation = ?2) AND NOT conversation.isRemoved
    ORDER BY searched.number DESC LIMIT ?4
    """
}
