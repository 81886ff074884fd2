import HoldfastCore
import HoldfastTransport

extension StreamRows where Access == Transaction {
  /// Stores the stream log's text of running replies. The log keeps it until ``Store/foldTail()``.
  package func fold(_ tail: StreamLog) throws { try fold(try tail.entries()) }

  func fold(_ entries: [StreamLog.Entry]) throws {
    for (id, chunk) in try unstored(of: entries) {
      try run(TokenBuffer.Chunk.insertion, chunk.arguments(of: id))
    }
  }
}

extension StreamRows {
  /// Shows the stream log's text as if it were stored, to the queries of one read-only connection: a temporary table
  /// has the name of the stored one, and hides it (<https://sqlite.org/lang_naming.html>).
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

  /// The log's text after the stored text, as one chunk for each running reply. An entry that does not begin where
  /// the previous one ends is stored already, or belongs to an earlier attempt.
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

  /// The sequence number after the stored pieces. Nil when the reply is not running, or nothing of it is stored.
  private func storedEnd(of id: MessageID) throws -> Int64? {
    try value(
      """
      SELECT c.nextSequence FROM stream s JOIN chunk c ON c.messageID = s.messageID
      WHERE s.messageID = ? ORDER BY c.firstSequence DESC LIMIT 1
      """, [id.rawValue])
  }
}
