import Foundation
import GRDB

/// A message or an operation that waits in the outbox, with what a lane decides by.
struct OutboxEntry: Equatable, Sendable {
  var position: Int64
  var id: MessageID
  /// Faults that were its own.
  var attempts: Int
  /// How often it left this device and nothing was heard of it since.
  var unanswered: Int
  /// The server does not have all of its attachments yet.
  var waitsForUpload = false
}

/// What a message that was taken out of the queue consisted of.
struct UnsentMessage {
  var conversation: ConversationID
  var body: String
  var attachments: [Attachment]
}

extension Transaction {
  /// The outbox half of sending: the message itself is inserted in the same transaction. `reading` is that of the
  /// ``WaitingClock``.
  func enqueue(_ id: MessageID, in conversation: ConversationID, at reading: Int64) throws {
    try run(
      "INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
      [id.rawValue, conversation.rawValue, reading])
    changes.lanes.insert(conversation)
    changes.outbox = true
  }

  /// The messages are about to leave. Counted first, so that one that ends the process is not tried for ever.
  func countDepartures(_ positions: [Int64]) throws {
    for position in positions {
      try run(
        "UPDATE outbox SET unanswered = unanswered + 1, mayHaveArrived = 1 WHERE position = ?", [position])
    }
  }

  /// Nothing was the fault of these: what was counted at their departure is given back. With `areRefused`
  /// the server has said that it does not have them.
  func forgetDepartures(_ departed: [OutboxLane.Flight], areRefused: Bool) throws {
    for flight in departed {
      // A row that is gone may have left its position to another one.
      try run(
        """
        UPDATE outbox SET unanswered = 0, mayHaveArrived = mayHaveArrived AND NOT ?
        WHERE position = ? AND coalesce(messageID, operationID) = ?
        """, [areRefused, flight.position, flight.id.rawValue])
    }
  }

  /// The server answered, with a fault that is the message's own.
  func setAttempts(_ attempts: Int, of entry: OutboxEntry) throws {
    try run("UPDATE outbox SET attempts = ? WHERE position = ?", [attempts, entry.position])
  }

  /// Stops a message or an operation for a reason. A message stays where it is in the timeline; the ones behind it
  /// go on, but for the operations on it.
  func park(_ entry: OutboxEntry, in conversation: ConversationID, reason: FailureReason) throws {
    try run(
      "UPDATE outbox SET parkedCode = ?, parkedExplanation = ? WHERE position = ?",
      [reason.code.rawValue, reason.explanation.storable, entry.position])
    try run(
      """
      UPDATE message SET place = ? WHERE id = (SELECT messageID FROM outbox WHERE position = ?)
      """, [TimelinePlace.failed(behind: try lastConfirmedPlace(in: conversation)), entry.position])
    changes.timelines.insert(conversation)
    // Those behind it are free now.
    changes.lanes.insert(conversation)
    changes.outbox = true
    changes.list = true
    try dropWhatIsPointless(besideParked: entry)
  }

  /// Puts a failed or held message, or a failed operation, back at the end of the queue, with all its attempts, as if
  /// it had been sent at `reading`. The operations that wait for a message follow it there. What waits already keeps
  /// its place: it may be on its way.
  func requeue(_ id: MessageID, at reading: Int64) throws -> ConversationID {
    let (entry, conversation) = try requireOutboxEntry(of: id)
    let isQueued =
      try db.row(
        "SELECT parkedCode IS NULL AND isHeld = 0 FROM outbox WHERE position = ?", [entry.position])![
        0] as Bool
    if isQueued { return conversation }
    try run(
      """
      UPDATE outbox SET position = (SELECT max(position) + 1 FROM outbox), attempts = 0, unanswered = 0,
        parkedCode = NULL, parkedExplanation = NULL, isHeld = 0, enqueuedAt = ?
      WHERE position = ?
      """, [reading, entry.position])
    try run(
      """
      UPDATE message SET place = ?, position = (SELECT max(position) + 1 FROM message)
      WHERE id = (SELECT messageID FROM outbox WHERE messageID = ?)
      """, [TimelinePlace.underWay, id.rawValue])
    try moveOperations(behind: id)
    changes.timelines.insert(conversation)
    changes.lanes.insert(conversation)
    changes.outbox = true
    changes.list = true
    return conversation
  }

