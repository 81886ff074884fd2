import Foundation
import GRDB

/// A message that waits in the outbox, with what a lane decides by.
struct OutboxEntry: Equatable, Sendable {
  var position: Int64
  var id: MessageID
  /// Faults that were this message's own.
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

  /// Nothing was the messages' fault: what was counted at their departure is given back. With `areRefused`
  /// the server has said that it does not have them.
  func forgetDepartures(_ ids: [MessageID], areRefused: Bool) throws {
    for id in ids {
      try run(
        "UPDATE outbox SET unanswered = 0, mayHaveArrived = mayHaveArrived AND NOT ? WHERE messageID = ?",
        [areRefused, id.rawValue])
    }
  }

  /// The server answered, with a fault that is the message's own.
  func setAttempts(_ attempts: Int, of id: MessageID) throws {
    try run("UPDATE outbox SET attempts = ? WHERE messageID = ?", [attempts, id.rawValue])
  }

  /// Stops a message for a reason. It stays where it is in the timeline, and the ones behind it go on.
  func park(_ id: MessageID, in conversation: ConversationID, reason: FailureReason) throws {
    try run(
      "UPDATE outbox SET parkedCode = ?, parkedExplanation = ? WHERE messageID = ?",
      [reason.code.rawValue, reason.explanation.storable, id.rawValue])
    guard changedRows > 0 else { return }
    try run(
      "UPDATE message SET place = ? WHERE id = ?",
      [TimelinePlace.failed(behind: try lastConfirmedPlace(in: conversation)), id.rawValue])
    changes.timelines.insert(conversation)
    // Those behind it are free now.
    changes.lanes.insert(conversation)
    changes.outbox = true
    changes.list = true
  }

  /// Puts a failed or held message back at the end of the queue, with all its attempts, as if it had been sent at
  /// `reading`. One that waits already keeps its place: it may be on its way.
  func requeue(_ id: MessageID, at reading: Int64) throws -> ConversationID {
    let conversation = try requireOutboxConversation(of: id)
    let isQueued =
      try db.row(
        "SELECT parkedCode IS NULL AND isHeld = 0 FROM outbox WHERE messageID = ?", [id.rawValue])![0] as Bool
    if isQueued { return conversation }
    // The key on the message takes the old entry away, and with it everything that was counted.
    try run(
      """
      INSERT OR REPLACE INTO outbox (position, messageID, conversationID, mayHaveArrived, enqueuedAt)
      SELECT (SELECT max(position) + 1 FROM outbox), messageID, conversationID, mayHaveArrived, ?
      FROM outbox WHERE messageID = ?
      """, [reading, id.rawValue])
    try run(
      "UPDATE message SET place = ?, position = (SELECT max(position) + 1 FROM message) WHERE id = ?",
      [TimelinePlace.underWay, id.rawValue])
    changes.timelines.insert(conversation)
    changes.lanes.insert(conversation)
    changes.outbox = true
    changes.list = true
    return conversation
  }

  /// Removes an unsent message from queue and timeline, and gives what it consisted of.
  func removeUnsent(_ id: MessageID) throws -> UnsentMessage {
    let conversation = try requireOutboxConversation(of: id)
    let body: String = try db.row("SELECT body FROM message WHERE id = ?", [id.rawValue])![0]
    let attachments = try db.attachments(of: id).map(\.attachment)
    try run("DELETE FROM message WHERE id = ?", [id.rawValue])
    changes.timelines.insert(conversation)
    // What is behind it may have waited for its attachments.
    changes.lanes.insert(conversation)
    changes.outbox = true
    changes.list = true
    return UnsentMessage(conversation: conversation, body: body, attachments: attachments)
  }

  private func requireOutboxConversation(of id: MessageID) throws -> ConversationID {
    guard let row = try db.row("SELECT conversationID FROM outbox WHERE messageID = ?", [id.rawValue])
    else {
      throw ChatError(.tooLate, "The message is not in the outbox: it has been delivered, or is gone.")
    }
    return ConversationID(rawValue: row[0])
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

  /// The next entries of a lane, behind `position`.
  func outboxEntries(
    of conversation: ConversationID, behind position: Int64, limit: Int
  ) throws -> [OutboxEntry] {
    try rows(
      """
      SELECT position, messageID, attempts, unanswered, EXISTS (
        SELECT 1 FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum
        WHERE u.messageID = outbox.messageID AND (a.serverID IS NULL OR a.uploadedBytes <> a.byteCount))
      FROM outbox
      WHERE conversationID = ? AND position > ? AND parkedCode IS NULL AND isHeld = 0
      ORDER BY position LIMIT ?
      """, [conversation.rawValue, position, limit]
    ) {
      OutboxEntry(
        position: $0[0], id: MessageID(rawValue: $0[1]), attempts: $0[2], unanswered: $0[3],
        waitsForUpload: $0[4])
    }
  }

  func attempts(of id: MessageID) throws -> Int? {
    try row("SELECT attempts FROM outbox WHERE messageID = ?", [id.rawValue])?[0]
  }

  /// What goes over the wire for one entry.
  func outgoingMessage(
    _ id: MessageID, predecessor: MessageID?, handover: Int64
  ) throws -> OutgoingMessage? {
    try row(
      """
      SELECT m.conversationID, m.role, m.body, m.reasoning, m.createdAt, c.members, c.isConfirmed,
        CASE WHEN c.titleIsCustom THEN c.title END,
        EXISTS (SELECT 1 FROM attachmentUse u WHERE u.messageID = m.id)
      FROM message m JOIN conversation c ON c.id = m.conversationID WHERE m.id = ?
      """, [id.rawValue]
    ).map { row in
      let attachments: [SentAttachment] = row[8] ? try sentAttachments(of: id) : []
      return OutgoingMessage(
        id: id, conversation: ConversationID(rawValue: row[0]),
        members: row[6] ? [] : Self.decodeMembers(row[5]), title: row[6] ? nil : row[7],
        role: MessageRole(rawValue: row[1]) ?? .user, body: row[2], reasoning: row[3],
        createdAt: Date(microseconds: row[4]), attachments: attachments, predecessor: predecessor,
        handover: handover)
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

  /// Messages that wait: neither failed nor held.
  func queuedCount() throws -> Int {
    try row("SELECT count(*) FROM outbox WHERE parkedCode IS NULL AND isHeld = 0")![0]
  }

  /// All unsent messages, failed ones included.
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
  func mayHaveArrived(_ id: MessageID) throws -> Bool {
    try row("SELECT mayHaveArrived FROM outbox WHERE messageID = ?", [id.rawValue])?[0] ?? false
  }
}

extension Database {
  /// Unsent messages by conversation, for the list. Costs one pass over the outbox.
  func unsentCounts() throws -> [ConversationID: Int] {
    Dictionary(
      uniqueKeysWithValues: try rows("SELECT conversationID, count(*) FROM outbox GROUP BY conversationID") {
        (ConversationID(rawValue: $0[0]), $0[1] as Int)
      })
  }
}
