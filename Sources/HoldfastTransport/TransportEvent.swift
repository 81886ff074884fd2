import Foundation
import HoldfastCore

/// A message in its present state on the server, regardless of the changes that led to it.
///
/// A message with a higher ``revision`` replaces the stored one. A message with an equal or lower revision
/// changes nothing. So a message may come in any order, and any number of times. The fields of its ``content`` are read
/// as its own: `message.text`.
@dynamicMemberLookup
public struct IncomingMessage: Sendable, Hashable {
  public var id: MessageID
  /// The conversation of the message.
  public var conversation: ConversationID
  /// The account that sent the message.
  public var sender: UserID
  /// The role of the message's author.
  public var role: MessageRole
  /// The fields that the author gave the message.
  public var content: MessageContent
  /// The server's order within the conversation, from 1. Nil when the server has none.
  public var order: Int64?
  /// The time at which the message was written, by the server's clock.
  public var createdAt: Date
  /// The number of changes: 0 until the message is changed, and higher with each edit, deletion or reaction. A server
  /// that does not count gives the time of the last change, as any number that grows. A number above 0 means that the
  /// message is not new: a device that receives only new messages does not begin a conversation with it.
  public var revision: Int64
  /// The time when the text was last changed. Nil when it never was.
  public var editedAt: Date?
  /// The time when the sender deleted the message. Its text is then empty. Nil when it is not deleted.
  public var deletedAt: Date?
  /// The present reactions, in the order in which they were added.
  public var reactions: [IncomingMessage.Reaction]
  /// The files of the message, in order.
  public var attachments: [ChatAttachment]
  /// The server's own names of these files, where it finds them by these and not by their checksums: 1 to 2,048
  /// bytes. The engine gives them back with ``ChatAttachment/Download``.
  public var attachmentServerIDs: [ChatAttachment.Checksum: String]
  /// The server's own name of the message (rule B1), such as the ID of an event: 1 to 255 bytes without control
  /// characters, the same forever, and no other message's in the account. Nil when the server knows the message by
  /// ``id`` alone.
  ///
  /// The engine keeps the name, and gives it back with everything that is done to the message:
  /// ``OutgoingMessage/serverIDs``. A message that comes without an ID of ours has the name as its ``id`` too. If a
  /// message here has that name, it is this message.
  public var serverID: String?

  /// A message with these values.
  public init(
    id: MessageID, conversation: ConversationID, sender: UserID, role: MessageRole = .user,
    content: MessageContent, order: Int64?, createdAt: Date, revision: Int64 = 0, editedAt: Date? = nil,
    deletedAt: Date? = nil, reactions: [IncomingMessage.Reaction] = [], attachments: [ChatAttachment] = [],
    attachmentServerIDs: [ChatAttachment.Checksum: String] = [:], serverID: String? = nil
  ) {
    self.id = id
    self.conversation = conversation
    self.sender = sender
    self.role = role
    self.content = content
    self.order = order
    self.createdAt = createdAt
    self.revision = revision
    self.editedAt = editedAt
    self.deletedAt = deletedAt
    self.reactions = reactions
    self.attachments = attachments
    self.attachmentServerIDs = attachmentServerIDs
    self.serverID = serverID
  }

  /// A field of the content.
  public subscript<Value>(dynamicMember field: WritableKeyPath<MessageContent, Value>) -> Value {
    get { content[keyPath: field] }
    set { content[keyPath: field] = newValue }
  }
}

/// A conversation in its present state on the server.
public struct IncomingConversation: Sendable, Hashable {
  public var id: ConversationID
  /// The title on the server. Nil when it has none, and empty when it was removed.
  public var title: String?
  /// The accounts that take part. Empty beside a ``refusal`` where the server no longer reports them: members and
  /// title stay as they are, and a conversation that is not here is not made.
  public var members: [UserID]
  /// The IDs that the conversation had before it got this one, such as the one that a device has made (rule D15). A
  /// device that knows the conversation by one of them knows it by ``id`` from now on, with everything in it. Only
  /// the server may send them: a member who could would move another conversation's messages here.
  public var earlierIDs: [ConversationID]
  /// The reason why the server takes nothing for the conversation (rule O8). New messages wait, with this reason. Nil
  /// when the server takes messages.
  public var refusal: FailureReason?
  /// Whether the server has older messages than those that come with this item, in the same event, and after it
  /// (rule B6). A first connection can thus send only the newest messages of each conversation, and a server that
  /// sends only new messages can declare it. Without it, a device assumes that it was sent everything from the
  /// conversation's beginning on.
  public var hasOlder: Bool
  /// The place before which those messages are. Nil when none is known: they are requested from the newest one back.
  public var history: HistoryPlace?

