import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay
import HoldfastStore

/// An entry of the log: an event in a conversation, and the accounts that may see it.
struct LogEntry: Sendable, Hashable {
  var cursor: Int64
  var item: Wire.Item
  /// The members of its conversation.
  var audience: [UserID]
}

/// A page of the log, as one account sees it.
struct EventPage: Sendable, Hashable {
  var items: [Wire.Item]
  /// The cursor up to which the account has now seen the log.
  var cursor: Int64
  var more: Bool
}

/// The log of all events. Each account reads the part that it may see.
struct EventLog {
  let db: Database

  /// The cursor of the last event. 0 before the first event.
  func head() throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT ifnull(max(cursor), 0) FROM event")) ?? 0
  }

  /// Adds an event. Returns its cursor.
  func append(conversation: String, message: String?) throws -> Int64 {
    try db.cachedStatement(sql: "INSERT INTO event (conversation, message) VALUES (?, ?)")
      .execute(arguments: [conversation, message])
    return db.lastInsertedRowID
  }

  /// Adds the event of a read mark, and removes the member's earlier one, so that read marks do not grow the log.
  func append(_ mark: Wire.ReadMarkItem, for audience: [UserID]) throws -> LogEntry {
    try db.cachedStatement(sql: "DELETE FROM event WHERE conversation = ? AND reader = ?")
      .execute(arguments: [mark.conversation, mark.reader])
    try db.cachedStatement(sql: "INSERT INTO event (conversation, reader) VALUES (?, ?)")
      .execute(arguments: [mark.conversation, mark.reader])
    return LogEntry(cursor: db.lastInsertedRowID, item: .init(readMark: mark), audience: audience)
  }

  /// Adds the event that announces a conversation.
  func append(announcing conversation: ConversationRecord) throws -> LogEntry {
    LogEntry(
      cursor: try append(conversation: conversation.id, message: nil), item: try item(of: conversation),
      audience: conversation.members)
  }

  /// The next page for `account` after the cursor `after`.
  ///
  /// The log is read in order, so a whole catch-up reads each event once, for any number of pages. The last page
  /// ends at the log's head, so that the events of other accounts are not read again.
  func page(for account: UserID, after: Int64, limits: Limits) throws -> EventPage {
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT event.cursor, event.conversation AS place,
            readMark.account AS reader, readMark.message AS readMessage, readMark."order" AS readOrder,
            \(Messages.columns)
          FROM event
          CROSS JOIN member ON member.conversation = event.conversation AND member.account = ?
          LEFT JOIN message ON message.id = event.message
          LEFT JOIN readMark ON readMark.conversation = event.conversation AND readMark.account = event.reader
          WHERE event.cursor > ?
          ORDER BY event.cursor
          """),
      arguments: [account.rawValue, after])
    var page = EventPage(items: [], cursor: after, more: false)
    var size = PageSize(limits: limits)
    while let row = try rows.next() {
      let item = try item(of: row)
      guard size.add(item) else {
        page.more = true
        return page
      }
      page.items.append(item)
      page.cursor = row["cursor"]
    }
    page.cursor = max(after, try head())
    return page
  }

  private func item(of row: Row) throws -> Wire.Item {
    if (row["id"] as String?) != nil { return Wire.Item(message: try Messages(db: db).item(row)) }
    let id: String = row["place"]
    if let reader: String = row["reader"] {
      return Wire.Item(
        readMark: .init(
          conversation: id, reader: reader, message: row["readMessage"], order: row["readOrder"]))
    }
    return try Conversations(db: db).find(id).map(item) ?? Wire.Item()
  }

  /// A conversation in its present state.
  func item(of conversation: ConversationRecord) throws -> Wire.Item {
    guard !conversation.isRemoved else { return Wire.Item(removed: conversation.id) }
    let earlier = try Conversations(db: db).earlierIDs(of: conversation.id)
    return Wire.Item(
      conversation: .init(
        id: conversation.id, title: conversation.title, members: conversation.members.map(\.rawValue),
        earlier: earlier.isEmpty ? nil : earlier, refusal: conversation.refusal))
  }
}

/// The size of a page so far, measured against the limits.
struct PageSize {
  private let limits: Limits
  private let mostItems: Int
  private var items = 0
  private var bytes = 0

  /// - Parameter times: the number of items, as a multiple of a usual page.
  init(limits: Limits, times: Int = 1) { (self.limits, mostItems) = (limits, limits.pageSize * times) }

  /// Adds an item. Returns false when the item must go to the next page. The first item always fits.
  mutating func add(_ item: Wire.Item) -> Bool {
    let added = item.jsonBytes
    guard items == 0 || (items < mostItems && bytes + added <= limits.maximumPageBytes) else {
      return false
    }
    items += 1
    bytes += added
    return true
  }
}

extension Wire.Item {
  /// An upper bound of the item's size as JSON, in bytes. Clients limit the frames that they take.
  fileprivate var jsonBytes: Int {
    var strings: [String?] = []
    if let message {
      strings = [message.id, message.conversation, message.sender, message.role]
      for reaction in message.reactions ?? [] { strings += [reaction.value, "senders"] + reaction.senders }
    }
    for attachment in message?.attachments ?? [] {
      // The second string is a placeholder for the field names and the number.
      strings += [
        attachment.checksum, String(repeating: "0", count: 80), attachment.name, attachment.mediaType,
      ]
    }
    if let conversation {
      strings = [conversation.id, conversation.title, conversation.refusal] + conversation.members
      strings += conversation.earlier ?? []
    }
    if let removed { strings = [removed] }
    if let readMark { strings = [readMark.conversation, readMark.reader, readMark.message] }
    // 300 is more than the field names and the largest numbers take. 16 is the JSON around a reaction.
    let frame = 300 + 16 * (message?.reactions?.count ?? 0) + (message?.content.jsonBytes ?? 0)
    return strings.reduce(frame) { $0 + ($1?.jsonBytes ?? 0) }
  }
}
