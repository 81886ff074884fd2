import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The replies that are being written, and the requests that they answer.
package struct StreamRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var streams: StreamRows<Self> { StreamRows(db: self) }
}

private enum HeadColumn: String, QueryColumn {
  case writer, isInterrupted, regenerates, failedCode, metadata

  static let stream = select("FROM stream WHERE messageID = ?")
}

/// A stream without its text.
struct StreamHead {
  /// The launch of the app that writes it on this device. Nil when it is not written here.
  var writer: String?
  var isInterrupted: Bool
  /// Whether the stream regenerates a message that is already whole.
  var regenerates: Bool
  var hasFailed: Bool
  /// The metadata of a regeneration. Any other stream's metadata is in the message's row.
  var metadata: Data?

  fileprivate init(_ row: QueryRow<HeadColumn>) {
    writer = row[.writer]
    isInterrupted = row[.isInterrupted]
    regenerates = row[.regenerates]
    hasFailed = (row[.failedCode] as String?) != nil
    metadata = row[.metadata]
  }
}

private enum StreamColumn: String, QueryColumn {
  case messageID = "s.messageID"
  case conversationID = "m.conversationID"

  static let running = select("FROM stream s JOIN message m ON m.id = s.messageID WHERE NOT s.isInterrupted")
}

private enum ChunkColumn: String, QueryColumn {
  case nextSequence, text, reasoning

  static let message = select("FROM chunk WHERE messageID = ? ORDER BY firstSequence")
}

extension StreamRows where Access == Transaction {
  /// Inserts the row of a message whose first piece has arrived. It is in the timeline from now on.
  package func begin(_ piece: StreamPiece, in conversation: ConversationKey, now: Date) throws {
    try db.messages.insert(
      piece.id, in: conversation, sender: piece.sender, role: piece.role, content: MessageContent(),
      order: nil, place: TimelinePlace.underWay, createdAt: now)
    try run(
      "INSERT INTO stream (messageID, startedAt) VALUES (?, ?)", [piece.id.rawValue, now.microseconds])
    try db.conversations.touch(conversation, now: now)
  }

  /// Begins a stream that this launch writes on this device, with or without a request that it answers.
  package func begin(
    _ piece: StreamPiece, in conversation: ConversationKey, by writer: String, answering request: RequestID?,
    now: Date
  ) throws {
    try begin(piece, in: conversation, now: now)
    try run(
      "UPDATE stream SET writer = ?, requestID = ? WHERE messageID = ?",
      [writer, request?.rawValue, piece.id.rawValue])
  }

  /// Takes over a reply that was cut off on this device. Returns the part of it that is stored.
  package func takeOver(
    _ id: MessageID, by writer: String
  ) throws -> (conversation: ConversationKey, sender: UserID, stored: StreamPrefix) {
    guard id.isWellFormed, let known = try db.messages.known(id),
      !db.localDeletions.isHidden(known.conversation)
    else {
      throw ChatError(.unknownMessage, "There is no such message on this device.")
    }
    guard let state = try head(of: id) else {
      throw ChatError(.notInterrupted, "The reply is whole: there is nothing to continue or to retry.")
    }
    guard state.writer != nil else {
      throw ChatError(
        .notYourMessage, "The reply is not written on this device. It goes on when whoever writes it does.")
    }
    guard state.isInterrupted else {
      throw ChatError(.beingWritten, "The reply is being written. Wait until it is finished or cut off.")
    }
    try run(
      """
      UPDATE stream SET writer = ?, isInterrupted = 0, failedCode = NULL, failedExplanation = NULL WHERE messageID = ?
      """, [writer, id.rawValue])
    if !state.regenerates {
      try run("UPDATE message SET place = ? WHERE id = ?", [TimelinePlace.underWay, id.rawValue])
    }
    try run(
      """
      UPDATE work SET writer = ?, isInterrupted = 0
      WHERE requestID = (SELECT requestID FROM stream WHERE messageID = ?)
      """, [writer, id.rawValue])
    changes.timelines.insert(known.conversation)
    return (known.conversation, known.sender, try prefix(of: id))
  }

