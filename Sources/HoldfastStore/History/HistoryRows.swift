import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The state of earlier messages: how far history was fetched, and what was evicted.
package struct HistoryRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var history: HistoryRows<Self> { HistoryRows(db: self) }
}

/// The range of a conversation's messages that is present, counted from the newest (rule B6).
///
/// ```
///   oldest  │  deleted here  │  on the server, and not here  │  here, without a gap  │  newest
///           0          deletedOrder                  horizon │                       │
///                                                      place ┘
/// ```
///
/// The horizon is one of the server's numbers. Without numbers there is only the place. A page moves both back in
/// the transaction that stores its messages, and an eviction moves the horizon forward.
package struct HistoryState: Equatable, Sendable {
  /// The transport's place before which older messages are requested. Nil when it has given none.
  package var place: HistoryPlace?
  package var horizon: LocalDeletions.Horizon?
  /// Whether the conversation's first message is present.
  package var isWhole: Bool
}

extension LocalDeletions.Horizon {
  /// Whether a message was deleted here with its conversation. A message without a number cannot be distinguished
  /// from those.
  func isDeleted(_ order: Int64?) -> Bool {
    guard let deletedOrder else { return false }
    return order.map { $0 <= deletedOrder } ?? true
  }

  /// Whether no older messages can be fetched.
  fileprivate var isAtDeletion: Bool { deletedOrder.map { $0 == 0 || serverOrder <= $0 } ?? false }
}

private enum HistoryColumn: String, QueryColumn {
  case place = "h.place"
  /// If no messages were left out, the conversation begins with its first number (rule H18), whose
  /// ``TimelinePlace/confirmed(order:)`` is 2.
  case isWhole = """
    coalesce(h.isWhole, EXISTS (
      SELECT 1 FROM message m WHERE m.conversationID = c.id AND m.place = 2 AND m.serverOrder = 1))
    """
  case isOnDevice = "c.isOnDevice"
  case isConfirmed = "c.isConfirmed"

  static let conversation = select(
    "FROM conversation c LEFT JOIN history h ON h.conversationID = c.id WHERE c.id = ?")
}

private enum OldestColumn: String, QueryColumn {
  case id, serverID, serverOrder, createdAt

  /// The oldest message behind the horizon that came from the server.
  static let fromServer = select(
    """
    FROM message WHERE conversationID = ? AND place > ? AND place < ? AND NOT isRecorded
      AND id NOT IN (SELECT messageID FROM outbox WHERE messageID IS NOT NULL)
      AND id NOT IN (SELECT messageID FROM stream WHERE NOT regenerates)
    ORDER BY place, position LIMIT 1
    """)
}

extension HistoryRows {
  /// The history of a conversation. Nil when the conversation is absent, deleted, or local.
  ///
  /// - Parameter deletions: the deletions, as this snapshot sees them.
  package func state(
    of conversation: ConversationKey, _ deletions: LocalDeletions
  ) throws -> HistoryState? {
    guard !deletions.isHidden(conversation) else { return nil }
    let horizon = deletions.horizons[conversation]
    // Messages emptied a moment ago may be restored, and are not fetched meanwhile.
    let isClosed = horizon?.isAtDeletion == true || deletions.undoableEmptying(of: conversation) != nil
    let state: HistoryState?? = try row(HistoryColumn.conversation, [conversation.rawValue]) { row in
      guard !(row[.isOnDevice] as Bool) else { return nil }
      return HistoryState(
        place: (row[.place] as String?).map(HistoryPlace.init(rawValue:)), horizon: horizon,
        // An unconfirmed conversation is not on the server.
        isWhole: isClosed || !(row[.isConfirmed] as Bool) || row[.isWhole] as Bool)
    }
    return state ?? nil
  }

  /// The request for the next page of a conversation.
  package func request(
    of conversation: ConversationKey, _ state: HistoryState, sought: MessageID?, limit: Int
  ) throws -> HistoryRequest {
    let horizon = state.horizon.map { TimelinePlace.confirmed(order: $0.serverOrder) }
    let oldest = try row(
      OldestColumn.fromServer, [conversation.rawValue, horizon ?? .min, TimelinePlace.unplaced]
    ) { row in
      HistoryRequest.Message(
        id: row[.id], serverID: row[.serverID], order: row[.serverOrder], createdAt: row[.createdAt])
    }
    return HistoryRequest(
      conversation: try name(of: conversation), before: state.place, oldest: oldest, sought: sought,
      limit: limit)
  }

