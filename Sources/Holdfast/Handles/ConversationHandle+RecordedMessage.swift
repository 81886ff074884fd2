import Foundation
import HoldfastCore

extension ConversationHandle {
  /// A finished message that an app stores without sending it (SPEC L2): an assistant's answer, the message of a tool,
  /// or a message that the app already has from elsewhere.
  ///
  /// ```swift
  /// let answer = ConversationHandle.RecordedMessage(
  ///   id: MessageID(rawValue: response.id), sender: "assistant", role: .assistant,
  ///   content: MessageContent(response.text), createdAt: response.date)
  /// ```
  public struct RecordedMessage: Sendable, Hashable {
    /// The message's ID, in 1 to 255 bytes. A message is stored once by its ID.
    public var id: MessageID
    /// The author.
    public var sender: UserID
    /// The role of the author.
    public var role: MessageRole
    /// The fields that the author gave the message. The text may be empty.
    public var content: MessageContent
    /// The time at which the message was written. It is shown, and decides nothing about the order.
    public var createdAt: Date

    /// A message with these values.
    public init(
      id: MessageID, sender: UserID, role: MessageRole = .user, content: MessageContent, createdAt: Date
    ) {
      self.id = id
      self.sender = sender
      self.role = role
      self.content = content
      self.createdAt = createdAt
    }
  }

  /// Stores a finished message behind the others of the conversation, delivered. It never enters the outbox, and no
  /// server hears of it. A message that is already here is left as it is.
  ///
  /// ```swift
  /// try chat.record(answer)
  /// ```
  ///
  /// One transaction, which costs a sync. When the call returns, the message survives any crash.
  ///
  /// - Returns: whether the message is new.
  /// - Throws: ``ChatError`` with code `malformedID` when an ID is malformed or belongs to a message of another
  ///   conversation, `unknownConversation`, or one that starts with `storage`. Nothing is stored then.
  @discardableResult
  public func record(_ message: RecordedMessage) throws(ChatError) -> Bool {
    try client.record(CollectionOfOne(message), in: id) > 0
  }

  /// Stores finished messages in their order, in one transaction: all of them or none. See ``record(_:)``.
  ///
  /// ```swift
  /// try chat.record(contentsOf: pages.lazy.flatMap(\.messages))
  /// ```
  ///
  /// Costs one sync, and about 20 microseconds for each message. Other writes to the store wait meanwhile, so a history
  /// of many thousands of messages is better stored in parts: a part that is stored again changes nothing.
  ///
  /// - Parameter messages: read once, from the first to the last.
  /// - Returns: the number of messages that are new.
  /// - Throws: as ``record(_:)``.
  @discardableResult
  public func record(contentsOf messages: some Sequence<RecordedMessage>) throws(ChatError) -> Int {
    try client.record(messages, in: id)
  }
}
