import HoldfastCore

/// A request for the messages that have some words, among all that the server has (rule B6).
public struct SearchRequest: Sendable, Hashable {
  /// The text that somebody typed. There is no syntax in it.
  public var query: String
  /// The conversation to search, by its present ID. Nil: all conversations of the account.
  public var conversation: ConversationID?
  /// The number of messages that are wanted. An answer may have fewer.
  public var limit: Int

  /// A request with these values.
  public init(_ query: String, in conversation: ConversationID? = nil, limit: Int = 50) {
    (self.query, self.conversation, self.limit) = (query, conversation, limit)
  }
}

/// The messages that a server has found. They are not stored: a message that somebody opens is fetched with
/// ``TransportConnection/history(_:)``.
public struct SearchResults: Sendable, Hashable {
  /// The messages, the best first, each in its present state.
  public var messages: [IncomingMessage]
  /// Whether there are more.
  public var hasMore: Bool

  /// Results with these values.
  public init(_ messages: [IncomingMessage], hasMore: Bool = false) {
    (self.messages, self.hasMore) = (messages, hasMore)
  }
}
