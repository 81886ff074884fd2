import GRDB
import HoldfastCore

/// The standing of the outbox: of one message, and as a whole.
extension Reading {
  /// The standing of a message or an operation, as far as the store knows. The conversation is nil unless the
  /// entry is queued and does not depend on a failed or held message.
  package func standing(
    of id: MessageID, behindFailed: RetryPolicy.BehindFailed
  ) throws -> (place: MessageStanding.Place, conversation: ConversationID?) {
    guard let (entry, conversation) = try outboxEntry(of: id),
      let state = try row(
        "SELECT parkedCode, parkedExplanation, isHeld FROM outbox WHERE position = ?", [entry.position])
    else {
      let isAccepted = try row("SELECT 1 FROM operation WHERE id = ?", [id.rawValue]) != nil
      let known = try knownMessage(id)
      return (known == nil && !isAccepted ? .unknown : .delivered, nil)
    }
    if let failure = Self.failure(code: state[0], explanation: state[1]) { return (.failed(failure), nil) }
    let isHeld: Bool = state[2]
    if isHeld { return (.held, nil) }
    let target = try row(
      """
      SELECT t.messageID, t.parkedCode IS NOT NULL OR t.isHeld
      FROM operation p JOIN outbox t ON t.messageID = p.messageID WHERE p.id = ?
      """, [id.rawValue]
    ).map { (message: MessageID(rawValue: $0[0]), isStopped: $0[1] as Bool) }
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
    let depth = try row(
      """
      SELECT count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 0),
        count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 1),
        count(*) FILTER (WHERE parkedCode IS NOT NULL)
      FROM outbox
      """)!
    return (depth[0], depth[1], depth[2])
  }

  /// The oldest message or operation that has not failed, with the reading of the ``WaitingClock`` at which it was
  /// queued. Costs one pass over the outbox.
  package func oldestQueued() throws -> (id: MessageID, reading: Int64)? {
    try row(
      """
      SELECT coalesce(messageID, operationID), enqueuedAt FROM outbox WHERE parkedCode IS NULL
      ORDER BY enqueuedAt, position LIMIT 1
      """
    ).map { (MessageID(rawValue: $0[0]), $0[1]) }
  }

  /// The reading of the ``WaitingClock`` at which the last entry was queued. Nil when the outbox is empty.
  package func lastEnqueued() throws -> Int64? {
    try row("SELECT enqueuedAt FROM outbox ORDER BY position DESC LIMIT 1")?[0]
  }
}
