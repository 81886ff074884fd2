import Foundation
import HoldfastCore

/// An opaque place in the history of a conversation. Older messages come before it. A transport makes it, and the
/// engine keeps it with the messages that came with it.
public struct HistoryPlace: RawRepresentable, Sendable, Hashable, Codable {
  public let rawValue: String
  /// A place with the transport's text for it.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A request for older messages of one conversation (rule B6).
public struct HistoryRequest: Sendable, Hashable {
  /// A message that the server is known to have, for servers that page from a message.
  public struct Message: Sendable, Hashable {
    public var id: MessageID
    /// The server's own name of the message: ``IncomingMessage/serverID``.
    public var serverID: String?
    /// The server's order of the message. Nil when the server has none.
    public var order: Int64?
    /// The time of the message.
    public var createdAt: Date

    /// A message with these values.
    public init(id: MessageID, serverID: String? = nil, order: Int64? = nil, createdAt: Date) {
      self.id = id
      self.serverID = serverID
      self.order = order
      self.createdAt = createdAt
    }
  }

  /// The conversation whose older messages are requested, by its present ID.
  public var conversation: ConversationID
  /// The place before which messages are requested, as the transport gave it last. Nil when it gave none, and after
  /// messages were evicted from this device (``ChatConfiguration/HistoryLimits``). The answer then begins before
  /// ``oldest`` or, where the server cannot do that, with the newest message: ``HistoryPage/beginsWithNewest``.
  /// Messages that are here already change nothing.
  public var before: HistoryPlace?
  /// The oldest message after which nothing is missing here. Nil when there is no such message.
  public var oldest: Message?
  /// A message that is sought: one that is quoted, or a search hit. A server that knows that it has no such message
  /// reports it: ``HistoryPage/isSoughtMissing``.
  public var sought: MessageID?
  /// The number of messages that are wanted. An answer may have more or fewer.
  public var limit: Int

  /// A request with these values.
  public init(
    conversation: ConversationID, before: HistoryPlace? = nil, oldest: Message? = nil,
    sought: MessageID? = nil, limit: Int = 100
  ) {
    self.conversation = conversation
    self.before = before
    self.oldest = oldest
    self.sought = sought
    self.limit = limit
  }
}

/// Older messages of one conversation, without a gap between them and the requested place.
///
/// The engine stores a page in one transaction. Messages with an ``IncomingMessage/order`` are placed by it. Without
/// one, the messages of a page are placed before all that are here.
public struct HistoryPage: Sendable, Hashable {
  /// The reason why older messages are not given. Any other error than this and a ``ConnectionFailure`` counts as
  /// `rejected`.
  public enum Refusal: Error, Sendable, Hashable {
    /// The server cannot serve now. It is asked again after this time, or by the engine's own intervals.
    case notNow(after: Duration?)
    /// The server gives no older messages. The reason is shown to the user, who may try again.
    case rejected(FailureReason)
  }

  /// The messages, oldest first, each in its present state. A server that reports changes as events adds those: an
  /// operation is carried out whether its message comes before it or after it.
  public var items: [IncomingItem]
  /// The place before the oldest of them. Nil: the conversation begins with them.
  public var before: HistoryPlace?
  /// Whether the page begins with the newest message, because the server can neither continue at
  /// ``HistoryRequest/before`` nor begin before ``HistoryRequest/oldest``. Without orders, only messages older than
  /// those here are taken from such a page.
  public var beginsWithNewest: Bool
  /// Whether the server has no message with the sought ID. The engine then does not page to the beginning needlessly.
  public var isSoughtMissing: Bool

  /// A page with these values.
  public init(
    items: [IncomingItem], before: HistoryPlace?, beginsWithNewest: Bool = false,
    isSoughtMissing: Bool = false
  ) {
    self.items = items
    self.before = before
    self.beginsWithNewest = beginsWithNewest
    self.isSoughtMissing = isSoughtMissing
  }
}
