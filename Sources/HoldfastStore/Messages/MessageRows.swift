import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The messages.
package struct MessageRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var messages: MessageRows<Self> { MessageRows(db: self) }
}

/// A message as it is stored, before the state of this process is added.
package struct StoredMessage {
  package var id: MessageID
  package var sender: UserID
  package var role: MessageRole
  package var content: MessageContent
  package var serverOrder: Int64?
  /// The place in the timeline: ``TimelinePlace``.
  package var place: Int64
  /// The order of arrival, which orders messages at the same place.
  package var position: Int64
  package var createdAt: Date
  /// The message's position in the outbox. Nil when it is not there.
  package var outboxPosition: Int64?
  /// The number of attempts that failed because of the message itself, while it is in the outbox.
  package var attempts = 0
  package var failure: FailureReason?
  package var isHeld = false
  package var isStreaming = false
  package var isInterrupted = false
  /// For a stream: whether it is written on this device.
  package var isWrittenHere = false
  /// For a stream: whether it regenerates a message that is already whole.
  package var isRegeneration = false
  /// Whether any text of a new answer is stored. If not, ``content`` is the earlier answer's.
  package var hasNewWords = false
  package var editedAt: Date?
  package var isDeleted: Bool
  /// The number of times that the server has changed the message. At 0, nothing else has to be read for the message.
  package var revision: Int64
  package var reactions: [IncomingMessage.Reaction] = []
  /// The number of stored earlier answers: ``MessageVersion``.
  package var versions = 0
  /// Operations that are not yet in the message's row, in the order in which the server carries them out.
  package var operations: [StoredOperation] = []

  package var isInOutbox: Bool { outboxPosition != nil }
  /// Whether the message, or an operation on it, is in the outbox.
  package var hasUnsent: Bool { isInOutbox || operations.contains { !$0.isAccepted } }
}

extension MessageRows where Access == Transaction {
  /// Appends a message. `place` is its place in the timeline. The request that the message answers is no longer in
  /// progress.
  ///
  /// - Parameter isRecorded: whether the message is finished and only this device has it.
  package func insert(
    _ id: MessageID, in conversation: ConversationKey, sender: UserID, role: MessageRole,
    content: MessageContent, order: Int64?, place: Int64, createdAt: Date, isRecorded: Bool = false
  ) throws {
    try run(
      insertion,
      [
        id.rawValue, conversation.rawValue, order, place, sender.rawValue, role.rawValue,
        createdAt.microseconds, isRecorded,
      ] + content.arguments)
    if let request = content.request { try db.streams.endRequest(request, in: conversation) }
    changes.noteMessage(id, in: conversation)
  }

  /// Confirms a message with the server's order and time. The same transaction takes it out of the outbox, so that
  /// the message is never both confirmed and waiting.
  ///
  /// - Parameter isPlaced: whether the message gets its place now. Otherwise it stays after all others, until the
  ///   server's events place it.
  package func confirm(
    _ id: MessageID, in conversation: ConversationKey, order: Int64?, createdAt: Date, isPlaced: Bool = true
  ) throws {
    try db.deliveries.noteConfirmation(of: id, in: conversation, order: order, at: createdAt)
    try db.outbox.remove(id, in: conversation)
    try run(
      "UPDATE message SET serverOrder = ?, place = ?, createdAt = ? WHERE id = ?",
      [
        order,
        isPlaced
          ? try place(order: order, in: conversation)
          : TimelinePlace.unplaced + (try db.settings.nextRevision()),
        createdAt.microseconds, id.rawValue,
      ])
    changes.noteMessage(id, in: conversation)
  }

