import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// The read marks of the members.
package struct ReadMarkRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var readMarks: ReadMarkRows<Self> { ReadMarkRows(db: self) }
}

/// A read mark of this user that has not been sent to the server yet.
package struct PendingReadMark: Equatable, Sendable {
  package var mark: IncomingItem.ReadMark
  package var place: Int64
}

extension ReadMarkRows where Access == Transaction {
  /// Moves this user's read mark forward to a message, or to the newest one. Undelivered messages are skipped,
  /// because the server cannot name them. A mark that is already there, or further on, is kept.
  ///
  /// - Parameter isPending: whether the server has to be notified.
  package func move(
    in conversation: ConversationKey, upTo message: MessageID?, isPending: Bool
  ) throws {
    var end = TimelinePlace.unplaced - 1
    if let message {
      let place: Int64? = try value(
        "SELECT place FROM message WHERE id = ? AND conversationID = ?",
        [try db.messages.knownID(message).rawValue, conversation.rawValue])
      guard let place else {
        throw ChatError(.unknownMessage, "There is no such message in this conversation.")
      }
      if place > end, try isConfirmed(message) {
        try db.operations.keepWaiting(in: conversation, readUpTo: message, isPending: isPending)
      }
      end = min(end, place)
    }
    guard let place = try newestDeliveredPlace(in: conversation, upTo: end) else { return }
    try run(
      "UPDATE conversation SET readPlace = ?1, readIsPending = ?2 WHERE id = ?3 AND readPlace < ?1",
      [place, isPending, conversation.rawValue])
    guard changedRows > 0 else { return }
    changes.list = true
    changes.timelines.insert(conversation)
    if isPending { changes.readMarks = true }
  }

  /// Stores the read mark of a member from the server.
  package func apply(
    _ mark: IncomingItem.ReadMark, in conversation: ConversationKey, by user: UserID, now: Date
  ) throws {
    guard let place = try place(of: mark, in: conversation) else {
      if mark.order == nil, !db.localDeletions.isHidden(conversation) {
        try db.operations.keepWaiting(mark, in: conversation, now: now)
      }
      return
    }
    if mark.reader == user {
      try run(
        """
        UPDATE conversation SET readPlace = ?1, readIsPending = 0
        WHERE id = ?2 AND (readPlace < ?1 OR (readPlace = ?1 AND readIsPending))
        """, [place, conversation.rawValue])
      if changedRows > 0 { changes.list = true }
    } else if try db.conversations.isHere(conversation) {
      try run(
        """
        INSERT INTO readMark (conversationID, reader, place) VALUES (?, ?, ?)
        ON CONFLICT (conversationID, reader) DO UPDATE SET place = excluded.place WHERE place < excluded.place
        """, [conversation.rawValue, mark.reader.rawValue, place])
    }
    if changedRows > 0 { changes.timelines.insert(conversation) }
  }

  /// Marks all messages of a conversation as read, because they are imported.
  package func readAll(in conversation: ConversationKey) throws {
    try move(in: conversation, upTo: nil, isPending: false)
  }

  /// Whether a message is confirmed, so that only its place is missing (rule B3).
  private func isConfirmed(_ id: MessageID) throws -> Bool {
    guard let known = try db.messages.known(db.messages.knownID(id)) else { return false }
    return !known.isUnconfirmed && !known.isStreaming
  }

  private func place(of mark: IncomingItem.ReadMark, in conversation: ConversationKey) throws -> Int64? {
    if let order = mark.order {
      return (1...TimelinePlace.maximumOrder).contains(order) ? TimelinePlace.confirmed(order: order) : nil
    }
    return try value(
      "SELECT place FROM message WHERE id = ? AND conversationID = ? AND place < ?",
      [try db.messages.knownID(mark.message).rawValue, conversation.rawValue, TimelinePlace.unplaced])
  }

  private func newestDeliveredPlace(in conversation: ConversationKey, upTo end: Int64) throws -> Int64? {
    try value(
      """
      SELECT place FROM message WHERE conversationID = ? AND place <= ?
        AND id NOT IN (SELECT messageID FROM outbox WHERE messageID IS NOT NULL)
        AND id NOT IN (SELECT messageID FROM stream WHERE NOT regenerates)
      ORDER BY place DESC LIMIT 1
      """, [conversation.rawValue, end])
  }
}

private enum PendingMarkColumn: String, QueryColumn {
  case conversationID = "c.id"
  case place = "c.readPlace"
  case messageID = "m.id"
  case serverOrder = "m.serverOrder"
  case serverID = "m.serverID"

  static let all = select(
    """
    FROM conversation c JOIN message m ON m.conversationID = c.id AND m.place = c.readPlace
    WHERE c.readIsPending AND c.id \(DeletionRule.notDeleted) ORDER BY c.id
    """)
}

private enum ReadMarkColumn: String, QueryColumn {
  case reader, place

  static let conversation = select("FROM readMark WHERE conversationID = ? ORDER BY reader")
}

private enum UnreadColumn: String, QueryColumn {
  case id = "c.id"
  case unread = """
    (SELECT count(*) FROM (SELECT 1 FROM message m WHERE m.conversationID = c.id AND m.place > c.readPlace
      AND m.place < 4611686018427387904 AND m.sender <> ? AND m.deletedAt IS NULL LIMIT 1000))
    """

  static let listed = select(
    """
    FROM conversation c WHERE c.id \(DeletionRule.notDeleted)
    ORDER BY c.listRevision DESC LIMIT ?
    """)
  static let chosen = select("FROM conversation c WHERE c.id IN (SELECT value FROM json_each(?))")
}

extension ReadMarkRows {
  /// The read marks that have not been sent to the server yet.
  package func pending(of user: UserID) throws -> [PendingReadMark] {
    try rows(PendingMarkColumn.all) { row in
      PendingReadMark(
        mark: .init(
          conversation: try name(of: row[.conversationID]), reader: user, message: row[.messageID],
          order: row[.serverOrder], serverID: row[.serverID]),
        place: row[.place])
    }
  }

  /// The places up to which the other members have read, in the order of their IDs.
  package func all(in conversation: ConversationKey) throws -> [(reader: UserID, place: Int64)] {
    try rows(ReadMarkColumn.conversation, [conversation.rawValue]) { row in
      (reader: row[.reader] as UserID, place: row[.place] as Int64)
    }
  }

  /// The number of unread messages of others in each listed conversation, up to 1,000. Costs a range scan of the
  /// timeline's index for each conversation, as long as the counted messages.
  package func unreadCounts(of user: UserID, limit: Int) throws -> [ConversationKey: Int] {
    try unreadCounts(UnreadColumn.listed, [user.rawValue, limit])
  }

  /// The number of unread messages of others in each of these conversations, up to 1,000.
  package func unreadCounts(
    of user: UserID, in conversations: [ConversationKey]
  ) throws -> [ConversationKey: Int] {
    try unreadCounts(UnreadColumn.chosen, [user.rawValue, StoredMembers.encode(conversations)])
  }

  private func unreadCounts(
    _ query: Query<UnreadColumn>, _ arguments: StatementArguments
  ) throws -> [ConversationKey: Int] {
    let counts = try rows(query, arguments) { row in
      (row[.id] as ConversationKey, row[.unread] as Int)
    }
    return Dictionary(uniqueKeysWithValues: counts)
  }
}
