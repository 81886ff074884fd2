import GRDB

/// What is told of the outbox, of one message and as a whole.
extension Database {
  /// Where a message stands, as far as the store knows. The conversation is nil unless it is queued.
  func standing(
    of id: MessageID
  ) throws -> (place: MessageStanding.Place, conversation: ConversationID?) {
    guard
      let entry = try row(
        "SELECT conversationID, parkedCode, parkedExplanation, isHeld FROM outbox WHERE messageID = ?",
        [id.rawValue])
    else {
      let known = try knownMessage(id)
      return (known == nil ? .unknown : .delivered, nil)
    }
    let parkedCode: String? = entry[1]
    if let parkedCode { return (.failed(FailureReason(.init(rawValue: parkedCode), entry[2] ?? "")), nil) }
    let isHeld: Bool = entry[3]
    if isHeld { return (.held, nil) }
    let conversation = ConversationID(rawValue: entry[0])
    let first = try outboxEntries(of: conversation, behind: 0, limit: 1).first?.id
    return (.queued(behind: first == id ? nil : first), conversation)
  }

  /// How many of the outbox are in which state. Costs one pass over the outbox.
  func outboxDepth() throws -> (waiting: Int, held: Int, failed: Int) {
    let depth = try row(
      """
      SELECT count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 0),
        count(*) FILTER (WHERE parkedCode IS NULL AND isHeld = 1),
        count(*) FILTER (WHERE parkedCode IS NOT NULL)
      FROM outbox
      """)!
    return (depth[0], depth[1], depth[2])
  }

  /// The oldest that has not failed, with the reading of the ``WaitingClock`` at which it was queued. Costs one pass
  /// over the outbox.
  func oldestQueued() throws -> (id: MessageID, reading: Int64)? {
    try row(
      """
      SELECT messageID, enqueuedAt FROM outbox WHERE parkedCode IS NULL ORDER BY enqueuedAt, position LIMIT 1
      """
    ).map { (MessageID(rawValue: $0[0]), $0[1]) }
  }

  /// The reading of the ``WaitingClock`` at which the last of them was queued.
  func lastEnqueued() throws -> Int64? {
    try row("SELECT enqueuedAt FROM outbox ORDER BY position DESC LIMIT 1")?[0]
  }
}
