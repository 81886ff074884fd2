import GRDB

/// What is told of the outbox, of one message and as a whole.
extension Database {
  /// Where a message stands, as far as the store knows. The conversation is nil unless it is queued.
  func standing(
    of id: MessageID
  ) throws -> (place: MessageStanding.Place, conversation: ConversationID?) {
    guard let (entry, conversation) = try outboxEntry(of: id),
      let state = try row(
        "SELECT parkedCode, parkedExplanation, isHeld FROM outbox WHERE position = ?", [entry.position])
    else {
      let isAccepted = try row("SELECT 1 FROM operation WHERE id = ?", [id.rawValue]) != nil
      let known = try knownMessage(id)
      return (known == nil && !isAccepted ? .unknown : .delivered, nil)
    }
    let parkedCode: String? = state[0]
    if let parkedCode { return (.failed(FailureReason(.init(rawValue: parkedCode), state[1] ?? "")), nil) }
    let isHeld: Bool = state[2]
    if isHeld { return (.held, nil) }
    if let target = try row(
      """
      SELECT t.messageID, t.parkedCode IS NOT NULL OR t.isHeld
      FROM operation p JOIN outbox t ON t.messageID = p.messageID WHERE p.id = ?
      """, [id.rawValue])
    {
      let message = MessageID(rawValue: target[0])
      return target[1] ? (.dependent(on: message), nil) : (.queued(behind: message), conversation)
    }
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
      SELECT coalesce(messageID, operationID), enqueuedAt FROM outbox WHERE parkedCode IS NULL
      ORDER BY enqueuedAt, position LIMIT 1
      """
    ).map { (MessageID(rawValue: $0[0]), $0[1]) }
  }

  /// The reading of the ``WaitingClock`` at which the last of them was queued.
  func lastEnqueued() throws -> Int64? {
    try row("SELECT enqueuedAt FROM outbox ORDER BY position DESC LIMIT 1")?[0]
  }
}