  /// Appends coalesced pieces. Does nothing when they are stored already.
  package func append(_ chunk: TokenBuffer.Chunk, to id: MessageID, in conversation: ConversationKey)
    throws
  {
    // The list shows the beginning of the text.
    if chunk.firstSequence == 0 || chunk.replacesEarlier { changes.list = true }
    if chunk.replacesEarlier {
      try run("DELETE FROM chunk WHERE messageID = ?", [id.rawValue])
      changes.deletedTexts = true
    }
    try run(TokenBuffer.Chunk.insertion, chunk.arguments(of: id))
    try run("UPDATE stream SET isInterrupted = 0 WHERE messageID = ? AND isInterrupted", [id.rawValue])
    let goesOn = changedRows > 0
    // The screen has the text already. Only the first text, or a resumption, changes what it shows beside the text.
    if chunk.firstSequence == 0 || chunk.replacesEarlier || goesOn { changes.timelines.insert(conversation) }
  }

  /// Replaces the streamed text with the whole text, and adds metadata, references and the request that the stream
  /// answers. The request is no longer in progress.
  package func finish(_ id: MessageID, _ content: MessageContent) throws {
    let conversation: ConversationKey? = try value(
      """
      UPDATE message SET \(MessageContent.replacements),
        request = (SELECT requestID FROM stream WHERE messageID = message.id)
      WHERE id = ? RETURNING conversationID
      """,
      content.replacing + [id.rawValue])
    try run(
      "DELETE FROM work WHERE requestID = (SELECT requestID FROM stream WHERE messageID = ?)", [id.rawValue])
    try run("DELETE FROM stream WHERE messageID = ?", [id.rawValue])
    if let conversation { changes.noteMessage(in: conversation) }
  }

  /// Replaces the metadata of a running reply. The end of the reply replaces it again.
  package func setMetadata(_ metadata: Data?, ofStream id: MessageID) throws {
    // A message that is being regenerated keeps its own metadata until then.
    try run("UPDATE stream SET metadata = ? WHERE messageID = ? AND regenerates", [metadata, id.rawValue])
    let conversation: ConversationKey? =
      changedRows > 0
      ? try db.messages.known(id)?.conversation
      : try value(
        "UPDATE message SET metadata = ? WHERE id = ? RETURNING conversationID", [metadata, id.rawValue])
    if let conversation { changes.timelines.insert(conversation) }
  }

  /// Stores the final text from the server, with its order and time. The request that it answers is no longer in
  /// progress. The message's row is written in one statement: a long text written twice in one transaction takes
  /// twice the pages.
  package func confirm(
    _ id: MessageID, in conversation: ConversationKey, content: MessageContent, order: Int64?, createdAt: Date
  ) throws {
    try run("DELETE FROM stream WHERE messageID = ?", [id.rawValue])
    try db.outbox.remove(id, in: conversation)
    try run(
      confirmation,
      content.arguments + [
        order, try db.messages.place(order: order, in: conversation), createdAt.microseconds, id.rawValue,
      ])
    if let request = content.request { try endRequest(request, in: conversation) }
    changes.noteMessage(in: conversation)
  }

  /// - Parameter failure: why the reply failed. Nil when it was cut off for a reason unknown to its writer.
  package func interrupt(
    _ id: MessageID, in conversation: ConversationKey, because failure: FailureReason? = nil
  ) throws {
    try run(
      "UPDATE stream SET failedCode = ?, failedExplanation = ? WHERE messageID = ?",
      [failure?.code.rawValue, failure?.explanation, id.rawValue])
    try cutOffStream(id, in: conversation, ifEmpty: .replyStopped)
    try run(
      "UPDATE work SET isInterrupted = 1 WHERE requestID = (SELECT requestID FROM stream WHERE messageID = ?)",
      [id.rawValue])
  }