  /// Whether a message of the conversation is here, under its ID or the server's name.
  package func isHere(_ message: MessageID, in conversation: ConversationKey) throws -> Bool {
    guard message.isWellFormed else { return false }
    return try exists(
      "SELECT 1 FROM message WHERE conversationID = ?1 AND (id = ?2 OR serverID = ?2)",
      [conversation.rawValue, message.rawValue])
  }

  /// Whether any message of the conversation has come from the server.
  package func hasServerMessages(in conversation: ConversationKey) throws -> Bool {
    try row(OldestColumn.fromServer, [conversation.rawValue, Int64.min, TimelinePlace.unplaced]) { _ in true }
      ?? false
  }

  /// Whether a page has brought all these messages, which have no number. The messages behind them are then present,
  /// up to the page's place.
  package func hasFetched(_ messages: [IncomingMessage], in conversation: ConversationKey) throws -> Bool {
    guard !messages.isEmpty, messages.allSatisfy({ $0.order == nil }),
      try exists("SELECT 1 FROM history WHERE conversationID = ?", [conversation.rawValue])
    else { return false }
    return try messages.allSatisfy { try isPlaced($0, in: conversation) }
  }

  /// Whether a message is present with a place assigned by the server.
  package func isPlaced(_ message: IncomingMessage, in conversation: ConversationKey) throws -> Bool {
    guard message.id.isWellFormed else { return false }
    return try exists(
      """
      SELECT 1 FROM message WHERE conversationID = ?1 AND (id = ?2 OR serverID = ?3) AND place < ?4 AND NOT isRecorded
        AND id NOT IN (SELECT messageID FROM outbox WHERE messageID IS NOT NULL)
        AND id NOT IN (SELECT messageID FROM stream WHERE NOT regenerates)
      """,
      [conversation.rawValue, message.id.rawValue, message.serverID, TimelinePlace.unplaced])
  }

  /// The place of a conversation's first message. Older messages without numbers go before it.
  package func firstPlace(in conversation: ConversationKey) throws -> Int64 {
    let first: Int64? = try value(
      "SELECT place FROM message WHERE conversationID = ? ORDER BY place, position LIMIT 1",
      [conversation.rawValue])
    return min(first ?? .max, TimelinePlace.confirmed(order: 1))
  }
}

extension HistoryRows where Access == Transaction {
  package func state(of conversation: ConversationKey) throws -> HistoryState? {
    try state(of: conversation, localDeletions)
  }

  /// Stores how far a page reaches back, in the transaction that stores the page's messages.
  ///
  /// - Parameters:
  ///   - place: the place before the page. Nil: the conversation begins with the page.
  ///   - first: the server's order of the page's first message. Nil when it has none.
  package func note(
    of conversation: ConversationKey, upTo place: HistoryPlace?, from first: Int64?
  ) throws {
    try setHistory(of: conversation, place: place, isWhole: place == nil)
    guard var horizon = localDeletions.horizons[conversation], horizon.isEvicted else { return }
    let floor = horizon.deletedOrder ?? 0
    let behind = place == nil ? floor : max(first.map { $0 - 1 } ?? horizon.serverOrder, floor)
    horizon.serverOrder = min(horizon.serverOrder, behind)
    horizon.isEvicted = horizon.serverOrder > floor
    if !horizon.isEvicted, horizon.deletedOrder == nil {
      try run("DELETE FROM horizon WHERE conversationID = ?", [conversation.rawValue])
      localDeletions.horizons[conversation] = nil
    } else {
      try run(
        "UPDATE horizon SET serverOrder = ?, isEvicted = ? WHERE conversationID = ?",
        [horizon.serverOrder, horizon.isEvicted, conversation.rawValue])
      localDeletions.horizons[conversation] = horizon
    }
    changes.timelines.insert(conversation)
  }

  /// Notes that a conversation was made here, so that its first message is present (rule H18).
  package func noteMade(_ conversation: ConversationKey) throws {
    try setHistory(of: conversation, place: nil, isWhole: true)
  }

