import HoldfastCore
import HoldfastTransport

extension StreamRows where Access == Transaction {
  /// Stores what the tail has of replies under way. The tail keeps it until ``Store/foldTail()``.
  package func fold(_ tail: StreamLog) throws { try fold(try tail.entries()) }

  func fold(_ entries: [StreamLog.Entry]) throws {
    for (id, chunk) in try unstored(of: entries) {
      try run(TokenBuffer.Chunk.insertion, chunk.arguments(of: id))
    }
  }
}

extension StreamRows {
  /// Shows what the tail has as if it were stored, to the queries of one connection that only reads: a temporary table has
  /// the name of the stored one, and hides it (<https://sqlite.org/lang_naming.html>).
  func overlay(_ entries: [StreamLog.Entry]) throws {
    guard !entries.isEmpty else { return }
    let unstored = try unstored(of: entries)
    try db.database.execute(
      sql: """
        CREATE TEMP TABLE chunk AS SELECT * FROM main.chunk;
        CREATE INDEX temp.chunkOfMessage ON chunk (messageID, firstSequence);
        """)
    for (id, chunk) in unstored {
      try db.database.execute(sql: TokenBuffer.Chunk.insertion, arguments: chunk.arguments(of: id))
    }
  }

  /// The words of the tail that are behind the stored ones, as one chunk for each reply that is under way. Words that do
  /// not begin where the ones before them end are stored already, or are of an earlier attempt.
  private func unstored(of entries: [StreamLog.Entry]) throws -> [MessageID: TokenBuffer.Chunk] {
    var (unstored, ends) = ([MessageID: TokenBuffer.Chunk](), [MessageID: Int64]())
    for entry in entries {
      let (id, chunk) = (entry.id, entry.chunk)
      let end = try ends[id] ?? storedEnd(of: id)
      guard chunk.firstSequence == end else { continue }
      ends[id] = chunk.nextSequence
      guard unstored[id] != nil else {
        unstored[id] = chunk
        continue
      }
      unstored[id]?.nextSequence = chunk.nextSequence
      unstored[id]?.text += chunk.text
      unstored[id]?.reasoning += chunk.reasoning
    }
    return unstored
  }

  /// The number of the piece behind the stored ones. Nil when the message is not under way, or nothing of it is stored.
  private func storedEnd(of id: MessageID) throws -> Int64? {
    try value(
      """
      SELECT c.nextSequence FROM stream s JOIN chunk c ON c.messageID = s.messageID
      WHERE s.messageID = ? ORDER BY c.firstSequence DESC LIMIT 1
      """, [id.rawValue])
  }
}
