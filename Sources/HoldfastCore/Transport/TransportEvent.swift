import Foundation

/// A message as the backend has it now: its present state, whatever led to it.
///
/// When it comes again with a higher ``revision``, it replaces what is stored; with an equal or a lower one it changes
/// nothing. So it may come in any order, and any number of times.
public struct IncomingMessage: Sendable, Hashable {
  public var id: MessageID
  public var conversation: ConversationID
  public var sender: UserID
  public var role: MessageRole
  public var body: String
  public var reasoning: String?
  /// The server's order within the conversation, from 1. Nil where the backend has none.
  public var order: Int64?
  public var createdAt: Date
  /// How often it was changed: 0 at first, and higher with each edit, deletion or reaction. A backend that does not
  /// count gives the time of the last change, as any number that grows.
  public var revision: Int64
  /// When the text was last changed. Nil: never.
  public var editedAt: Date?
  /// When its sender deleted it. Its text is empty then. Nil: it is there.
  public var deletedAt: Date?
  public var reactions: [SentReaction]
  /// The message that this one answers. It may be one that has not come, or is not there any more.
  public var replyTo: MessageID?
  /// Mentions and spans of the present text, in the sender's app's own format: not to be trusted, as the text is not.
  public var formatting: Data?
  public var attachments: [Attachment]

  public init(
    id: MessageID, conversation: ConversationID, sender: UserID, role: MessageRole = .user,
    body: String, reasoning: String? = nil, order: Int64?, createdAt: Date, revision: Int64 = 0,
    editedAt: Date? = nil, deletedAt: Date? = nil, reactions: [SentReaction] = [],
    replyTo: MessageID? = nil, formatting: Data? = nil, attachments: [Attachment] = []
  ) {
    self.id = id
    self.conversation = conversation
    self.sender = sender
    self.role = role
    self.body = body
    self.reasoning = reasoning
    self.order = order
    self.createdAt = createdAt
    self.revision = revision
    self.editedAt = editedAt
    self.deletedAt = deletedAt
    self.reactions = reactions
    self.replyTo = replyTo
    self.formatting = formatting
    self.attachments = attachments
  }
}

/// A conversation as the backend has it.
public struct IncomingConversation: Sendable, Hashable {
  public var id: ConversationID
  public var title: String?
  public var members: [UserID]

  public init(id: ConversationID, title: String?, members: [UserID]) {
    self.id = id
    self.title = title
    self.members = members
  }
}

/// The server's word that it has a message, or has carried out an operation.
public struct Receipt: Sendable, Hashable {
  public var id: MessageID
  public var conversation: ConversationID
  /// Of an operation: the order of its message.
  public var order: Int64?
  public var createdAt: Date
  /// Of an operation: the ``IncomingMessage/revision`` of its message that shows it. The message comes with that, or
  /// a higher one, before or after the receipt. Nil where the backend does not count: the operation is then taken for
  /// carried out as it was asked for.
  public var revision: Int64?

  public init(
    id: MessageID, conversation: ConversationID, order: Int64?, createdAt: Date, revision: Int64? = nil
  ) {
    self.id = id
    self.conversation = conversation
    self.order = order
    self.createdAt = createdAt
    self.revision = revision
  }
}

/// A piece of a message that is still being written (SPEC H3). `sequence` counts the pieces from 0, so that
/// a piece that comes twice is told, and one that was lost is noticed.
public struct StreamPiece: Sendable, Hashable {
  public var id: MessageID
  public var conversation: ConversationID
  public var sender: UserID
  public var role: MessageRole
  public var sequence: Int64
  public var text: String
  public var reasoning: String

  public init(
    id: MessageID, conversation: ConversationID, sender: UserID, role: MessageRole = .assistant,
    sequence: Int64, text: String, reasoning: String = ""
  ) {
    self.id = id
    self.conversation = conversation
    self.sender = sender
    self.role = role
    self.sequence = sequence
    self.text = text
    self.reasoning = reasoning
  }
}

/// One thing in the backend's stream of events.
public enum IncomingItem: Sendable, Hashable {
  case conversation(IncomingConversation)
  case message(IncomingMessage)
}

/// What a backend says.
public enum TransportEvent: Sendable, Hashable {
  /// The server answers: only now is the link online.
  case ready
  /// Items up to `cursor`, in the server's order. They are stored together with the cursor, in one
  /// transaction, or not at all.
  case items([IncomingItem], cursor: SyncCursor?)
  case receipts([Receipt])
  /// This message was not taken. See ``OutgoingMessage/handover``.
  case refused(MessageID, handover: Int64, Refusal)
  case piece(StreamPiece)
}