  /// Removes an unsent message from queue and timeline, with all that was done to it, and gives what it consisted of,
  /// its text as it is shown. Once this is committed, the files of its attachments go that nothing else refers to.
  @discardableResult
  func removeUnsent(_ id: MessageID) throws -> UnsentMessage {
    let (_, conversation) = try requireOutboxEntry(of: id)
    guard
      let body = try db.row(
        """
        SELECT coalesce((SELECT p.payload FROM operation p JOIN outbox o ON o.operationID = p.id
            WHERE p.messageID = ?1 AND p.kind = 'edit' ORDER BY o.position DESC LIMIT 1), body)
        FROM message WHERE id = ?1
        """, [id.rawValue])
    else {
      throw ChatError(.unknownMessage, "This is a change of a message, and no message. Cancel it instead.")
    }
    let attachments = try db.attachments(of: id).map(\.attachment)
    if !attachments.isEmpty { changes.unusedAttachments = true }
    try run("DELETE FROM message WHERE id = ?", [id.rawValue])
    changes.timelines.insert(conversation)
    // What is behind it may have waited for its attachments.
    changes.lanes.insert(conversation)
    changes.outbox = true
    changes.list = true
    return UnsentMessage(conversation: conversation, body: body[0], attachments: attachments)
  }

  private func requireOutboxEntry(
    of id: MessageID
  ) throws -> (entry: OutboxEntry, conversation: ConversationID) {
    guard let found = try db.outboxEntry(of: id) else {
      throw ChatError(.tooLate, "The message is not in the outbox: it has been delivered, or is gone.")
    }
    return found
  }
}

extension Database {
  /// Conversations with something to send, the one that waits longest first.
  func conversationsToSend() throws -> [ConversationID] {
    try rows(
      """
      SELECT conversationID FROM outbox WHERE parkedCode IS NULL AND isHeld = 0
      GROUP BY conversationID ORDER BY min(position)
      """
    ) { ConversationID(rawValue: $0[0]) }
  }

  /// The next entries of a lane, behind `position`. An operation is passed over while its message has failed or is
  /// held: the messages behind it go on, and it waits (SPEC O8).
  func outboxEntries(
    of conversation: ConversationID, behind position: Int64, limit: Int
  ) throws -> [OutboxEntry] {
    try rows(
      """
      SELECT position, coalesce(messageID, operationID), attempts, unanswered, EXISTS (
        SELECT 1 FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum
        WHERE u.messageID = o.messageID AND (a.serverID IS NULL OR a.uploadedBytes <> a.byteCount))
      FROM outbox o
      WHERE conversationID = ? AND position > ? AND parkedCode IS NULL AND isHeld = 0
        AND (operationID IS NULL OR NOT EXISTS (
          SELECT 1 FROM operation p JOIN outbox t ON t.messageID = p.messageID
          WHERE p.id = o.operationID AND (t.parkedCode IS NOT NULL OR t.isHeld = 1 OR t.position > o.position)))
      ORDER BY position LIMIT ?
      """, [conversation.rawValue, position, limit]
    ) {
      var entry = Self.outboxEntry($0)
      entry.waitsForUpload = $0[4]
      return entry
    }
  }

  /// The entry of a message or an operation. Nil: it is not in the outbox.
  func outboxEntry(of id: MessageID) throws -> (entry: OutboxEntry, conversation: ConversationID)? {
    let columns =
      "SELECT position, coalesce(messageID, operationID), attempts, unanswered, conversationID FROM outbox"
    let found =
      try row(columns + " WHERE messageID = ?", [id.rawValue])
      ?? row(columns + " WHERE operationID = ?", [id.rawValue])
    return found.map { (Self.outboxEntry($0), ConversationID(rawValue: $0[4])) }
  }

  private static func outboxEntry(_ row: Row) -> OutboxEntry {
    OutboxEntry(position: row[0], id: MessageID(rawValue: row[1]), attempts: row[2], unanswered: row[3])
  }

  /// What goes over the wire for one entry. Found by its place in the queue: a server could have given somebody's
  /// message the ID of an operation of ours.
  func outgoing(_ departure: OutboxLane.Departure) throws -> OutgoingMessage? {
    try outgoingMessage(departure) ?? outgoingOperation(departure)
  }

