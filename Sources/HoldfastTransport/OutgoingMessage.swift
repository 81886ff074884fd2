import Foundation
import HoldfastCore

/// A message for the server, or an operation on a message. The fields of its ``content`` are read as its own:
/// `message.text`.
@dynamicMemberLookup
public struct OutgoingMessage: Sendable, Hashable {
  /// The ID, the same on every attempt. An operation has its own ID.
  public var id: MessageID
  /// The conversation of the message.
  public var conversation: ConversationID
  /// The conversation's members, as long as the server may not know the conversation. The first message creates
  /// it. Otherwise empty.
  public var members: [UserID]
  /// The conversation's title, as long as the server may not know the conversation. Otherwise nil.
  public var title: String?
  /// The author: the account itself, or an assistant of it, which ``UserID/assistantName`` names. Nil for an
  /// operation, which the account does.
  public var sender: UserID?
  /// The role of the message's author.
  public var role: MessageRole
  /// The fields that the author gave the message. For an edit the new text, for a reaction its value as the text, for
  /// a deletion empty. It has only fields that ``TransportCapabilities/fields`` declares.
  public var content: MessageContent
  /// The time at which the message was written, by the device's clock.
  public var createdAt: Date
  /// The attachments. The server already has them.
  public var attachments: [OutgoingMessage.SentAttachment]
  /// The operation that is done to another message. Nil for a message. The target is already confirmed, or is sent
  /// before the operation.
  public var operation: MessageOperation?
  /// The server's own names of what the message refers to.
  public var serverIDs: ServerIDs
  /// The message or operation that the server must accept before this one. Nil when no earlier one awaits its answer.
  public var predecessor: MessageID?
  /// The number of this transmission. A refusal carries it, so that a late refusal of an earlier transmission is not
  /// taken for a refusal of this one.
  public var transmission: Int64

  /// A message with these values, for tests of a transport.
  public init(
    id: MessageID, conversation: ConversationID, members: [UserID] = [], title: String? = nil,
    sender: UserID? = nil, role: MessageRole = .user, content: MessageContent, createdAt: Date,
    attachments: [OutgoingMessage.SentAttachment] = [],
    operation: MessageOperation? = nil, serverIDs: ServerIDs = ServerIDs(), predecessor: MessageID? = nil,
    transmission: Int64
  ) {
    self.id = id
    self.conversation = conversation
    self.members = members
    self.title = title
    self.sender = sender
    self.role = role
    self.content = content
    self.createdAt = createdAt
    self.attachments = attachments
    self.operation = operation
    self.serverIDs = serverIDs
    self.predecessor = predecessor
    self.transmission = transmission
  }

  /// A field of the content.
  public subscript<Value>(dynamicMember field: WritableKeyPath<MessageContent, Value>) -> Value {
    get { content[keyPath: field] }
    set { content[keyPath: field] = newValue }
  }
}