  /// Notes that the server has sent only the newest messages of a conversation.
  ///
  /// - Parameter first: the server's order of the first of them. Nil when it has none.
  package func noteLeftOut(
    of conversation: ConversationKey, before place: HistoryPlace?, from first: Int64?
  ) throws {
    guard try db.conversations.isHere(conversation), !db.localDeletions.isHidden(conversation) else { return }
    let horizon = localDeletions.horizons[conversation]
    if let first, try hasEvery(from: horizon?.serverOrder ?? 0, to: first, in: conversation) {
      if horizon == nil { try setHistory(of: conversation, place: nil, isWhole: true) }
      return
    }
    try forgetFetched(in: conversation)
    try setHistory(of: conversation, place: place, isWhole: false)
    if let first, first > 1 { try setHorizon(of: conversation, behind: first) }
  }

  /// Whether all messages between two numbers are present. False if the server skips numbers.
  private func hasEvery(
    from behind: Int64, to first: Int64, in conversation: ConversationKey
  ) throws -> Bool {
    let missing = first - 1 - max(behind, 0)
    guard missing > 0 else { return false }
    let places = TimelinePlace.confirmed(order: first - missing)..<TimelinePlace.confirmed(order: first)
    let here: Int64? = try value(
      """
      SELECT count(DISTINCT serverOrder) FROM message
      WHERE conversationID = ? AND place >= ? AND place < ? AND serverOrder IS NOT NULL
      """, [conversation.rawValue, places.lowerBound, places.upperBound])
    return here == missing
  }

  /// Sets the horizon of a conversation whose older messages were left out, before the first new message that
  /// arrives. Returns whether the message is an older one that arrives because it was changed.
  func begin(with message: IncomingMessage, in conversation: ConversationKey) throws -> Bool {
    guard let order = message.order, order > 1, localDeletions.horizons[conversation] == nil,
      try exists(
        """
        SELECT 1 FROM history WHERE conversationID = ?1 AND NOT isWhole
          AND NOT EXISTS (SELECT 1 FROM message WHERE conversationID = ?1 AND serverOrder IS NOT NULL)
        """, [conversation.rawValue])
    else { return false }
    guard message.revision == 0 else { return true }
    try setHorizon(of: conversation, behind: order)
    return false
  }

  /// Sets the horizon: the messages before this order are on the server, and not here.
  private func setHorizon(of conversation: ConversationKey, behind order: Int64) throws {
    try run(
      """
      INSERT INTO horizon (conversationID, serverOrder, isEvicted, members, isConfirmed)
      SELECT id, ?2, 1, members, isConfirmed FROM conversation WHERE id = ?1
      ON CONFLICT (conversationID) DO UPDATE SET isEvicted = isEvicted OR serverOrder < excluded.serverOrder,
        serverOrder = max(serverOrder, excluded.serverOrder)
      """, [conversation.rawValue, order - 1])
    // A first sync does this for every conversation: reading all deletions each time would make it quadratic.
    let before = localDeletions.horizons[conversation]
    localDeletions.horizons[conversation] = LocalDeletions.Horizon(
      serverOrder: max(before?.serverOrder ?? 0, order - 1),
      isEvicted: before?.isEvicted == true || (before?.serverOrder ?? 0) < order - 1,
      deletedOrder: before?.deletedOrder)
  }

  /// Notes an eviction. The transport's last place lies before the evicted messages, and is cleared.
  func noteEviction(in conversation: ConversationKey) throws {
    try run(
      "UPDATE history SET place = NULL, isWhole = 0 WHERE conversationID = ?", [conversation.rawValue])
  }

  /// Merges the history of two conversations, which were fetched back to different points.
  func join(of old: ConversationKey, into new: ConversationKey) throws {
    let isKnown = try exists(
      "SELECT 1 FROM history WHERE conversationID IN (?, ?)", [old.rawValue, new.rawValue])
    guard isKnown else { return }
    for conversation in [old, new] { try forgetFetched(in: conversation) }
    try noteEviction(in: new)
  }

  private func setHistory(
    of conversation: ConversationKey, place: HistoryPlace?, isWhole: Bool
  ) throws {
    try run(
      """
      INSERT INTO history (conversationID, place, isWhole) VALUES (?, ?, ?)
      ON CONFLICT (conversationID) DO UPDATE SET place = excluded.place, isWhole = excluded.isWhole
      """, [conversation.rawValue, place?.rawValue, isWhole])
    changes.timelines.insert(conversation)
  }
}
