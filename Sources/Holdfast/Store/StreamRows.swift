import Foundation
import GRDB

/// What has been stored of a message whose tokens are still arriving.
struct StreamPrefix: Equatable {
  var text = ""
  var reasoning = ""
  /// The number of the piece that comes next.
  var nextSequence: Int64 = 0
}

extension Transaction {
  /// The first piece of a message has arrived: its row is in the timeline from now on.
  func beginStream(_ piece: StreamPiece, now: Date) throws {
    try insertMessage(
      piece.id, in: piece.conversation, sender: piece.sender, role: piece.role, body: "", reasoning: nil,
      order: nil, place: TimelinePlace.underWay, createdAt: now)
    try run(
      "INSERT INTO stream (messageID, startedAt) VALUES (?, ?)", [piece.id.rawValue, now.microseconds])
    try touch(piece.conversation, now: now)
  }

  /// Appends coalesced pieces. Does nothing when they are there already.
  func appendChunk(_ chunk: TokenBuffer.Chunk, to id: MessageID, in conversation: ConversationID) throws {
    try run(
      """
      INSERT INTO chunk (messageID, firstSequence, nextSequence, text, reasoning) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """,
      [id.rawValue, chunk.firstSequence, chunk.nextSequence, chunk.text, chunk.reasoning])
    try run("UPDATE stream SET isInterrupted = 0 WHERE messageID = ? AND isInterrupted", [id.rawValue])
    changes.timelines.insert(conversation)
  }

  /// The text is whole: it replaces what was streamed.
  func finishStream(_ id: MessageID, body: String, reasoning: String?) throws {
    try run("DELETE FROM stream WHERE messageID = ?", [id.rawValue])
    try run(
      "UPDATE message SET body = ?, reasoning = ? WHERE id = ?", [body, reasoning, id.rawValue])
  }

  /// The final text has come from the server, in this order, at this time. One statement for the message's row: a
  /// long text that is written twice in one transaction takes twice the pages.
  func confirmStream(
    _ id: MessageID, in conversation: ConversationID, body: String, reasoning: String?, order: Int64?,
    createdAt: Date
  ) throws {
    try run("DELETE FROM stream WHERE messageID = ?", [id.rawValue])
    try run("DELETE FROM outbox WHERE messageID = ?", [id.rawValue])
    try run(
      "UPDATE message SET body = ?, reasoning = ?, serverOrder = ?, place = ?, createdAt = ? WHERE id = ?",
      [
        body, reasoning, order, try place(order: order, in: conversation), createdAt.microseconds,
        id.rawValue,
      ])
    changes.timelines.insert(conversation)
    changes.outbox = true
    changes.list = true
  }

  func interruptStream(_ id: MessageID, in conversation: ConversationID) throws {
    try run("UPDATE stream SET isInterrupted = 1 WHERE messageID = ?", [id.rawValue])
    changes.timelines.insert(conversation)
  }

  /// What was being written gives its ID away to a message that the server has.
  func removeStream(_ id: MessageID, in conversation: ConversationID) throws {
    try run("DELETE FROM message WHERE id = ?", [id.rawValue])
    changes.timelines.insert(conversation)
    changes.list = true
  }

  /// Nobody is writing any more what was being written before, but for those that are written here.
  func interruptStreams(except own: [MessageID] = []) throws {
    let streams = try db.rows("SELECT messageID FROM stream WHERE NOT isInterrupted") {
      MessageID(rawValue: $0[0])
    }
    for id in streams where !own.contains(id) {
      try run("UPDATE stream SET isInterrupted = 1 WHERE messageID = ?", [id.rawValue])
    }
  }
}

extension Database {
  func streamPrefix(of id: MessageID) throws -> StreamPrefix {
    var prefix = StreamPrefix()
    let chunks = try rows(
      "SELECT nextSequence, text, reasoning FROM chunk WHERE messageID = ? ORDER BY firstSequence",
      [id.rawValue]
    ) { row in (next: row[0] as Int64, text: row[1] as String, reasoning: row[2] as String) }
    for chunk in chunks {
      prefix.nextSequence = chunk.next
      prefix.text += chunk.text
      prefix.reasoning += chunk.reasoning
    }
    return prefix
  }
}
