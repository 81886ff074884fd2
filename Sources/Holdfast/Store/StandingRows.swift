import GRDB

/// What is told of the outbox, of one message and as a whole.
extension Database {
  /// Where a message stands, as far as the store knows. The conversation is nil unless it is queued.
  func standing(
    of id: MessageID, behindFailed: RetryPolicy.BehindFailed
  ) throws -> (place: MessageStanding.Place, conversation: ConversationID?) {
    guard
      let entry = try row(
        "SELECT conversationID, parkedCode, parkedExplanation, isHeld, position FROM outbox WHERE messageID = ?",
        [id.rawValue])
    else {
      let known = try knownMessage(id)
      return (known == nil ? .unknown : .delivered, nil)
    }
    if let failure = Self.failure(code: entry[1], explanation: entry[2]) { return (.failed(failure), nil) }
    let isHeld: Bool = entry[3]
    if isHeld { return (.held, nil) }
    let conversation = ConversationID(rawValue: entry[0])
    if let refusal = try refusal(of: conversation) { return (.refused(refusal), conversation) }
    if behindFailed == .wait, let failed = try firstFailed(in: conversation), failed.position < entry[4] {
      return (.behindFailed(failed.id), conversation)
    }
    let first = try outboxEntries(of: conversation, behind: 0, limit: 1).first?.id
    return (.queued(behind: first == id ? nil : first), conversation)
  }

  /// How many of the outbox are in which state, and since when the oldest has waited that has not failed. Costs one
  /// pass over the outbox.
  func outboxDepth() throws -> (waiting: Int, held: Int, failed: Int, oldest: Int64?) {
    let depth = try row(
      """
      SELECT count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 0),
        count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 1),
        count(*) FILTER (WHERE parkedCode IS NOT NULL), min(enqueuedAt) FILTER (WHERE parkedCode IS NULL)
      FROM outbox
      """)!
    return (depth[0], depth[1], depth[2], depth[3])
  }

  /// The reading of the ``WaitingClock`` at which the last of them was queued.
  func lastEnqueued() throws -> Int64? {
    try row("SELECT enqueuedAt FROM outbox ORDER BY position DESC LIMIT 1")?[0]
  }
}
