extension ChatConfiguration {
  /// Limits on the number of messages in the outbox (rule O12), and on the time that they wait before their user
  /// is asked (rule O16).
  public struct OutboxLimits: Sendable, Hashable {
    /// The most messages of one conversation.
    public var perConversation: Int
    /// The most messages of all conversations together.
    public var total: Int
    /// The age after which a queued message is held, and its user asked, when the connection comes back. Nil:
    /// never.
    ///
    /// A client without a user sets nil: a bot, or an app that does not show ``OutboxHandle/heldMessages()``. Nobody
    /// would answer the question, and everything that waited through an outage of a day would stay held forever.
    public var heldAfter: Duration?

    /// 100,000 messages for a conversation, 200,000 in all, and a day by default.
    public init(
      perConversation: Int = 100_000, total: Int = 200_000, heldAfter: Duration? = .seconds(24 * 3600)
    ) {
      self.perConversation = perConversation
      self.total = total
      self.heldAfter = heldAfter
    }
  }
}
