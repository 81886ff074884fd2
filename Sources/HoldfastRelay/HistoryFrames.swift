import HoldfastCore
import HoldfastTransport

/// The frames about older messages, and about a first connection that brings only the newest ones.
extension Wire {
  /// Requests older messages of a conversation.
  package struct History: Codable, Hashable, Sendable {
    /// The client's number of the request on this connection. The response repeats it.
    package var number: Int64
    package var conversation: String
    /// The order before which messages are requested. Absent: the newest messages are requested.
    package var before: Int64?
    /// A message that the client looks for.
    package var sought: String?
    /// The most messages to return.
    package var limit: Int
    package init(
      number: Int64, conversation: String, before: Int64? = nil, sought: String? = nil, limit: Int
    ) {
      self.number = number
      self.conversation = conversation
      self.before = before
      self.sought = sought
      self.limit = limit
    }
  }

  /// Older messages, adjacent to those that the client has.
  package struct Older: Codable, Hashable, Sendable {
    /// The number of the request.
    package var number: Int64
    /// Oldest first, each in its present state.
    package var messages: [MessageItem]
    /// The order before which there are more. Absent: the conversation begins with these.
    package var before: Int64?
    /// Whether the conversation lacks the sought message. Absent: it has the message, or none was sought.
    package var missing: Bool?
    /// Why no messages are returned, as a sentence for the user. Absent when they are.
    package var refusal: String?
    package init(
      number: Int64, messages: [MessageItem] = [], before: Int64? = nil, missing: Bool? = nil,
      refusal: String? = nil
    ) {
      self.number = number
      self.messages = messages
      self.before = before
      self.missing = missing
      self.refusal = refusal
    }
  }

  /// The request of a new device for only the newest messages of each conversation.
  package struct Recent: Codable, Hashable, Sendable {
    /// The most messages of each conversation.
    package var count: Int
    /// The place from the last page. Absent: the device has none yet.
    package var after: String?
    package init(count: Int, after: String? = nil) {
      self.count = count
      self.after = after
    }
  }

  /// The place of a page of the newest messages.
  package struct RecentPlace: Codable, Hashable, Sendable {
    /// The place before the page. Absent: it is the first page.
    package var after: String?
    /// The place after the page. Absent: the device has all conversations, and continues in the log.
    package var place: String?
    package init(after: String?, place: String?) {
      self.after = after
      self.place = place
    }
  }
}

extension HistoryPage {
  /// - Throws: ``HistoryPage/Refusal``.
  init(_ older: Wire.Older) throws {
    if let refusal = older.refusal {
      throw Refusal.rejected(FailureReason(.historyFailed, FailureReason.cut(refusal)))
    }
    self.init(
      items: older.messages.compactMap(IncomingMessage.init).map(IncomingItem.message),
      before: older.before.map { HistoryPlace(rawValue: String($0)) },
      isSoughtMissing: older.missing == true)
  }
}

extension Wire.History {
  /// The request for the messages before the place, which is a message's order.
  init(number: Int64, _ request: HistoryRequest) {
    self.init(
      number: number, conversation: request.conversation.rawValue,
      before: request.before.flatMap { Int64($0.rawValue) } ?? request.oldest?.order,
      sought: request.sought?.rawValue, limit: request.limit)
  }
}
