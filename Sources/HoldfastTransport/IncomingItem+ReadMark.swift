import HoldfastCore

extension IncomingItem {
  /// The newest message of a conversation that a member has read. All messages before it count as read (rule B13).
  ///
  /// A mark only moves forward. A mark that is at the stored one, or before it, changes nothing. So a mark is
  /// idempotent, and may come in any order.
  public struct ReadMark: Sendable, Hashable {
    /// The conversation of the message.
    public var conversation: ConversationID
    /// The account that has read the message.
    public var reader: UserID
    /// The newest message that the reader has read. An incoming mark may have the server's name of the message here.
    public var message: MessageID
    /// The server's order of the message. Nil when the server's messages have none: the message is then looked up by
    /// its ID, and the mark waits for a message that is not here.
    public var order: Int64?
    /// The server's own name of the message (rule B1), in an outgoing mark. Nil when it has none.
    public var serverID: String?

    /// A mark with these values.
    public init(
      conversation: ConversationID, reader: UserID, message: MessageID, order: Int64?, serverID: String? = nil
    ) {
      self.conversation = conversation
      self.reader = reader
      self.message = message
      self.order = order
      self.serverID = serverID
    }
  }
}
