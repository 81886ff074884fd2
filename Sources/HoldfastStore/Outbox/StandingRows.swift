import GRDB
import HoldfastCore

private enum StateColumn: String, QueryColumn {
  case parkedCode, parkedExplanation, isHeld

  static let entry = select("FROM outbox WHERE position = ?")
}

private enum StandingTargetColumn: String, QueryColumn {
  case messageID = "t.messageID"
  case isStopped = "t.parkedCode IS NOT NULL OR t.isHeld"

  /// The message of an operation, while the message is in the outbox itself.
  static let operation = select(
    "FROM operation p JOIN outbox t ON t.messageID = p.messageID WHERE p.id = ?")
}

private enum DepthColumn: String, QueryColumn {
  case waiting = "count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 0)"
  case held = "count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 1)"
  case failed = "count(*) FILTER (WHERE parkedCode IS NOT NULL)"

  static let outbox = select("FROM outbox")
}

private enum QueuedColumn: String, QueryColumn {
  case id = "coalesce(messageID, operationID)"
  case enqueuedAt

  static let oldest = select("FROM outbox WHERE parkedCode IS NULL ORDER BY enqueuedAt, position LIMIT 1")
}

/// The standing of the outbox: of one message, and as a whole.
extension Reading {
  /// The standing of a message or an operation, as far as the store knows. The conversation is nil unless the
  /// entry is queued and does not depend on a failed or held message.
  package func standing(
    of id: MessageID, behindFailed: ChatConfiguration.RetryPolicy.BehindFailed
  ) throws -> (place: MessageStanding.Place, conversation: ConversationID?) {
    guard let (entry, conversation) = try outboxEntry(of: id),
      let state = try row(
        StateColumn.entry, [entry.position],
        { row in (failure: row.failure(.parkedCode, .parkedExplanation), isHeld: row[.isHeld] as Bool) })
    else {
      let isAccepted = try exists("SELECT 1 FROM operation WHERE id = ?", [id.rawValue])
      let known = try knownMessage(id)
      return (known == nil && !isAccepted ? .unknown : .delivered, nil)
    }
    if let failure = state.failure { return (.failed(failure), nil) }
    if state.isHeld { return (.held, nil) }
    let target = try row(StandingTargetColumn.operation, [id.rawValue]) { row in
      (message: row[.messageID] as MessageID, isStopped: row[.isStopped] as Bool)
    }
    if let target, target.isStopped { return (.dependent(on: target.message), nil) }
    if let refusal = try refusal(of: conversation) { return (.refused(refusal), conversation) }
    if behindFailed == .wait, let failed = try firstFailed(in: conversation), failed.position < entry.position
    {
      return (.behindFailed(failed.id), conversation)
    }
    if let target { return (.queued(behind: target.message), conversation) }
    let first = try outboxEntries(of: conversation, behind: 0, limit: 1).first?.id
    return (.queued(behind: first == id ? nil : first), conversation)
  }

  /// The number of outbox entries in each state. Costs one pass over the outbox.
  package func outboxDepth() throws -> (waiting: Int, held: Int, failed: Int) {
    try row(DepthColumn.outbox) { ($0[.waiting], $0[.held], $0[.failed]) }!
  }

  /// The oldest message or operation that has not failed, with the reading of the ``WaitingClock`` at which it was
  /// queued. Costs one pass over the outbox.
  package func oldestQueued() throws -> (id: MessageID, reading: Int64)? {
    try row(QueuedColumn.oldest) { ($0[.id], $0[.enqueuedAt]) }
  }

  /// The reading of the ``WaitingClock`` at which the last entry was queued. Nil when the outbox is empty.
  package func lastEnqueued() throws -> Int64? {
    try value("SELECT enqueuedAt FROM outbox ORDER BY position DESC LIMIT 1")
  }
}
