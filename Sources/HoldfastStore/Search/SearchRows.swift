import Foundation
import GRDB
import HoldfastCore

/// The search index.
package struct SearchRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var search: SearchRows<Self> { SearchRows(db: self) }
}

/// A message that the index has found, before its text is examined.
package struct FoundMessage {
  package var position: Int64
  var id: MessageID
  package var conversation: ConversationKey
  package var sender: UserID
  var text: String
  var createdAt: Date
  package var title: String?
  /// The members as stored. They are decoded only on demand, because most conversations have a title and most
  /// examined messages are not hits.
  var storedMembers: String

  package var members: [UserID] { StoredMembers.decode(storedMembers) }
}

private enum FoundColumn: String, QueryColumn {
  case position = "m.position"
  case id = "m.id"
  case conversationID = "m.conversationID"
  case sender = "m.sender"
  case body = "m.body"
  case createdAt = "m.createdAt"
  case title = "c.title"
  case members = "c.members"

  /// The best of the newest messages that the index finds.
  static let best = select(
    """
    FROM (
      SELECT messageText.rowid AS position, bm25(messageText) AS score
      FROM messageText CROSS JOIN message f ON f.position = messageText.rowid
      WHERE messageText MATCH ?1 AND (?2 IS NULL OR f.conversationID = ?2)
        AND f.conversationID \(DeletionRule.notDeleted)
      ORDER BY messageText.rowid DESC LIMIT ?3) AS t
    JOIN message m ON m.position = t.position JOIN conversation c ON c.id = m.conversationID
    ORDER BY t.score, t.position DESC LIMIT ?4
    """)

  /// The newest messages that the index finds.
  static let newest = select(
    """
    FROM (
      SELECT messageText.rowid AS position
      FROM messageText CROSS JOIN message f ON f.position = messageText.rowid
      WHERE messageText MATCH ?1 AND (?2 IS NULL OR f.conversationID = ?2)
        AND f.conversationID \(DeletionRule.notDeleted)
      ORDER BY messageText.rowid DESC LIMIT ?3) AS t
    JOIN message m ON m.position = t.position JOIN conversation c ON c.id = m.conversationID
    ORDER BY t.position DESC
    """)

  /// The newest messages, regardless of their text.
  static let latest = select(
    """
    FROM message m CROSS JOIN conversation c ON c.id = m.conversationID
    WHERE m.conversationID \(DeletionRule.notDeleted)
    ORDER BY m.position DESC LIMIT ?
    """)

  static let unindexed = select(
    """
    FROM (
      SELECT position FROM (
        SELECT position FROM message WHERE position > ?3 ORDER BY position DESC LIMIT ?2)
      UNION SELECT position FROM unindexed
      UNION SELECT position FROM (
        SELECT position FROM message WHERE position <= ?4 ORDER BY position DESC LIMIT ?2)) AS t
    JOIN message m ON m.position = t.position JOIN conversation c ON c.id = m.conversationID
    WHERE (?1 IS NULL OR m.conversationID = ?1)
      AND m.conversationID \(DeletionRule.notDeleted)
    ORDER BY m.position DESC LIMIT ?2
    """)
}

extension FoundMessage {
  fileprivate init(_ row: QueryRow<FoundColumn>) {
    position = row[.position]
    id = row[.id]
    conversation = row[.conversationID]
    sender = row[.sender]
    text = row[.body]
    createdAt = row[.createdAt]
    title = row[.title]
    storedMembers = row[.members]
  }
}

/// The progress of the index of words: the positions of the last indexed message, of the last message, and of the last
/// one that an earlier version of the engine has indexed.
package struct IndexState: Equatable {
  package var indexed: Int64
  package var last: Int64
  package var outdated: Int64 = 0

  /// The number of positions that this version has indexed.
  package var done: Int64 { indexed - outdated }

  /// The fraction of messages that this version has indexed. 1 when all are.
  var progress: Double { last > done ? Double(done) / Double(last) : 1 }
}

extension SearchRows where Access == Transaction {
  /// Adds the next messages to the index, until `maximumBytes` of text are exceeded. Changed messages come first,
  /// then new messages, then messages that an earlier version has indexed. Returns whether there were any. A message
  /// that cannot be indexed now is indexed by a later call. Indexing is idempotent.
  package func indexNext(limit: Int, maximumBytes: Int) throws -> Bool {
    _ = try db.settings.setFirst(.outdatedUpTo, to: try db.settings.value(.indexedUpTo)!)
    return try indexChanged(limit: limit, maximumBytes: maximumBytes)
      || indexNew(limit: limit, maximumBytes: maximumBytes)
      || indexOutdated(limit: limit, maximumBytes: maximumBytes)
  }

  private func indexChanged(limit: Int, maximumBytes: Int) throws -> Bool {
    let changed: [Int64] = try values("SELECT position FROM unindexed LIMIT ?", [limit])
    guard !changed.isEmpty else { return false }
    try index(changed, maximumBytes: maximumBytes) {
      try run("DELETE FROM unindexed WHERE position = ?", [$0])
    }
    return true
  }

