import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The messages and operations that the server has not confirmed.
package struct OutboxRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var outbox: OutboxRows<Self> { OutboxRows(db: self) }
}

extension OutboxRows where Access == Transaction {
  /// Refuses a message that would exceed the limits (rule O12). Positions only grow, so the span of positions in the
  /// outbox is an upper bound for every count. Exact counts are made only when the span is large.
  package func requireRoom(in conversation: ConversationKey, limits: ChatConfiguration.OutboxLimits) throws {
    let span =
      try value("SELECT (SELECT max(position) FROM outbox) - (SELECT min(position) FROM outbox) + 1") ?? 0
    guard span >= min(limits.perConversation, limits.total) else { return }
    guard try unsentCount() < limits.total, try unsentCount(of: conversation) < limits.perConversation
    else {
      throw ChatError(
        .outboxFull, "Too many messages wait to be sent. The text stays in the composer until some have left."
      )
    }
  }

  /// Puts a message into the outbox. The message itself is inserted in the same transaction. `reading` is a time of
  /// the ``WaitingClock``.
  package func enqueue(_ id: MessageID, in conversation: ConversationKey, at reading: Int64) throws {
    try run(
      "INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES (?, ?, ?)",
      [id.rawValue, conversation.rawValue, reading])
    changes.noteEntry(id, in: conversation)
    changes.lanes.insert(conversation)
  }

  /// Takes a message out of the outbox, because the server has it.
  func remove(_ id: MessageID, in conversation: ConversationKey) throws {
    try run("DELETE FROM outbox WHERE messageID = ?", [id.rawValue])
    changes.noteEntry(id, in: conversation)
  }

  /// Counts the sent attempt of messages before they are sent, so that a message that crashes the process is not
  /// retried forever. Announces no change, like the next three functions: no observer shows these counts.
  package func countTransmissions(_ positions: [Int64], at reading: Int64) throws {
    for position in positions {
      try run(
        """
        UPDATE outbox SET unanswered = unanswered + 1, mayHaveArrived = 1, departedAt = coalesce(departedAt, ?)
        WHERE position = ?
        """, [reading, position])
    }
  }

  /// Resets the count of sent attempts of messages that were not at fault. With `areRefused`, the server has stated
  /// that it does not have them.
  package func forgetTransmissions(_ recalled: [OutboxLane.Flight], areRefused: Bool) throws {
    for flight in recalled {
      // Another entry may have taken the position of a deleted entry.
      try run(
        """
        UPDATE outbox SET unanswered = 0, mayHaveArrived = mayHaveArrived AND NOT ?1,
          departedAt = CASE WHEN ?1 THEN NULL ELSE departedAt END
        WHERE position = ?2 AND coalesce(messageID, operationID) = ?3
        """, [areRefused, flight.position, flight.id.rawValue])
    }
  }

  /// Notes that the server does not have these messages, according to its response. The count of unacknowledged
  /// attempts is kept.
  package func noteAbsent(_ ids: [MessageID]) throws {
    for id in ids {
      try run("UPDATE outbox SET mayHaveArrived = 0, departedAt = NULL WHERE messageID = ?", [id.rawValue])
    }
  }

  /// Stores the number of attempts after a response that faults the message itself.
  package func setAttempts(_ attempts: Int, of entry: OutboxEntry) throws {
    try run("UPDATE outbox SET attempts = ? WHERE position = ?", [attempts, entry.position])
  }

  /// Marks a message or an operation as failed, with a reason. A message keeps its place in the timeline. The
  /// messages behind it continue, but the operations on it wait.
  package func fail(_ entry: OutboxEntry, in conversation: ConversationKey, reason: FailureReason) throws {
    let isToBeNoted = try db.deliveries.isFailureToBeNoted(of: entry)
    try run(
      "UPDATE outbox SET parkedCode = ?, parkedExplanation = ? WHERE position = ?",
      [reason.code.rawValue, reason.explanation.storable, entry.position])
    try run(
      """
      UPDATE message SET place = ? WHERE id = (SELECT messageID FROM outbox WHERE position = ?)
      """,
      [TimelinePlace.failed(behind: try db.messages.lastConfirmedPlace(in: conversation)), entry.position])
    changes.noteEntry(in: conversation)
    // The entries behind the failed one are free now.
    changes.lanes.insert(conversation)
    try db.operations.dropPointless(besideFailed: entry)
    if isToBeNoted { try db.deliveries.noteFailure(of: entry, in: conversation, reason: reason) }
  }