  private func outgoingMessage(_ departure: OutboxLane.Departure) throws -> OutgoingMessage? {
    try row(
      """
      SELECT m.conversationID, m.role, m.body, m.reasoning, m.createdAt, c.members, c.isConfirmed,
        CASE WHEN c.titleIsCustom THEN c.title END,
        EXISTS (SELECT 1 FROM attachmentUse u WHERE u.messageID = m.id)
      FROM outbox o JOIN message m ON m.id = o.messageID JOIN conversation c ON c.id = m.conversationID
      WHERE o.position = ?
      """, [departure.position]
    ).map { row in
      OutgoingMessage(
        id: departure.id, conversation: ConversationID(rawValue: row[0]),
        members: row[6] ? [] : Self.decodeMembers(row[5]), title: row[6] ? nil : row[7],
        role: MessageRole(rawValue: row[1]) ?? .user, body: row[2], reasoning: row[3],
        createdAt: Date(microseconds: row[4]),
        attachments: row[8] ? try sentAttachments(of: departure.id) : [],
        predecessor: departure.predecessor, handover: departure.handover)
    }
  }

  private func sentAttachments(of id: MessageID) throws -> [SentAttachment] {
    try rows(
      """
      SELECT u.checksum, u.name, u.mediaType, a.byteCount, a.serverID
      FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum WHERE u.messageID = ? ORDER BY u.number
      """, [id.rawValue]
    ) { row in
      SentAttachment(
        Attachment(
          checksum: AttachmentChecksum(rawValue: row[0]), name: row[1], mediaType: row[2], byteCount: row[3]),
        serverID: row[4] ?? "")
    }
  }

  private func outgoingOperation(_ departure: OutboxLane.Departure) throws -> OutgoingMessage? {
    try row(
      """
      SELECT o.conversationID, p.kind, p.messageID, p.payload, p.createdAt
      FROM outbox o JOIN operation p ON p.id = o.operationID WHERE o.position = ?
      """, [departure.position]
    ).flatMap { row in
      guard let kind = MessageOperation.Kind(rawValue: row[1]) else { return nil }
      return OutgoingMessage(
        id: departure.id, conversation: ConversationID(rawValue: row[0]), body: row[3] ?? "",
        createdAt: Date(microseconds: row[4]),
        operation: MessageOperation(kind, of: MessageID(rawValue: row[2])),
        predecessor: departure.predecessor, handover: departure.handover)
    }
  }

  /// Messages that wait: neither failed nor held. Operations are not counted; they have an index of their own.
  func queuedCount() throws -> Int {
    try row(
      """
      SELECT (SELECT count(*) FROM outbox WHERE parkedCode IS NULL AND isHeld = 0)
        - (SELECT count(*) FROM outbox WHERE operationID IS NOT NULL AND parkedCode IS NULL AND isHeld = 0)
      """)![0]
  }

  /// All that is unsent, failed ones included: messages, and operations on them.
  func unsentCount(of conversation: ConversationID? = nil) throws -> Int {
    guard let conversation else { return try row("SELECT count(*) FROM outbox")![0] }
    return try row("SELECT count(*) FROM outbox WHERE conversationID = ?", [conversation.rawValue])![0]
  }
}

extension Transaction {
  /// Refuses what would not fit (SPEC O12). Positions only grow, so that the span of a lane bounds its count
  /// from above, and the exact count is made only when the span is large.
  func requireRoom(in conversation: ConversationID, limits: OutboxLimits) throws {
    let span: Int = try db.row(
      """
      SELECT coalesce((SELECT max(position) FROM outbox) - (SELECT min(position) FROM outbox) + 1, 0)
      """)![0]
    guard span >= min(limits.perConversation, limits.total) else { return }
    guard try db.unsentCount() < limits.total, try db.unsentCount(of: conversation) < limits.perConversation
    else {
      throw ChatError(
        .outboxFull, "Too many messages wait to be sent. The text stays in the composer until some have left."
      )
    }
  }
}

extension Database {
  /// The server may have it already: it has left, and nothing was heard of it.
  func mayHaveArrived(_ entry: OutboxEntry) throws -> Bool {
    try row("SELECT mayHaveArrived FROM outbox WHERE position = ?", [entry.position])?[0] ?? false
  }
}

extension Database {
  /// Unsent messages by conversation, for the list. Costs one pass over the outbox.
  func unsentCounts() throws -> [ConversationID: Int] {
    Dictionary(
      uniqueKeysWithValues: try rows(
        "SELECT conversationID, count(messageID) FROM outbox GROUP BY conversationID"
      ) { (ConversationID(rawValue: $0[0]), $0[1] as Int) })
  }
}