  /// A conversation with these values.
  public init(
    id: ConversationID, title: String?, members: [UserID], earlierIDs: [ConversationID] = [],
    refusal: FailureReason? = nil, hasOlder: Bool = false, history: HistoryPlace? = nil
  ) {
    self.id = id
    self.title = title
    self.members = members
    self.earlierIDs = earlierIDs
    self.refusal = refusal
    self.hasOlder = hasOlder || history != nil
    self.history = history
  }
}

/// The server's acknowledgement that it has a message, or has carried out an operation.
public struct Receipt: Sendable, Hashable {
  public var id: MessageID
  /// The conversation of the message.
  public var conversation: ConversationID
  /// The server's order of the message. For an operation: the order of its message. Nil when the server has
  /// none.
  public var order: Int64?
  /// The time of the message by the server's clock.
  public var createdAt: Date
  /// For an operation: the ``IncomingMessage/revision`` of its message that shows the change. The message comes with
  /// that revision or a higher one, before or after the acknowledgement. Nil when the server does not count: the
  /// operation then counts as carried out as requested.
  public var revision: Int64?
  /// The server's own name of the message, as ``IncomingMessage/serverID``. For an operation that adds a reaction:
  /// its name of the reaction. Nil when the server has none, and for other operations.
  public var serverID: String?

  /// A receipt with these values.
  public init(
    id: MessageID, conversation: ConversationID, order: Int64?, createdAt: Date, revision: Int64? = nil,
    serverID: String? = nil
  ) {
    self.id = id
    self.conversation = conversation
    self.order = order
    self.createdAt = createdAt
    self.revision = revision
    self.serverID = serverID
  }
}

/// A piece of a message that is still being written (rule H3). `sequence` counts the pieces from 0, so that a
/// repeated piece and a lost piece are noticed.
public struct StreamPiece: Sendable, Hashable {
  public var id: MessageID
  /// The conversation of the message.
  public var conversation: ConversationID
  /// The account that writes the message.
  public var sender: UserID
  /// The role of the message's author.
  public var role: MessageRole
  /// The number of the piece, from 0.
  public var sequence: Int64
  /// The piece of text.
  public var text: String
  /// The piece of the model's reasoning. Empty when the piece has text alone.
  public var reasoning: String
  /// The request that the message answers, in its first piece. Nil in the others, and when the message answers none.
  public var request: RequestID?

  /// A piece with these values.
  public init(
    id: MessageID, conversation: ConversationID, sender: UserID, role: MessageRole = .assistant,
    sequence: Int64, text: String, reasoning: String = "", request: RequestID? = nil
  ) {
    self.id = id
    self.conversation = conversation
    self.sender = sender
    self.role = role
    self.sequence = sequence
    self.text = text
    self.reasoning = reasoning
    self.request = request
  }
}

/// One item in the server's stream of events.
public enum IncomingItem: Sendable, Hashable {
  /// A conversation was created, or its ID, its title, its members or its refusal changed.
  case conversation(IncomingConversation)
  /// A message is new, or has changed.
  case message(IncomingMessage)
  /// Somebody changed a message. A server that sends the message's state instead has no need of it.
  case operation(IncomingOperation)
  /// A member has read further.
  case readMark(ReadMark)
  /// A conversation was removed for this account: it was deleted for everyone, or the account may no longer read it
  /// (rule R5). Its messages are erased here. Unsent drafts and messages stay, in a conversation that takes no
  /// messages. Without unsent content, open windows show that it was not found.
  case removed(ConversationID)
}

/// An event from the server.
public enum TransportEvent: Sendable, Hashable {
  /// The server answers. The connection counts as online only from now on.
  case ready
  /// Items up to `cursor`, in the server's order. The engine stores them together with the cursor in one
  /// transaction, or not at all.
  case items([IncomingItem], cursor: SyncCursor?)
  /// The server has the messages, or has carried out the operations.
  case receipts([Receipt])
  /// The server did not accept the message. See ``OutgoingMessage/transmission``.
  case refused(MessageID, transmission: Int64, Refusal)
  /// A piece of a message that somebody is writing.
  case piece(StreamPiece)
}
