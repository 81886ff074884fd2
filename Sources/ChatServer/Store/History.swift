import GRDB
import HoldfastCore
import HoldfastRelay

/// The messages of a conversation, from the newest one back. A page costs only its own messages.
struct History {
  let db: Database

  func answer(_ question: Wire.History, for account: UserID, limits: Limits) throws -> Wire.Older {
    let conversations = Conversations(db: db)
    guard try conversations.isMember(account, of: question.conversation),
      try conversations.find(question.conversation)?.isRemoved == false
    else {
      return Wire.Older(
        number: question.number, refusal: "This account takes no part in the conversation.")
    }
    var size = PageSize(limits: limits)
    let (messages, hasMore) = try messages(
      of: question.conversation, before: question.before,
      count: min(max(question.limit, 1), limits.pageSize), within: &size)
    let isMissing = try question.sought.map { sought in
      try Messages(db: db).place(of: sought)?.conversation.rawValue != question.conversation
    }
    return Wire.Older(
      number: question.number, messages: messages, before: hasMore ? messages.first?.order : nil,
      missing: isMissing == true ? true : nil)
  }

  /// The next page of the newest messages, each conversation whole, with at least one.
  func recentPage(
    for account: UserID, behind place: RecentPlace, isFirst: Bool, count: Int, limits: Limits
  ) throws -> Wire.Events {
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: Self.recentConversations),
      arguments: [place.head, account.rawValue, place.last])
    // A conversation is never split, and a client requests one page after the other, so a page has room for several.
    var (items, next, size) = ([Wire.Item](), place, PageSize(limits: limits, times: 5))
    while let row = try rows.next() {
      guard let conversation = try Conversations(db: db).find(row["id"]) else { continue }
      var head = try item(of: conversation)
      // The conversation and its read marks count too, as one item each.
      let marks = try ReadMarks(db: db).items(of: conversation.id)
      guard ([head] + marks).allSatisfy({ size.add($0) }) else { break }
      var attempt = size
      let (messages, hasMore) = try self.messages(
        of: conversation.id, before: try behindLast(of: conversation, at: place.head), count: count,
        within: &attempt)
      // A conversation that does not fit moves to the next page.
      guard items.isEmpty || !hasMore || messages.count == count else { break }
      size = attempt
      head.conversation?.older = hasMore ? messages.first?.order : nil
      items += [head] + messages.map { Wire.Item(message: $0) } + marks
      next.last = row["last"]
    }
    return Wire.Events(
      after: nil, cursor: place.head, items: items, more: true,
      recent: .init(after: isFirst ? nil : place.text, place: items.isEmpty ? nil : next.text))
  }

  private static let recentConversations = """
    SELECT conversation.id,
      (SELECT max(cursor) FROM event WHERE event.conversation = conversation.id AND event.cursor <= ?) AS last
    FROM member JOIN conversation ON conversation.id = member.conversation
    WHERE member.account = ? AND NOT conversation.isRemoved AND last > ?
    ORDER BY last
    """

  /// One more than the order of the last message that a conversation had when the log ended at `head`.
  private func behindLast(of conversation: ConversationRecord, at head: Int64) throws -> Int64 {
    let isSame = try !Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM event WHERE conversation = ? AND cursor > ?)"),
      arguments: [conversation.id, head])!
    return isSame ? conversation.lastOrder + 1 : try lastOrder(of: conversation.id, upTo: head) + 1
  }

  /// The order of a conversation's last message that was published up to a cursor. 0: none was. Costs reading the
  /// events of the conversation.
  func lastOrder(of conversation: String, upTo cursor: Int64) throws -> Int64 {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT max(message."order") FROM event JOIN message ON message.id = event.message
          WHERE event.conversation = ? AND event.cursor <= ?
          """), arguments: [conversation, cursor]) ?? 0
  }

  private func item(of conversation: ConversationRecord) throws -> Wire.Item {
    try EventLog(db: db).item(of: conversation)
  }

  /// The last messages before an order, oldest first, and whether there are more before them. At least one, however
  /// long it is.
  private func messages(
    of conversation: String, before order: Int64?, count: Int, within size: inout PageSize
  ) throws -> (messages: [Wire.MessageItem], hasMore: Bool) {
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT \(Messages.columns) FROM message
          WHERE message.conversation = ? AND message."order" < ? ORDER BY message."order" DESC
          """),
      arguments: [conversation, order ?? .max])
    var messages: [Wire.MessageItem] = []
    while let row = try rows.next() {
      guard messages.count < count else { return (messages.reversed(), true) }
      let message = try Messages(db: db).item(row)
      guard size.add(Wire.Item(message: message)) || messages.isEmpty else {
        return (messages.reversed(), true)
      }
      messages.append(message)
    }
    return (messages.reversed(), false)
  }
}