  private func indexNew(limit: Int, maximumBytes: Int) throws -> Bool {
    let next: [Int64] = try values(
      "SELECT position FROM message WHERE position > ? ORDER BY position LIMIT ?",
      [try db.settings.value(.indexedUpTo), limit])
    guard !next.isEmpty else { return false }
    var last: Int64 = 0
    try index(next, maximumBytes: maximumBytes) { last = $0 }
    try db.settings.set(.indexedUpTo, to: last)
    return true
  }

  /// Replaces words that an earlier version has indexed, the newest messages first. Their entries stay in the index
  /// meanwhile, so that the schema's triggers remove a message that is deleted.
  private func indexOutdated(limit: Int, maximumBytes: Int) throws -> Bool {
    let outdated = try indexState().outdated
    guard outdated > 0 else { return false }
    let next: [Int64] = try values(
      "SELECT position FROM message WHERE position <= ? ORDER BY position DESC LIMIT ?", [outdated, limit])
    var rest: Int64 = 0
    try index(next, maximumBytes: maximumBytes) { rest = $0 - 1 }
    try db.settings.set(.outdatedUpTo, to: rest)
    // The replaced words remain in the parts of the index until these are merged.
    if rest == 0 { try db.settings.increment(.indexRests) }
    return true
  }

  /// Indexes the messages at these positions. Only one message's text is in memory at a time: it may be as long as
  /// an import allows.
  private func index(_ positions: [Int64], maximumBytes: Int, _ done: (Int64) throws -> Void) throws {
    var bytes = 0
    for position in positions {
      let body = try value("SELECT body FROM message WHERE position = ?", [position]) ?? ""
      let words = SearchWords.indexed(body)
      if words.isEmpty {
        try run("DELETE FROM messageText WHERE rowid = ?", [position])
      } else {
        try run("INSERT OR REPLACE INTO messageText (rowid, words) VALUES (?, ?)", [position, words])
      }
      try done(position)
      bytes += body.utf8.count
      if bytes >= maximumBytes { break }
    }
    changes.index = true
  }

  /// Merges the parts of the index, some pages at a time, so that no part contains words of deleted messages.
  /// Returns whether there is more to merge.
  ///
  /// - Parameters:
  ///   - isFirst: whether to merge all parts from now on, and not only those that are due.
  ///   - rests: the number of deletions counted when the merging began. A deletion meanwhile takes another round.
  package func mergeIndex(pages: Int, isFirst: Bool, rests: Int64) throws -> Bool {
    let before = db.database.totalChangesCount
    try run("INSERT INTO messageText (messageText, rank) VALUES ('merge', ?)", [isFirst ? -pages : pages])
    // SQLite counts this statement itself as one change.
    guard db.database.totalChangesCount - before < 2 else { return true }
    try db.settings.change(.indexRests, from: rests, to: 0)
    changes.remnants = true
    return false
  }
}

extension SearchRows {
  /// Whether there is anything to index.
  package func hasUnindexed() throws -> Bool {
    try indexState().progress < 1 || value("SELECT EXISTS (SELECT 1 FROM unindexed)")!
  }

  /// The number of deleted messages whose words are still in the index.
  package func indexRests() throws -> Int64 {
    try db.settings.value(.indexRests) ?? 0
  }

  package func indexState() throws -> IndexState {
    let indexed = try db.settings.value(.indexedUpTo)!
    return IndexState(
      indexed: indexed,
      last: try value("SELECT max(position) FROM message") ?? 0,
      outdated: min(try db.settings.value(.outdatedUpTo) ?? indexed, indexed))
  }

  /// The best of the newest `candidates` messages that have all the words. Costs examining each candidate.
  func indexedMatches(
    _ match: String, in conversation: ConversationKey?, candidates: Int, limit: Int
  ) throws -> [FoundMessage] {
    try rows(
      FoundColumn.best, [match, conversation?.rawValue, candidates, limit], FoundMessage.init)
  }

  /// The newest messages that have all the words of a vague query. Usually they are among the newest `looked`
  /// messages, and nothing else is read. Otherwise each message that has the words is examined.
  func newestMatches(
    _ query: SearchQuery, in conversation: ConversationKey?, looked: Int, limit: Int
  ) throws -> [FoundMessage] {
    let found = try newestMessages(looked, limit: limit) { message in
      (conversation == nil || message.conversation == conversation)
        && query.matches(in: SearchWords.words(of: message.text)) != nil
    }
    guard found.count < limit else { return found }
    return try rows(FoundColumn.newest, [query.match, conversation?.rawValue, limit], FoundMessage.init)
  }

  /// The matches among the newest `count` messages, newest first, at most `limit`. It reads no further than needed.
  func newestMessages(
    _ count: Int, limit: Int, where isSought: (FoundMessage) -> Bool
  ) throws -> [FoundMessage] {
    var found: [FoundMessage] = []
    guard limit > 0 else { return found }
    try forEachRow(of: FoundColumn.latest, [count]) { row in
      let message = FoundMessage(row)
      if isSought(message) { found.append(message) }
      return found.count < limit
    }
    return found
  }

  /// The messages that this version has not indexed yet, newest first, at most `limit`.
  func unindexedMessages(
    beside state: IndexState, in conversation: ConversationKey?, limit: Int
  ) throws -> [FoundMessage] {
    try rows(
      FoundColumn.unindexed, [conversation?.rawValue, limit, state.indexed, state.outdated], FoundMessage.init
    )
  }
}