  /// Removes a message that was being streamed, because a message from the server has its ID.
  package func remove(_ id: MessageID, in conversation: ConversationKey) throws {
    try run("DELETE FROM message WHERE id = ?", [id.rawValue])
    changes.noteMessage(in: conversation)
  }

  /// Remembers a message that is removed before the server has acknowledged it. If the message was streamed, the
  /// server may resend its pieces for as long as it keeps them. Those pieces do not begin the message again.
  func forget(of id: MessageID) throws {
    try run("INSERT INTO forgottenStream (messageID) VALUES (?) ON CONFLICT DO NOTHING", [id.rawValue])
    try keepNewestForgottenStreams()
  }

  /// Remembers all such messages of a conversation that is deleted for good.
  func forgetAll(in conversation: ConversationKey) throws {
    try run(
      """
      INSERT INTO forgottenStream (messageID)
      SELECT * FROM (
        SELECT s.messageID FROM stream s JOIN message m ON m.id = s.messageID WHERE m.conversationID = ?1
        UNION ALL
        SELECT * FROM (
          SELECT messageID FROM outboxAside WHERE conversationID = ?1 AND messageID IS NOT NULL
          ORDER BY position DESC LIMIT ?2))
      WHERE true ON CONFLICT DO NOTHING
      """, [conversation.rawValue, mostForgottenStreams])
    try keepNewestForgottenStreams()
  }

  private func keepNewestForgottenStreams() throws {
    try run(
      "DELETE FROM forgottenStream WHERE position <= (SELECT max(position) FROM forgottenStream) - ?",
      [mostForgottenStreams])
  }

  /// Ends the streams of a conversation that is deleted. A stream without stored text fails, in case Undo restores
  /// it.
  func endAll(in conversation: ConversationKey) throws {
    let reason = FailureReason(ChatConfiguration.ShownText.Failure.replyStopped)
    try run(
      """
      UPDATE stream SET isInterrupted = 1,
        failedCode = CASE WHEN \(isUnexplained) THEN ?2 ELSE failedCode END,
        failedExplanation = CASE WHEN \(isUnexplained) THEN ?3 ELSE failedExplanation END
      WHERE messageID IN (
        SELECT s.messageID FROM stream s JOIN message m ON m.id = s.messageID WHERE m.conversationID = ?1)
      """, [conversation.rawValue, reason.code.rawValue, reason.explanation])
  }

  /// Marks all streams as interrupted, except `own`: the streams that are being written here.
  package func interruptAll(except own: [MessageID] = []) throws {
    let streams = try rows(StreamColumn.running) { row in
      (id: row[.messageID] as MessageID, conversation: row[.conversationID] as ConversationKey)
    }
    for (id, conversation) in streams where !own.contains(id) {
      try cutOffStream(id, in: conversation, ifEmpty: .replyLost)
    }
  }

