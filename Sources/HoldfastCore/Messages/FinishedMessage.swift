import Foundation

/// A finished message that an app stores without sending it (rule L2): an assistant's answer, the message of a tool,
/// or a message that the app already has from elsewhere.
///
/// ```swift
/// let answer = FinishedMessage(
///   id: MessageID(rawValue: response.id), sender: "assistant", role: .assistant,
///   content: MessageContent(response.text), createdAt: response.date)
/// ```
public struct FinishedMessage: Sendable, Hashable {
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
