import GRDB
import HoldfastCore

/// A message that may be evicted.
package struct EvictableMessage: Hashable {
  package var position: Int64
  package var conversation: ConversationKey
  package var place: Int64
  /// Whether the server has the message, and no unsent item refers to it.
  package var isFree: Bool
}

extension HistoryRows where Access == Transaction {
  /// Evicts messages that the server has, with their files, and stores the horizon of each conversation. A message
  /// that has changed since it was chosen is kept. Returns the number of evicted messages.
  package func evict(_ messages: [EvictableMessage]) throws -> Int {
    let orders = try orders(ofFree: messages)
    var count = 0
    for message in messages where !db.localDeletions.isHidden(message.conversation) {
      guard let order = orders[message] else { continue }
      try run("DELETE FROM message WHERE position = ?", [message.position])
      count += 1
      try run(
        """
        INSERT INTO horizon (conversationID, serverOrder, isEvicted, members, isConfirmed)
        SELECT id, ?2, 1, members, isConfirmed FROM conversation WHERE id = ?1
        ON CONFLICT (conversationID) DO UPDATE SET serverOrder = max(serverOrder, excluded.serverOrder), isEvicted = 1
        """, [message.conversation.rawValue, order])
      try noteEviction(in: message.conversation)
      changes.timelines.insert(message.conversation)
    }
    guard count > 0 else { return 0 }
    localDeletions = try db.deletions.stored()
    changes.unusedAttachments = true
    changes.list = true
    return count
  }

  /// Removes the fetched messages of a conversation without numbers. They precede all messages that came as events,
  /// and their position among other messages is unknown. The server sends them again.
  func forgetFetched(in conversation: ConversationKey) throws {
    try run(
      """
      DELETE FROM message WHERE conversationID = ? AND place < 0 AND serverOrder IS NULL AND NOT isRecorded
        AND \(EvictableColumn.isUnreferred.rawValue)
      """, [conversation.rawValue])
    guard changedRows > 0 else { return }
    changes.unusedAttachments = true
    changes.noteMessage(in: conversation)
  }
}

private enum EvictableColumn: String, QueryColumn {
  case position, conversationID, place
  /// Whether the server has given the message a place.
  case hasOrder = "serverOrder IS NOT NULL"
  /// Whether no unsent or unfinished item refers to the message.
  case isUnreferred = """
    id NOT IN (
      SELECT messageID FROM operation
      UNION SELECT messageID FROM stream
      UNION SELECT messageID FROM messageVersion
      UNION SELECT messageID FROM outbox WHERE messageID IS NOT NULL
      UNION SELECT messageID FROM outboxAside WHERE messageID IS NOT NULL
      UNION SELECT replyTo FROM draft WHERE replyTo IS NOT NULL
      UNION SELECT editing FROM draft WHERE editing IS NOT NULL
      UNION SELECT u.replyTo FROM outbox o JOIN message u ON u.id = o.messageID WHERE u.replyTo IS NOT NULL)
    """

  static let next = select("FROM message WHERE position > ? ORDER BY position LIMIT ?")
}

/// The columns of messages that may be evicted.
private enum FreeColumn: String, QueryColumn {
  case position, conversationID, place, serverOrder

  static let oldest = select(
    "FROM message WHERE conversationID = ? AND place < ? AND \(isFree) ORDER BY place, position LIMIT ?")

  static let among = select(
    "FROM message WHERE position IN (SELECT value FROM json_each(?)) AND \(isFree)")

  private static let isFree =
    "\(EvictableColumn.hasOrder.rawValue) AND \(EvictableColumn.isUnreferred.rawValue)"
}

extension EvictableMessage {
  fileprivate init(_ row: QueryRow<EvictableColumn>) {
    position = row[.position]
    conversation = row[.conversationID]
    place = row[.place]
    isFree = row[.hasOrder] && row[.isUnreferred]
  }

  fileprivate init(_ row: QueryRow<FreeColumn>) {
    position = row[.position]
    conversation = row[.conversationID]
    place = row[.place]
    isFree = true
  }
}

private enum MessageCountColumn: String, QueryColumn {
  case conversationID
  case count = "count(*)"

  static let above = select(
    """
    FROM message WHERE conversationID \(DeletionRule.notDeleted)
    GROUP BY conversationID HAVING count(*) > ? ORDER BY conversationID
    """)
}

extension HistoryRows {
  /// The number of messages that the server has. Messages that wait to be sent, or belong to a local conversation,
  /// are not counted.
  package func messageCount() throws -> Int {
    try value(
      """
      SELECT (SELECT count(*) FROM message) - (SELECT count(*) FROM outbox WHERE messageID IS NOT NULL)
        - (SELECT count(*) FROM message WHERE conversationID IN (SELECT id FROM conversation WHERE isOnDevice))
      """) ?? 0
  }

  /// The conversations with more than `count` messages, and how many each has. Messages that the server does not
  /// have are counted too. Costs one pass over the index of messages.
  package func messageCounts(above count: Int) throws -> [(ConversationKey, Int)] {
    try rows(MessageCountColumn.above, [count]) { ($0[.conversationID], $0[.count]) }
  }

  /// The place of the first of the last `count` messages that the server has. Waiting messages are not counted. Nil
  /// when there are fewer.
  package func place(of conversation: ConversationKey, fromLast count: Int) throws -> Int64? {
    try value(
      """
      SELECT place FROM message WHERE conversationID = ? AND serverOrder IS NOT NULL
      ORDER BY place DESC, position DESC LIMIT 1 OFFSET ?
      """, [conversation.rawValue, count - 1])
  }

  /// The oldest messages that may be evicted, except the last `kept`.
  package func evictable(
    in conversation: ConversationKey, keeping kept: Int, limit: Int
  ) throws -> [EvictableMessage] {
    guard let place = try place(of: conversation, fromLast: kept) else { return [] }
    return try rows(
      FreeColumn.oldest, [conversation.rawValue, place, limit], EvictableMessage.init)
  }

  /// The next messages in the order of arrival, whether or not they may be removed.
  package func evictable(behind position: Int64, limit: Int) throws -> [EvictableMessage] {
    try rows(EvictableColumn.next, [position, limit], EvictableMessage.init)
  }

  /// The server's order of each message that is unchanged since it was chosen, and may still be evicted.
  fileprivate func orders(ofFree messages: [EvictableMessage]) throws -> [EvictableMessage: Int64] {
    let positions = "[\(messages.map { String($0.position) }.joined(separator: ","))]"
    let orders = try rows(FreeColumn.among, [positions]) { row in
      (EvictableMessage(row), row[.serverOrder] as Int64)
    }
    return Dictionary(uniqueKeysWithValues: orders)
  }
}