  /// Marks all waiting and in-flight messages of the conversation as failed.
  func failWaiting(in conversation: ConversationKey, reason: FailureReason) throws {
    let waiting: [MessageID] = try values(
      """
      SELECT messageID FROM outbox
      WHERE conversationID = ? AND messageID IS NOT NULL AND parkedCode IS NULL ORDER BY position
      """, [conversation.rawValue])
    for id in waiting {
      if let found = try entry(of: id) { try fail(found.entry, in: conversation, reason: reason) }
    }
  }

  /// Puts a failed or held message, or a failed operation, back at the end of the outbox. Its attempts start again,
  /// as if it had been queued at `reading`. The operations that wait for a message follow it. A queued entry keeps
  /// its position, because it may be in flight. With `keepsPlace`, a failed message keeps its position too, because
  /// the messages behind it have waited for it.
  package func requeue(_ id: MessageID, at reading: Int64, keepsPlace: Bool = false) throws -> ConversationKey
  {
    let (entry, conversation) = try requireEntry(of: id)
    if keepsPlace, try resume(id, in: conversation, at: reading) { return conversation }
    let isQueued: Bool = try value(
      "SELECT \(OutboxRule.isQueued) FROM outbox WHERE position = ?", [entry.position])!
    if isQueued { return conversation }
    try run(
      """
      UPDATE outbox SET position = (SELECT max(position) + 1 FROM outbox), attempts = 0, unanswered = 0,
        departedAt = CASE WHEN parkedCode IS NOT ? THEN departedAt END,
        parkedCode = NULL, parkedExplanation = NULL, isHeld = FALSE, enqueuedAt = ?
      WHERE position = ?
      """, [FailureReason.Code.outcomeUnknown.rawValue, reading, entry.position])
    try run(
      """
      UPDATE message SET place = ?, position = (SELECT max(position) + 1 FROM message)
      WHERE id = (SELECT messageID FROM outbox WHERE messageID = ?)
      """, [TimelinePlace.underWay, id.rawValue])
    try db.operations.move(behind: id)
    changes.noteEntry(in: conversation)
    changes.lanes.insert(conversation)
    return conversation
  }

  func requireEntry(
    of id: MessageID
  ) throws -> (entry: OutboxEntry, conversation: ConversationKey) {
    guard let found = try entry(of: id) else {
      throw ChatError(.tooLate, "The message is not in the outbox: it has been delivered, or is gone.")
    }
    return found
  }
}

private enum EntryColumn: String, QueryColumn {
  case position
  case id = "coalesce(messageID, operationID)"
  case attempts, unanswered
  case firstSentAt = "departedAt"
  case isOperation = "operationID IS NOT NULL"
  case mayBeOutOfOrder = "mayHaveArrived AND (departedAt IS NULL OR departedAt < enqueuedAt)"
}

private enum LaneColumn: String, ExtendingColumn {
  typealias Shared = EntryColumn

  case waitsForUpload = """
    EXISTS (
      SELECT 1 FROM attachmentUse u JOIN attachment a ON a.checksum = u.checksum
      WHERE u.messageID = o.messageID AND (a.serverID IS NULL OR a.uploadedBytes <> a.byteCount))
    """

  static let next = select(
    """
    FROM outbox o
      WHERE conversationID = ? AND position > ? AND \(OutboxRule.isQueued)
        AND (operationID IS NULL OR NOT EXISTS (
          SELECT 1 FROM operation p JOIN outbox t ON t.messageID = p.messageID
          WHERE p.id = o.operationID AND (\(OutboxRule.isStoppedInT) OR t.position > o.position)))
      ORDER BY position LIMIT ?
    """)
}

private enum FoundEntryColumn: String, ExtendingColumn {
  typealias Shared = EntryColumn

