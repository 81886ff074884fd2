import Foundation

/// Who speaks, as the field's chat formats name it. Between people every message is `user`.
public enum MessageRole: String, Sendable, Codable, Hashable, CaseIterable {
  case user, assistant, system, tool
}

/// Where a message stands on its way, as read from the store: nothing stores it as a column, so that a
/// crash cannot make it a lie (SPEC O1).
public enum Delivery: Sendable, Codable, Hashable {
  /// On its way, or about to be: the link is up and the message waits for the server's receipt.
  case sending
  /// Stored, and waiting for the link.
  case queued
  /// Queued for so long that it is not sent before its user has been asked (SPEC O16).
  case held
  /// Confirmed by the server. Every message of somebody else is.
  case delivered
  /// Stopped for a reason, and kept with its text until the user decides (SPEC O8).
  case failed(FailureReason)
}

/// Whether a message's text is whole (SPEC H3).
public enum Completeness: String, Sendable, Codable, Hashable {
  case complete
  /// Tokens are arriving in this process.
  case streaming
  /// Tokens stopped before the end: what had arrived is stored.
  case interrupted
}

/// One message of a conversation, as stored.
public struct Message: Identifiable, Sendable, Codable, Hashable {
  public var id: MessageID
  public var conversationID: ConversationID
  public var sender: UserID
  public var role: MessageRole
  /// The text. For a message that is still streaming, what has arrived so far.
  public var body: String
  /// The reasoning that a model sent with its answer. Nil when there was none.
  public var reasoning: String?
  /// The server's order within the conversation, from 1. Nil until the server has confirmed; never nil again.
  public var serverOrder: Int64?
  /// The server's time once confirmed, this device's before. It is shown, and orders nothing.
  public var createdAt: Date
  public var delivery: Delivery
  public var completeness: Completeness

  public init(
    id: MessageID, conversationID: ConversationID, sender: UserID, role: MessageRole, body: String,
    reasoning: String? = nil, serverOrder: Int64? = nil, createdAt: Date, delivery: Delivery,
    completeness: Completeness
  ) {
    self.id = id
    self.conversationID = conversationID
    self.sender = sender
    self.role = role
    self.body = body
    self.reasoning = reasoning
    self.serverOrder = serverOrder
    self.createdAt = createdAt
    self.delivery = delivery
    self.completeness = completeness
  }

}