  /// Notes that the server has a message that was recorded, imported or received in another way. It gets the
  /// server's time, and its place by the server's order. A message that was read stays read.
  ///
  /// - Parameter older: the place of an older message that was requested. Nil for a new one.
  func noteServerHas(
    _ message: IncomingMessage, in conversation: ConversationKey, known: KnownMessage, at older: Int64?
  ) throws {
    try run("UPDATE message SET isRecorded = 0 WHERE id = ? AND isRecorded", [message.id.rawValue])
    guard !known.hasOrder else { return }
    guard let order = message.order else {
      // Its acknowledgement may have confirmed it without placing it. A message in a page gets the page's place,
      // even if a change of it arrived earlier.
      let isUnplaced =
        try older != nil
        || exists(
          "SELECT 1 FROM message WHERE id = ? AND place >= ?", [message.id.rawValue, TimelinePlace.unplaced])
      if isUnplaced { try placeReceived(message, in: conversation, at: older) }
      return
    }
    let place = TimelinePlace.confirmed(order: order)
    try run(
      """
      UPDATE conversation SET readPlace = ?1 WHERE id = ?2 AND readPlace < ?1
        AND readPlace >= (SELECT place FROM message WHERE id = ?3)
      """, [place, conversation.rawValue, message.id.rawValue])
    try run(
      "UPDATE message SET serverOrder = ?, place = ?, createdAt = ? WHERE id = ?",
      [order, place, message.createdAt.microseconds, message.id.rawValue])
    changes.noteMessage(in: conversation)
  }

  /// Places a message without a number where its event places it.
  func placeReceived(_ message: IncomingMessage, in conversation: ConversationKey, at older: Int64?) throws {
    guard message.order == nil else { return }
    try run(
      "UPDATE message SET place = ?, createdAt = ? WHERE id = ?",
      [
        try place(received: nil, in: conversation, older: older), message.createdAt.microseconds,
        message.id.rawValue,
      ])
    changes.noteMessage(in: conversation)
  }

  /// The place of a confirmed message: after the last confirmed message if the backend has no order.
  package func place(order: Int64?, in conversation: ConversationKey) throws -> Int64 {
    if let order { return TimelinePlace.confirmed(order: order) }
    return TimelinePlace.next(behind: try lastConfirmedPlace(in: conversation))
  }

  /// The place of a message from the server's events. Without a number it goes after all messages received before,
  /// in any conversation: two conversations may be merged later.
  ///
  /// - Parameter older: the place of an older message that was requested. Nil for a new one.
  func place(received order: Int64?, in conversation: ConversationKey, older: Int64?) throws -> Int64 {
    guard order == nil else { return try place(order: order, in: conversation) }
    if let older { return older }
    let newest = TimelinePlace.confirmed(order: try db.settings.nextRevision())
    return max(newest, try place(order: nil, in: conversation))
  }

  func lastConfirmedPlace(in conversation: ConversationKey) throws -> Int64 {
    try value(
      """
      SELECT max(emptiedPlace, coalesce((
          SELECT place FROM message WHERE conversationID = ?1 AND place < ?2
          ORDER BY place DESC, position DESC LIMIT 1), 0))
      FROM conversation WHERE id = ?1
      """,
      [conversation.rawValue, TimelinePlace.unplaced]) ?? 0
  }
}

private enum KnownColumn: String, QueryColumn {
  case conversationID = "m.conversationID"
  case sender = "m.sender"
  case isUnconfirmed = "o.messageID IS NOT NULL"
  /// A message that is being regenerated counts as whole.
  case isStreaming = "s.messageID IS NOT NULL AND NOT s.regenerates"
  case mayHaveArrived = "coalesce(o.mayHaveArrived, 0)"
  case revision = "m.revision"
  case hasOrder = "m.serverOrder IS NOT NULL"

  static let message = select(
    """
    FROM message m
    LEFT JOIN outbox o ON o.messageID = m.id
    LEFT JOIN stream s ON s.messageID = m.id
    WHERE m.id = ?
    """)
}

extension KnownMessage {
  fileprivate init(_ row: QueryRow<KnownColumn>) {
    self.init(
      conversation: row[.conversationID], sender: row[.sender], isUnconfirmed: row[.isUnconfirmed],
      isStreaming: row[.isStreaming], mayHaveArrived: row[.mayHaveArrived], revision: row[.revision],
      hasOrder: row[.hasOrder])
  }
}

/// The columns of a message without waiting or running parts.
private enum FinishedColumn: String, ExtendingColumn {
  typealias Shared = ContentColumn

  case id = "m.id"
  case sender = "m.sender"
  case role = "m.role"
  case serverOrder = "m.serverOrder"
  case place = "m.place"
  case position = "m.position"
  case createdAt = "m.createdAt"
  case editedAt = "m.editedAt"
  case isDeleted = "m.deletedAt IS NOT NULL"
  case revision = "m.revision"

