import GRDB
import HoldfastCore

private enum StateColumn: String, QueryColumn {
  case parkedCode, parkedExplanation, isHeld

  static let entry = select("FROM outbox WHERE position = ?")
}

private enum StreamStateColumn: String, QueryColumn {
  case isInterrupted, failedCode, failedExplanation

  static let message = select("FROM stream WHERE messageID = ?")
}

private enum StatusTargetColumn: String, QueryColumn {
  case messageID = "t.messageID"
  case isStopped = "t.parkedCode IS NOT NULL OR t.isHeld"

  /// The message of an operation, while the message is in the outbox itself.
  static let operation = select(
    "FROM operation p JOIN outbox t ON t.messageID = p.messageID WHERE p.id = ?")
}

private enum DepthColumn: String, QueryColumn {
  case waiting, held, failed

  static let outbox = select(
    """
    FROM (
      SELECT count(*) FILTER (WHERE \(OutboxRule.isQueued)) AS waiting,
        count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 1) AS held,
        count(*) FILTER (WHERE parkedCode IS NOT NULL) AS failed
      FROM outbox)
    """)
}

private enum QueuedColumn: String, QueryColumn {
  case id = "coalesce(messageID, operationID)"
  case enqueuedAt

  static let oldest = select("FROM outbox WHERE parkedCode IS NULL ORDER BY enqueuedAt, position LIMIT 1")
}

/// The status of a message or an operation, as far as the store knows.
package struct StoredStatus {
  package var place: StatusFacts.Place
  /// The number of attempts that failed because of the message itself.
  package var attempts = 0
  /// The conversation in whose queue the message is. Nil when it is in none.
  package var conversation: ConversationKey?
  /// The attachments of a message that is in the outbox.
  package var attachments: [StoredAttachment] = []
}

extension StoredMessage {
  package func place(in queue: QueueFacts) -> StatusFacts.Place {
    guard let entry = outboxPosition else {
      return isStreaming ? .stream(isInterrupted: isInterrupted, failure: failure) : .delivered
    }
    return queue.place(of: QueueFacts.Entry(id: id, position: entry, failure: failure, isHeld: isHeld))
  }

  /// The place of an operation on this message that the server has not carried out.
  package func place(of operation: StoredOperation, in queue: QueueFacts) -> StatusFacts.Place {
    let target = isInOutbox ? QueueFacts.Target(id: id, isStopped: failure != nil || isHeld) : nil
    return queue.place(
      of: QueueFacts.Entry(
        id: operation.id, position: operation.position, failure: operation.failure, target: target))
  }
}

/// The status of the outbox: of one message, and as a whole.
extension OutboxRows {
  /// The status of a message or an operation, as far as the store knows.
  package func status(
    of id: MessageID, afterFailure: ChatConfiguration.RetryPolicy.AfterFailure
  ) throws -> StoredStatus {
    guard let (entry, conversation) = try entry(of: id),
      let state = try row(
        StateColumn.entry, [entry.position],
        { row in (failure: row.failure(.parkedCode, .parkedExplanation), isHeld: row[.isHeld] as Bool) })
    else { return StoredStatus(place: try placeOutsideOutbox(of: id)) }
    let target = try row(StatusTargetColumn.operation, [id.rawValue]) { row in
      QueueFacts.Target(id: row[.messageID], isStopped: row[.isStopped])
    }
    let place = try queueFacts(of: conversation, afterFailure: afterFailure).place(
      of: QueueFacts.Entry(
        id: id, position: entry.position, failure: state.failure, isHeld: state.isHeld, target: target))
    return StoredStatus(
      place: place, attempts: entry.attempts, conversation: conversation,
      attachments: entry.isOperation ? [] : try db.attachments.all(of: id))
  }

  private func placeOutsideOutbox(of id: MessageID) throws -> StatusFacts.Place {
    let stream = try row(StreamStateColumn.message, [id.rawValue]) { row in
      StatusFacts.Place.stream(
        isInterrupted: row[.isInterrupted], failure: row.failure(.failedCode, .failedExplanation))
    }
    if let stream { return stream }
    let isAccepted = try exists("SELECT 1 FROM operation WHERE id = ?", [id.rawValue])
    let known = try db.messages.known(id)
    return known == nil && !isAccepted ? .unknown : .delivered
  }

  /// The facts that the unsent entries of a conversation share. Costs one pass over the outbox if a failed message
  /// blocks those behind it.
  func queueFacts(
    of conversation: ConversationKey, afterFailure: ChatConfiguration.RetryPolicy.AfterFailure
  ) throws -> QueueFacts {
    let failed = afterFailure == .block ? try firstFailed(in: conversation) : nil
    return QueueFacts(
      refusal: try db.conversations.refusal(of: conversation),
      stop: failed.map { QueueFacts.Stop(id: $0.id, position: $0.position) },
      first: try entries(of: conversation, behind: 0, limit: 1).first?.id)
  }

  /// The number of outbox entries in each state. Costs one pass over the outbox.
  package func depth() throws -> (waiting: Int, held: Int, failed: Int) {
    try row(DepthColumn.outbox) { ($0[.waiting], $0[.held], $0[.failed]) }!
  }

  /// The oldest message or operation that has not failed, with the time of the ``WaitingClock`` at which it was
  /// queued. Costs one pass over the outbox.
  package func oldestQueued() throws -> (id: MessageID, reading: Int64)? {
    try row(QueuedColumn.oldest) { ($0[.id], $0[.enqueuedAt]) }
  }

  /// The latest time of the ``WaitingClock`` that an entry has: at which it was queued, or first sent. Nil when the
  /// outbox is empty.
  package func lastWaitingReading() throws -> Int64? {
    try value("SELECT max(max(enqueuedAt, coalesce(departedAt, enqueuedAt))) FROM outbox")
  }
}
