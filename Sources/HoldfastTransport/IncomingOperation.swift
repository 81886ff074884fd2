import Foundation
import HoldfastCore

/// A change that somebody made to a message, as an event (rule B2): for a server that reports changes, and not the
/// message's present state, which ``IncomingMessage/revision`` numbers.
///
/// ```swift
/// let edit = IncomingOperation(
///   MessageOperation(.edit, of: "message-17"), MessageContent("At nine."), in: "team", by: "bob",
///   at: Date(timeIntervalSince1970: 1_767_225_600), serverID: "event-18")
/// ```
///
/// Operations may come in any order and any number of times, also before their message: the engine keeps the last
/// 1,000 whose messages are not here. Two operations on the same thing have the same result on every device,
/// whichever comes first: the one with the later ``createdAt`` wins, and at the same time the one whose ``serverID``
/// is greater in the order of its bytes.
///
/// - An edit changes only a message of its own sender. An edit of another account is refused, and logged.
/// - A deletion is final and not checked for its author: the server decides who may delete.
/// - A reaction is its sender's. Adding and taking back are two operations on the same reaction.
public struct IncomingOperation: Sendable, Hashable {
  /// The kind of operation, and its message: by our ID or by the server's name. A deletion may have the server's name
  /// of a reaction as its target, where the server retracts messages and reactions alike: the reaction is then taken
  /// back.
  public var operation: MessageOperation
  /// The content of the operation, as in an ``OutgoingMessage``: for an edit the new text, for a reaction its value
  /// as the text, for a deletion nothing.
  public var content: MessageContent
  /// The conversation of the message.
  public var conversation: ConversationID
  /// The account that made the change.
  public var sender: UserID
  /// The time of the change, by the server's clock.
  public var createdAt: Date
  /// The server's own name of the operation, as ``IncomingMessage/serverID`` is of a message. For a reaction that is
  /// added: the name of the reaction. Nil when the server has none.
  public var serverID: String?

  /// An operation with these values.
  public init(
    _ operation: MessageOperation, _ content: MessageContent = MessageContent(),
    in conversation: ConversationID, by sender: UserID, at createdAt: Date, serverID: String? = nil
  ) {
    self.operation = operation
    self.content = content
    self.conversation = conversation
    self.sender = sender
    self.createdAt = createdAt
    self.serverID = serverID
  }
}
