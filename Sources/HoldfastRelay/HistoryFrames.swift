import HoldfastCore
import HoldfastTransport

/// The frames about older messages, and a first connection that brings the newest ones alone.
extension Wire {
  /// Asks for older messages of a conversation.
  package struct History: Codable, Hashable, Sendable {
    /// The client's number of the question on this connection. The answer has it too.
    package var number: Int64
    package var conversation: String
    /// The order before which messages are asked for. Absent: the newest are.
    package var before: Int64?
    /// A message that the client looks for.
    package var sought: String?
    /// The most messages that are wanted.
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

  /// Older messages, without a gap between them and what was asked for.
  package struct Older: Codable, Hashable, Sendable {
    /// The number of the question.
    package var number: Int64
    /// Oldest first, each in its present state.
    package var messages: [MessageItem]
    /// The order before which there are more. Absent: the conversation begins with these.
    package var before: Int64?
    /// Whether the conversation has no message with the ID that is looked for. Absent: it has, or none is.
    package var missing: Bool?
    /// Why none are given, as a sentence for the user. Absent when they are.
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

  /// The wish of a new device for the newest messages of each conversation alone.
  package struct Recent: Codable, Hashable, Sendable {
    /// The most messages of each conversation.
    package var count: Int
    /// The place that the last page named. Absent: the device has none yet.
    package var after: String?
    package init(count: Int, after: String? = nil) {
      self.count = count
      self.after = after
    }
  }

  /// What a page of the newest messages says about its place.
  package struct RecentPlace: Codable, Hashable, Sendable {
    /// The place that the page follows on. Absent: it is the first.
    package var after: String?
    /// The place up to which the device has the conversations then. Absent: it has all of them, and goes on in the log.
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
  /// The question for the messages before the place, which is a message's order.
  init(number: Int64, _ request: HistoryRequest) {
    self.init(
      number: number, conversation: request.conversation.rawValue,
      before: request.before.flatMap { Int64($0.rawValue) } ?? request.oldest?.order,
      sought: request.sought?.rawValue, limit: request.limit)
  }
}