  case conversationID

  static let message = select("FROM outbox WHERE messageID = ?")
  static let operation = select("FROM outbox WHERE operationID = ?")
}

extension OutboxEntry {
  fileprivate init(_ row: QueryRow<EntryColumn>) {
    self.init(
      position: row[.position], id: row[.id], attempts: row[.attempts], unanswered: row[.unanswered],
      firstSentAt: row[.firstSentAt], isOperation: row[.isOperation], mayBeOutOfOrder: row[.mayBeOutOfOrder])
  }

  fileprivate init(_ row: QueryRow<LaneColumn>) {
    self.init(row.shared)
    waitsForUpload = row[.waitsForUpload]
  }
}

/// An entry, and the conversation in which it was found.
private struct FoundEntry {
  let entry: OutboxEntry
  let conversation: ConversationKey

  init(_ row: QueryRow<FoundEntryColumn>) {
    entry = OutboxEntry(row.shared)
    conversation = row[.conversationID]
  }
}

private enum CountColumn: String, QueryColumn {
  case conversationID
  case count = "count(*)"

  /// The queued entries, plus the stopped ones, minus the operations.
  static let unsent = select(
    """
    FROM outbox WHERE \(OutboxRule.isQueued) GROUP BY conversationID
    UNION ALL
    SELECT conversationID, count(*) FROM outbox WHERE \(OutboxRule.isStopped) GROUP BY conversationID
    UNION ALL
    SELECT conversationID, -count(*) FROM outbox WHERE operationID IS NOT NULL GROUP BY conversationID
    """)
}

extension OutboxRows {
  /// The conversations with something to send. The conversation that has waited longest comes first.
  package func conversationsToSend() throws -> [ConversationKey] {
    try values(queuedConversations)
  }

  /// The next entries of a lane, after `position`. An operation is skipped while its message has failed or is held.
  /// The operation waits, and the messages behind it continue (rule O8).
  package func entries(
    of conversation: ConversationKey, behind position: Int64, limit: Int
  ) throws -> [OutboxEntry] {
    try rows(LaneColumn.next, [conversation.rawValue, position, limit], OutboxEntry.init)
  }

  /// The entry of a message or an operation. Nil when it is not in the outbox.
  package func entry(of id: MessageID) throws -> (entry: OutboxEntry, conversation: ConversationKey)? {
    let found =
      try row(FoundEntryColumn.message, [id.rawValue], FoundEntry.init)
      ?? row(FoundEntryColumn.operation, [id.rawValue], FoundEntry.init)
    return found.map { ($0.entry, $0.conversation) }
  }

  /// The number of waiting messages, neither failed nor held. Operations are subtracted by an index of their own.
  package func queuedCount() throws -> Int {
    try value(queuedMessages) ?? 0
  }

  /// The number of unsent entries, failed ones included: messages, and operations on them.
  package func unsentCount(of conversation: ConversationKey? = nil) throws -> Int {
    guard let conversation else { return try value("SELECT count(*) FROM outbox") ?? 0 }
    return try value("SELECT count(*) FROM outbox WHERE conversationID = ?", [conversation.rawValue]) ?? 0
  }

  /// The number of unsent messages by conversation, for the list. It is 0 for a conversation that has only
  /// operations. Costs one pass over the outbox, and one over the index of queued entries, which is in the order
  /// of the grouping. Operations are counted by an index of their own.
  package func unsentCounts() throws -> [ConversationKey: Int] {
    let counts = try rows(CountColumn.unsent) { row in
      (row[.conversationID] as ConversationKey, row[.count] as Int)
    }
    return Dictionary(counts, uniquingKeysWith: +)
  }
}

private let queuedConversations = """
  SELECT conversationID FROM outbox WHERE \(OutboxRule.isQueued) GROUP BY conversationID ORDER BY min(position)
  """

private let queuedMessages = """
  SELECT (SELECT count(*) FROM outbox WHERE \(OutboxRule.isQueued))
    - (SELECT count(*) FROM outbox WHERE operationID IS NOT NULL AND \(OutboxRule.isQueued))
  """