  static let newest = select("FROM message m " + TimelinePart.newest)
  static let upTo = select("FROM message m " + TimelinePart.upTo)
  static let behind = select("FROM message m " + TimelinePart.behind)
}

/// The columns of any message. Looking up each message in the outbox and among the streams costs as much as reading
/// it.
private enum TimelineColumn: String, ExtendingColumn {
  typealias Shared = FinishedColumn

  case outboxPosition = "o.position"
  case attempts = "o.attempts"
  /// A message is in the outbox or a stream, and never both.
  case failureCode = "coalesce(o.parkedCode, s.failedCode)"
  case failureExplanation = "coalesce(o.parkedExplanation, s.failedExplanation)"
  case isHeld = "o.isHeld"
  case isStreaming = "s.messageID IS NOT NULL"
  case isInterrupted = "s.isInterrupted"

  static let message = select(from + "WHERE m.id = ? AND m.conversationID = ?")
  static let newest = select(from + TimelinePart.newest)
  static let upTo = select(from + TimelinePart.upTo)
  static let behind = select(from + TimelinePart.behind)

  private static let from = """
    FROM message m
    LEFT JOIN outbox o ON o.messageID = m.id
    LEFT JOIN stream s ON s.messageID = m.id

    """
}

/// The parts of a timeline that are read: the newest messages, those up to a place, and those after it.
private enum TimelinePart {
  static let newest = "WHERE m.conversationID = ? ORDER BY m.place DESC, m.position DESC LIMIT ?"
  static let upTo = """
    WHERE m.conversationID = ? AND (m.place, m.position) <= (?, ?) ORDER BY m.place DESC, m.position DESC LIMIT ?
    """
  static let behind = """
    WHERE m.conversationID = ? AND (m.place, m.position) > (?, ?) ORDER BY m.place ASC, m.position ASC LIMIT ?
    """
}

/// Whether the store has any messages that wait or are being written. The lookups cost the same for any number of
/// them.
private enum UnfinishedColumn: String, QueryColumn {
  case hasUnsent = "EXISTS (SELECT 1 FROM outbox)"
  case hasStreams = "EXISTS (SELECT 1 FROM stream)"
  case hasOperations = "EXISTS (SELECT 1 FROM operation)"

  static let all = select("")
}

extension StoredMessage {
  fileprivate init(_ row: QueryRow<FinishedColumn>) {
    id = row[.id]
    sender = row[.sender]
    role = MessageRole(rawValue: row[.role]) ?? .user
    content = MessageContent(row.shared)
    serverOrder = row[.serverOrder]
    place = row[.place]
    position = row[.position]
    createdAt = row[.createdAt]
    editedAt = row[.editedAt]
    isDeleted = row[.isDeleted]
    revision = row[.revision]
  }

  fileprivate init(_ row: QueryRow<TimelineColumn>) {
    self.init(row.shared)
    outboxPosition = row[.outboxPosition]
    attempts = row[.attempts] ?? 0
    failure = row.failure(.failureCode, .failureExplanation)
    isHeld = row[.isHeld] ?? false
    isStreaming = row[.isStreaming]
    isInterrupted = row[.isInterrupted] ?? false
  }
}

private enum PlaceColumn: String, QueryColumn {
  case place, position

  static let message = select("FROM message WHERE id = ? AND conversationID = ?")
}

extension MessageRows {
  package func known(_ id: MessageID) throws -> KnownMessage? {
    try row(KnownColumn.message, [id.rawValue], KnownMessage.init)
  }

  /// The last `limit` messages of a conversation, oldest first. The outbox, streams, operations and reactions are
  /// read only if there are any. One query for all rows finds out. Each row's revision shows whether the message was
  /// ever changed.
  package func timeline(of conversation: ConversationKey, limit: Int) throws -> [StoredMessage] {
    let unfinished = try unfinished()
    let arguments: StatementArguments = [conversation.rawValue, limit]
    var messages =
      unfinished.hasMessages
      ? try rows(TimelineColumn.newest, arguments, StoredMessage.init)
      : try rows(FinishedColumn.newest, arguments, StoredMessage.init)
    try readStreams(into: &messages)
    if messages.contains(where: { $0.revision > 0 }) {
      let reactions = try db.operations.reactions(in: conversation, limit: limit)
      for index in messages.indices { messages[index].reactions = reactions[messages[index].id] ?? [] }
      try readVersions(into: &messages)
    }
    if unfinished.hasOperations {
      let operations = try db.operations.all(in: conversation, limit: limit)
      for index in messages.indices { messages[index].operations = operations[messages[index].id] ?? [] }
    }
    messages.reverse()
    return messages
  }

