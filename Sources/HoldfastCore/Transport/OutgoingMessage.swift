import Foundation

/// A message on its way to the server, or an operation on a message.
public struct OutgoingMessage: Sendable, Hashable {
  /// The ID, the same on every attempt. An operation has its own ID.
  public var id: MessageID
  public var conversation: ConversationID
  /// The conversation's members, as long as the server may not know the conversation. The first message creates
  /// it. Otherwise empty.
  public var members: [UserID]
  public var title: String?
  public var role: MessageRole
  /// The text. For an edit the new text, for a reaction its value, for a deletion empty.
  public var body: String
  public var reasoning: String?
  public var createdAt: Date
  /// The message that this one answers, in the same conversation. Nil when it answers none. A server that does
  /// not support answers or ``formatting`` leaves them out.
  public var replyTo: MessageID?
  /// Mentions and spans in the app's own format. For an edit: those of the new text.
  public var formatting: Data?
  /// The attachments. The server already has them.
  public var attachments: [OutgoingMessage.SentAttachment]
  /// The operation that is done to another message. Nil for a message. The target is already confirmed, or
  /// leaves before the operation.
  public var operation: MessageOperation?
  /// The message or operation that the server must accept before this one. Nil when none before it is
  /// unsettled.
  public var predecessor: MessageID?
  /// The number of this handover to the transport. A refusal carries it, so that a late refusal of an earlier
  /// handover is not taken for a refusal of this one.
  public var handover: Int64

  /// A message with these values, for tests of a transport.
  public init(
    id: MessageID, conversation: ConversationID, members: [UserID] = [], title: String? = nil,
    role: MessageRole = .user, body: String, reasoning: String? = nil, createdAt: Date,
    replyTo: MessageID? = nil, formatting: Data? = nil, attachments: [OutgoingMessage.SentAttachment] = [],
    operation: MessageOperation? = nil, predecessor: MessageID? = nil,
    handover: Int64
  ) {
    self.id = id
    self.conversation = conversation
    self.members = members
    self.title = title
    self.role = role
    self.body = body
    self.reasoning = reasoning
    self.createdAt = createdAt
    self.replyTo = replyTo
    self.formatting = formatting
    self.attachments = attachments
    self.operation = operation
    self.predecessor = predecessor
    self.handover = handover
  }
}
