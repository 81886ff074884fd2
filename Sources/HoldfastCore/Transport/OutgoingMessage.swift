import Foundation

/// A message on its way out, or an operation on one.
public struct OutgoingMessage: Sendable, Hashable {
  /// The same on every attempt. An operation has one of its own.
  public var id: MessageID
  public var conversation: ConversationID
  /// The conversation's members while the server may not know it yet: the first message creates it.
  public var members: [UserID]
  public var title: String?
  public var role: MessageRole
  /// The text. Of an edit the new text, of a reaction its value, of a deletion empty.
  public var body: String
  public var reasoning: String?
  public var createdAt: Date
  /// The message that this one answers, in the same conversation. Nil: none. A backend that does not carry it, or
  /// ``formatting``, leaves it out.
  public var replyTo: MessageID?
  /// Mentions and spans in the app's own format. Of an edit: those of the new text.
  public var formatting: Data?
  /// The backend has them.
  public var attachments: [SentAttachment]
  /// Not a message, but something done to one. Nil for a message. Its target is confirmed, or leaves before it.
  public var operation: MessageOperation?
  /// The message or operation that must have been accepted before this one. Nil when nothing before it is unsettled.
  public var predecessor: MessageID?
  /// The number of this hand-over. A refusal carries it, so that a late refusal of an earlier hand-over
  /// is told from one of this.
  public var handover: Int64

  public init(
    id: MessageID, conversation: ConversationID, members: [UserID] = [], title: String? = nil,
    role: MessageRole = .user, body: String, reasoning: String? = nil, createdAt: Date,
    replyTo: MessageID? = nil, formatting: Data? = nil, attachments: [SentAttachment] = [],
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
