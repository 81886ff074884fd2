import Foundation

/// The outcome of sending one of this account's messages, for an app that keeps its messages itself: the message was
/// delivered, or it has failed.
///
/// A message that failed and was sent again has one value for the failure and another one for the next outcome.
public struct OutboxOutcome: Sendable, Codable, Hashable, Identifiable {
  /// The place among all outcomes of the store. It grows, has gaps, and is never reused.
  public var number: Int64
  /// The ID that the message has had since it was sent.
  public var message: MessageID
  /// The present ID of the message's conversation.
  public var conversation: ConversationID
  /// The server's order of a delivered message within its conversation. Nil for a failed message, for a backend
  /// without an order, and for a conversation on this device alone.
  public var order: Int64?
  /// The server's own ID of a delivered message, for a table that is synchronized with the same server:
  /// ``Receipt/serverID``. A later event of the server may supply it. Nil for a failed message, for a server that
  /// uses the message's own ID, and once the message was erased on this device.
  public var serverID: String?
  /// The date of a delivered message, as the server gave it. Nil for a failed message.
  public var deliveredAt: Date?
  /// The reason why the message failed. Nil for a delivered message.
  public var failure: FailureReason?
  /// The same as ``number``.
  public var id: Int64 { number }

  /// An outcome, for tests and previews.
  public init(
    number: Int64, message: MessageID, conversation: ConversationID, order: Int64? = nil,
    serverID: String? = nil, deliveredAt: Date? = nil, failure: FailureReason? = nil
  ) {
    self.number = number
    self.message = message
    self.conversation = conversation
    self.order = order
    self.serverID = serverID
    self.deliveredAt = deliveredAt
    self.failure = failure
  }
}