  /// Marks a stream as interrupted. A stream that is written here keeps its place, like a failed message, and later
  /// messages go after it. But it never goes before its question, if the question is unsent.
  ///
  /// Someone else's stream without stored text is removed: its writer may have deleted it, and nobody here could
  /// remove the empty row. If the writer continues, the server sends the pieces again from the first.
  ///
  /// - Parameter cause: why a stream that is written here failed, if not even its first word is stored and its
  ///   writer gave no reason (rule L4).
  private func cutOffStream(
    _ id: MessageID, in conversation: ConversationKey, ifEmpty cause: ChatConfiguration.ShownText.Failure
  ) throws {
    try run("UPDATE stream SET isInterrupted = 1 WHERE messageID = ?", [id.rawValue])
    changes.timelines.insert(conversation)
    let isEmpty = try !exists(
      "SELECT 1 FROM chunk WHERE messageID = ? AND (text <> '' OR reasoning <> '')", [id.rawValue])
    guard let head = try head(of: id), head.writer != nil else {
      return isEmpty ? try remove(id, in: conversation) : ()
    }
    // There is no text to continue, and the answer keeps its earlier content.
    if isEmpty, head.regenerates, cause == .replyStopped, !head.hasFailed {
      return try endRegeneration(id, in: conversation)
    }
    if isEmpty {
      let reason = FailureReason(cause)
      try run(
        "UPDATE stream SET failedCode = ?, failedExplanation = ? WHERE messageID = ? AND failedCode IS NULL",
        [reason.code.rawValue, reason.explanation, id.rawValue])
    }
    guard !head.regenerates else { return }
    try run(
      """
      UPDATE message SET place = ?1 WHERE id = ?2 AND NOT EXISTS (
        SELECT 1 FROM message earlier WHERE earlier.conversationID = ?3 AND earlier.place = ?4
          AND earlier.position < message.position)
      """,
      [
        TimelinePlace.failed(behind: try db.messages.lastConfirmedPlace(in: conversation)), id.rawValue,
        conversation.rawValue, TimelinePlace.underWay,
      ])
  }
}

extension StreamRows {
  /// The launch of the app that writes the message on this device. Nil when it is not written here, or is
  /// finished.
  package func writer(of id: MessageID) throws -> String? {
    try value("SELECT writer FROM stream WHERE messageID = ?", [id.rawValue])
  }

  /// The request that a message answers, whole or unfinished. Nil when it answers none.
  package func request(answeredBy id: MessageID) throws -> RequestID? {
    try value(
      """
      SELECT coalesce(m.request, s.requestID) FROM message m LEFT JOIN stream s ON s.messageID = m.id WHERE m.id = ?
      """, [id.rawValue])
  }

  /// The metadata of a reply that is being written, or was cut off. Nil when it has none.
  package func metadata(ofStream id: MessageID) throws -> Data? {
    try value(
      """
      SELECT CASE WHEN s.regenerates THEN s.metadata ELSE m.metadata END
      FROM stream s JOIN message m ON m.id = s.messageID WHERE s.messageID = ?
      """, [id.rawValue])
  }

  /// The head of a stream: everything but its text. Nil: the message is not a stream.
  func head(of id: MessageID) throws -> StreamHead? {
    try row(HeadColumn.stream, [id.rawValue], StreamHead.init)
  }

  /// Whether the message was removed before the server acknowledged it. Its pieces do not begin it again.
  package func isForgotten(_ id: MessageID) throws -> Bool {
    try exists("SELECT 1 FROM forgottenStream WHERE messageID = ?", [id.rawValue])
  }

  package func prefix(of id: MessageID) throws -> StreamPrefix {
    var prefix = StreamPrefix()
    try forEachRow(of: ChunkColumn.message, [id.rawValue]) { row in
      prefix.nextSequence = row[.nextSequence]
      prefix.text += row[.text]
      prefix.reasoning += row[.reasoning]
      return true
    }
    return prefix
  }
}

extension TokenBuffer.Chunk {
  static let insertion = """
    INSERT INTO chunk (messageID, firstSequence, nextSequence, text, reasoning) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """

  func arguments(of id: MessageID) -> StatementArguments {
    [id.rawValue, firstSequence, nextSequence, text, reasoning]
  }
}

private let confirmation = """
  UPDATE message SET \(MessageContent.assignments), serverOrder = ?, place = ?, createdAt = ? WHERE id = ?
  """

/// The number of removed messages that are remembered. A server keeps fewer streams of one account.
private let mostForgottenStreams = 1_000

private let isUnexplained = """
  writer IS NOT NULL AND failedCode IS NULL AND NOT EXISTS (
    SELECT 1 FROM chunk c WHERE c.messageID = stream.messageID AND (c.text <> '' OR c.reasoning <> ''))
  """