  private func unfinished() throws -> (hasMessages: Bool, hasOperations: Bool) {
    try row(UnfinishedColumn.all) { ($0[.hasUnsent] || $0[.hasStreams], $0[.hasOperations]) }
      ?? (hasMessages: true, hasOperations: true)
  }

  /// A message with its neighbours, oldest first: at most `older` messages up to and including it, and at most
  /// `newer` after it. Nil when the message is not in the conversation.
  package func timeline(
    of conversation: ConversationKey, around anchor: MessageID, older: Int, newer: Int
  ) throws -> [StoredMessage]? {
    guard anchor.isWellFormed,
      let place = try row(
        PlaceColumn.message, [anchor.rawValue, conversation.rawValue],
        { row in (place: row[.place] as Int64, position: row[.position] as Int64) })
    else { return nil }
    let unfinished = try unfinished()
    func page(
      _ query: Query<TimelineColumn>, _ finished: Query<FinishedColumn>, _ limit: Int
    ) throws -> [StoredMessage] {
      let arguments: StatementArguments = [conversation.rawValue, place.place, place.position, limit]
      return unfinished.hasMessages
        ? try rows(query, arguments, StoredMessage.init) : try rows(finished, arguments, StoredMessage.init)
    }
    var messages =
      try page(TimelineColumn.upTo, FinishedColumn.upTo, older).reversed()
      + page(TimelineColumn.behind, FinishedColumn.behind, newer)
    try readRest(of: &messages, hasOperations: unfinished.hasOperations)
    return messages
  }

  /// Messages of a conversation, in no order. Missing ones are omitted.
  func messages(_ ids: Set<MessageID>, in conversation: ConversationKey) throws -> [StoredMessage] {
    var messages = try ids.compactMap { id in
      try row(TimelineColumn.message, [id.rawValue, conversation.rawValue], StoredMessage.init)
    }
    try readRest(of: &messages, hasOperations: try unfinished().hasOperations)
    return messages
  }

  /// Reads the parts of each message outside its row, one message after the other.
  private func readRest(of messages: inout [StoredMessage], hasOperations: Bool) throws {
    try readStreams(into: &messages)
    for index in messages.indices {
      if messages[index].revision > 0 {
        messages[index].reactions = try db.operations.reactions(to: messages[index].id)
      }
      if hasOperations { messages[index].operations = try db.operations.all(of: messages[index].id) }
    }
    try readVersions(into: &messages)
  }

  private func readStreams(into messages: inout [StoredMessage]) throws {
    for index in messages.indices where messages[index].isStreaming {
      let id = messages[index].id
      let (head, prefix) = (try db.streams.head(of: id), try db.streams.prefix(of: id))
      let reasoning = prefix.reasoning.isEmpty ? nil : prefix.reasoning
      messages[index].isWrittenHere = head?.writer != nil
      messages[index].isRegeneration = head?.regenerates == true
      messages[index].hasNewWords = !prefix.text.isEmpty || reasoning != nil
      guard messages[index].isRegeneration else {
        (messages[index].content.text, messages[index].content.reasoning) = (prefix.text, reasoning)
        continue
      }
      guard messages[index].hasNewWords else { continue }
      messages[index].content.edit(
        MessageContent(prefix.text, reasoning: reasoning, metadata: head?.metadata), isWhole: true)
    }
  }

  /// A message that was never changed has no versions.
  private func readVersions(into messages: inout [StoredMessage]) throws {
    guard messages.contains(where: { $0.revision > 0 }), try exists("SELECT 1 FROM messageVersion") else {
      return
    }
    for index in messages.indices where messages[index].revision > 0 {
      messages[index].versions = try db.streams.versionCount(of: messages[index].id)
    }
  }
}

private let insertion = """
  INSERT INTO message (id, conversationID, serverOrder, place, sender, role, createdAt, isRecorded,
    \(MessageContent.columns))
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, \(MessageContent.placeholders))
  """
