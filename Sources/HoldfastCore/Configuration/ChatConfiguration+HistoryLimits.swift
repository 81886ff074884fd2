extension ChatConfiguration {
  /// Limits on the messages that are kept on this device although the server has them too (rule H11).
  ///
  /// ```swift
  /// configuration.history = ChatConfiguration.HistoryLimits(perConversation: 5_000, total: 100_000)
  /// ```
  ///
  /// The oldest messages make room for new ones. The server is not asked, and nothing is deleted there. Where the
  /// transport gives older messages on demand, they come back when somebody scrolls up to them, and stay until the
  /// next launch. Messages that wait to be sent, and those of conversations on this device alone, are not counted,
  /// and take no room from the others.
  public struct HistoryLimits: Sendable, Hashable {
    /// The number of messages of each conversation that are always kept.
    public static let leastPerConversation = 100

    /// The limit for each conversation. Nil: all messages are kept.
    public var perConversation: Int?
    /// The limit for all conversations together. Nil: all messages are kept.
    public var total: Int?

    /// No limits by default.
    public init(perConversation: Int? = nil, total: Int? = nil) {
      self.perConversation = perConversation
      self.total = total
    }

    package var isLimited: Bool { perConversation != nil || total != nil }

    /// The limit that applies to each conversation.
    package var keptPerConversation: Int? { perConversation.map { max($0, Self.leastPerConversation) } }

    /// The limit that applies to all conversations together.
    package var keptInAll: Int? { total.map { max($0, 0) } }
  }
}
