import Foundation
import GRDB
import HoldfastCore

/// A message as it is stored, before the state of this process is added.
package struct StoredMessage {
  package var id: MessageID
  package var sender: UserID
  package var role: MessageRole
  package var body: String
  package var reasoning: String?
  package var serverOrder: Int64?
  package var createdAt: Date
  package var isInOutbox: Bool
  package var failure: FailureReason?
  package var isHeld: Bool
  package var isStreaming: Bool
  package var isInterrupted: Bool
  /// For a stream: whether it is written on this device.
  package var isWrittenHere = false
  package var editedAt: Date?
  package var isDeleted: Bool
  /// The number of times that the server has changed the message. At 0, nothing else has to be read for the
  /// message.
  package var revision: Int64
  package var replyTo: MessageID?
  package var formatting: Data?
  package var reactions: [SentReaction] = []
  /// Operations on the message that its row does not have yet, in the order in which the server carries them out.
  package var operations: [StoredOperation] = []
}

extension Transaction {
  /// Appends a message. `place` is where the timeline shows it.
  package func insertMessage(
    _ id: MessageID, in conversation: ConversationID, sender: UserID, role: MessageRole, body: String,
    reasoning: String?, order: Int64?, place: Int64, createdAt: Date
  ) throws {
    try run(
      """
      INSERT INTO message (id, conversationID, serverOrder, place, sender, role, body, reasoning, createdAt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        id.rawValue, conversation.rawValue, order, place, sender.rawValue, role.rawValue, body, reasoning,
        createdAt.microseconds,
      ])
    changes.timelines.insert(conversation)
  }

  /// Confirms a message with the server's order and time. The same transaction takes it out of the outbox, so
  /// that the message is never both confirmed and waiting.
  package func confirmMessage(
    _ id: MessageID, in conversation: ConversationID, order: Int64?, createdAt: Date
  ) throws {
    try run("DELETE FROM outbox WHERE messageID = ?", [id.rawValue])
    try run(
      "UPDATE message SET serverOrder = ?, place = ?, createdAt = ? WHERE id = ?",
      [
        order, try place(order: order, in: conversation), createdAt.microseconds, id.rawValue,
      ])
    changes.timelines.insert(conversation)
    changes.outbox = true
    changes.list = true
  }

  /// The place of a confirmed message. It is behind the last confirmed message if the backend has no order.
  package func place(order: Int64?, in conversation: ConversationID) throws -> Int64 {
    if let order { return TimelinePlace.confirmed(order: order) }
    return TimelinePlace.next(behind: try lastConfirmedPlace(in: conversation))
  }

  func lastConfirmedPlace(in conversation: ConversationID) throws -> Int64 {
    try row(
      """
      SELECT place FROM message WHERE conversationID = ? AND place < ?
      ORDER BY place DESC, position DESC LIMIT 1
      """,
      [conversation.rawValue, TimelinePlace.underWay])?[0] ?? 0
  }
}

/// A title of at most 40 characters from the first line, cut at a word if possible.
package func title(from body: String) -> String {
  // Only the beginning is read: a body may have a megabyte.
  let head = body.drop(while: \.isNewline).prefix(41).prefix { !$0.isNewline }
  guard head.count > 40 else { return String(head) }
  let cut = head.lastIndex(where: \.isWhitespace) ?? head.index(before: head.endIndex)
  return head[..<cut].trimmingCharacters(in: .whitespaces) + "…"
}

extension Reading {
  package func knownMessage(_ id: MessageID) throws -> KnownMessage? {
    try row(
      """
      SELECT m.conversationID, m.sender, o.messageID IS NOT NULL, s.messageID IS NOT NULL,
        coalesce(o.mayHaveArrived, 0), m.revision
      FROM message m
      LEFT JOIN outbox o ON o.messageID = m.id
      LEFT JOIN stream s ON s.messageID = m.id
      WHERE m.id = ?
      """, [id.rawValue]
    ).map {
      KnownMessage(
        conversation: ConversationID(rawValue: $0[0]), sender: UserID(rawValue: $0[1]),
        isUnconfirmed: $0[2], isStreaming: $0[3], mayHaveArrived: $0[4], revision: $0[5])
    }
  }

  /// The last `limit` messages of a conversation, oldest first. Operations and reactions are read only if there
  /// are any. One look for all rows tells whether there are operations. Each row's revision tells whether the
  /// message was ever changed.
  package func timeline(of conversation: ConversationID, limit: Int) throws -> [StoredMessage] {
    var hasOperations = false
    var messages = try rows(
      Self.timelineSQL + " WHERE m.conversationID = ? ORDER BY m.place DESC, m.position DESC LIMIT ?",
      [conversation.rawValue, limit]
    ) { row in
      if row[16] { hasOperations = true }
      return Self.storedMessage(row)
    }
    try readStreams(into: &messages)
    if messages.contains(where: { $0.revision > 0 }) {
      let reactions = try reactions(in: conversation, limit: limit)
      for index in messages.indices { messages[index].reactions = reactions[messages[index].id] ?? [] }
    }
    if hasOperations {
      let operations = try operations(in: conversation, limit: limit)
      for index in messages.indices { messages[index].operations = operations[messages[index].id] ?? [] }
    }
    messages.reverse()
    return messages
  }

  /// A message with its neighbours, oldest first: at most `older` messages up to and including it, and at most
  /// `newer` behind it. Nil when the message is not in the conversation.
  package func timeline(
    of conversation: ConversationID, around anchor: MessageID, older: Int, newer: Int
  ) throws -> [StoredMessage]? {
    guard anchor.isWellFormed,
      let place = try row(
        "SELECT place, position FROM message WHERE id = ? AND conversationID = ?",
        [anchor.rawValue, conversation.rawValue])
    else { return nil }
    let (anchorPlace, anchorPosition): (Int64, Int64) = (place[0], place[1])
    var hasOperations = false
    func page(_ side: String, _ direction: String, _ limit: Int) throws -> [StoredMessage] {
      try rows(
        Self.timelineSQL + """
           WHERE m.conversationID = ? AND (m.place, m.position) \(side) (?, ?)
          ORDER BY m.place \(direction), m.position \(direction) LIMIT ?
          """, [conversation.rawValue, anchorPlace, anchorPosition, limit]
      ) { row in
        if row[16] { hasOperations = true }
        return Self.storedMessage(row)
      }
    }
    var messages = try page("<=", "DESC", older).reversed() + page(">", "ASC", newer)
    try readStreams(into: &messages)
    for index in messages.indices {
      if messages[index].revision > 0 { messages[index].reactions = try reactions(to: messages[index].id) }
      if hasOperations { messages[index].operations = try operations(of: messages[index].id) }
    }
    return messages
  }

  private func readStreams(into messages: inout [StoredMessage]) throws {
    for index in messages.indices where messages[index].isStreaming {
      let prefix = try streamPrefix(of: messages[index].id)
      messages[index].body = prefix.text
      messages[index].reasoning = prefix.reasoning.isEmpty ? nil : prefix.reasoning
      messages[index].isWrittenHere = try writer(of: messages[index].id) != nil
    }
  }

  private static let timelineSQL = """
    SELECT m.id, m.sender, m.role, m.body, m.reasoning, m.serverOrder, m.createdAt,
      o.messageID IS NOT NULL, o.parkedCode, o.parkedExplanation, s.messageID IS NOT NULL, s.isInterrupted,
      o.isHeld, m.editedAt, m.deletedAt IS NOT NULL, m.revision, EXISTS (SELECT 1 FROM operation),
      m.replyTo, m.formatting
    FROM message m
    LEFT JOIN outbox o ON o.messageID = m.id
    LEFT JOIN stream s ON s.messageID = m.id
    """

  private static func storedMessage(_ row: Row) -> StoredMessage {
    let parkedCode: String? = row[8]
    return StoredMessage(
      id: MessageID(rawValue: row[0]), sender: UserID(rawValue: row[1]),
      role: MessageRole(rawValue: row[2]) ?? .user, body: row[3], reasoning: row[4],
      serverOrder: row[5], createdAt: Date(microseconds: row[6]), isInOutbox: row[7],
      failure: parkedCode.map { FailureReason(.init(rawValue: $0), row[9] ?? "") },
      isHeld: row[12] ?? false,
      isStreaming: row[10], isInterrupted: row[11] ?? false,
      editedAt: (row[13] as Int64?).map(Date.init(microseconds:)), isDeleted: row[14], revision: row[15],
      replyTo: (row[17] as String?).map(MessageID.init(rawValue:)), formatting: row[18])
  }
}
