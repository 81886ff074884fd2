import Foundation

/// The adapter to a backend: it turns the engine's messages into the backend's requests, and what the
/// backend says into ``TransportEvent``s. It keeps nothing: what must survive is in the engine's store.
///
/// A transport makes three promises: the ID of a message or an operation is the backend's idempotency key on every attempt;
/// events arrive in the backend's order; and a failure is classified where it happens, as a
/// ``LinkFailure`` (the way to the server) or a ``Refusal`` (this message).
public protocol Transport: Sendable {
  /// What the backend guarantees. The engine pipelines and retries accordingly.
  var guarantees: TransportGuarantees { get }

  /// Connects, resumes after `cursor`, calls `body` with the live connection, and disconnects when `body`
  /// returns or throws. Must end promptly when its task is cancelled.
  ///
  /// - Throws: ``LinkFailure`` when the server cannot be reached, and whatever `body` throws.
  func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws

  /// The same, for a backend that can tell the connections of one device from those of another: it takes nothing
  /// from an older connection of `device` once this one is there, so that a message which was taken back here
  /// cannot arrive late. The default leaves the device out.
  ///
  /// - Parameter device: an ID that the store made once, and keeps.
  func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws
}

extension Transport {
  /// Connects without naming the device.
  public func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withConnection(resumingAfter: cursor, body)
  }
}

/// One live connection. Each of its functions is called by one task at a time, and those may be several tasks, but for
/// ``outcome(of:in:)``.
public protocol TransportConnection: Sendable {
  /// Whom the backend takes this device's user for. The engine ends a connection of somebody else's account, as it does
  /// one whose credentials are refused, before anything leaves or is stored. Nil, the default: it does not tell.
  var account: UserID? { get }

  /// Hands messages to the link, in order. Returns when the link has taken them: the outcome of each
  /// arrives later as an event. Throws ``LinkFailure`` when the link is gone.
  func send(_ messages: [OutgoingMessage]) async throws

  /// Passes on a piece of a message that is still being written. Lost pieces are made good by the final
  /// message, which takes the durable way through `send`.
  func send(_ piece: StreamPiece) async throws

  /// The next event, in the backend's order. Throws ``LinkFailure`` when the link is gone.
  func receive() async throws -> TransportEvent

  /// Reads from the backend what became of messages that left on an earlier connection and were not answered, where
  /// ``TransportGuarantees/idempotency`` does not let them be sent again. Nothing of their conversation leaves
  /// meanwhile; `send` and `receive` go on for the others. The default cannot tell.
  ///
  /// - Returns: the fate of each; one that is left out counts as ``MessageFate/unknown``.
  /// - Throws: ``LinkFailure`` when the link is gone. The question is asked again on the next connection.
  func lookUp(_ ids: [MessageID], in conversation: ConversationID) async throws -> [MessageID: MessageFate]

  /// Asks the backend what became of a request that was under way when the app ended, as the app named it in
  /// ``ChatClient/beginProcessing(_:in:)``. May be called for several requests at once, and may take its time: nothing
  /// waits for the answer. The default cannot tell.
  ///
  /// - Throws: ``LinkFailure`` when the link is gone. The question is asked again on the next connection.
  func outcome(of request: RequestID, in conversation: ConversationID) async throws -> RequestOutcome

  /// Brings a file to the backend, from where an earlier attempt stopped if the backend can, and returns once the
  /// backend has all of it. Must not keep messages waiting for long, and must end promptly when its task is cancelled.
  ///
  /// - Returns: the backend's name for it, which messages then carry. Never empty.
  /// - Throws: ``AttachmentRefusal``, ``LinkFailure`` when the link is gone, and whatever `progress` throws.
  func upload(_ upload: AttachmentUpload) async throws -> String

  /// Fetches a file from the backend, from an offset on, and returns once all of it was handed over.
  ///
  /// - Throws: as ``upload(_:)``.
  func download(_ download: AttachmentDownload) async throws
}

extension TransportConnection {
  /// Does not tell.
  public var account: UserID? { nil }

  /// Cannot tell.
  public func lookUp(
    _ ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: MessageFate] { [:] }

  /// Cannot tell.
  public func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> RequestOutcome { .unknown }

  /// For a backend without attachments.
  public func upload(_ upload: AttachmentUpload) async throws -> String {
    throw AttachmentRefusal.rejected("Attachments cannot be sent here.")
  }

  /// For a backend without attachments.
  public func download(_ download: AttachmentDownload) async throws {
    throw AttachmentRefusal.rejected("Attachments cannot be fetched here.")
  }
}

/// What a backend guarantees, declared by its transport.
public struct TransportGuarantees: Sendable, Hashable {
  /// How many messages of one conversation may be on their way at once. More than 1 only where the link
  /// keeps order *and* the server refuses a message whose predecessor it does not have (SPEC O5).
  public var window: Int
  /// The longest text in UTF-8 bytes, checked before sending. Nil: no limit is known.
  public var maximumMessageBytes: Int?
  /// What a message's ID is good for when the message is sent a second time (SPEC O6).
  public var idempotency: IdempotencyGuarantee
  /// What can be done to a message that the backend has. Only these are ever handed over, as
  /// ``OutgoingMessage/operation``; the others are refused to the app with code `unsupported`.
  ///
  /// An operation that left and was not answered is handed over again, whatever ``idempotency`` is: carried out twice it
  /// leads to what it led to the first time. A backend that refuses to delete what is deleted, or to take back a
  /// reaction that is not there, has carried it out: its transport answers with a receipt.
  public var operations: Set<MessageOperation.Kind>
  /// Messages may have attachments: the connection implements ``TransportConnection/upload(_:)`` and
  /// ``TransportConnection/download(_:)``.
  public var carriesAttachments: Bool
  /// The largest attachment in bytes, checked before it is taken. Nil: no limit is known.
  public var maximumAttachmentBytes: Int64?

  public init(
    window: Int = 1, maximumMessageBytes: Int? = nil, idempotency: IdempotencyGuarantee = .forever,
    operations: Set<MessageOperation.Kind> = [], carriesAttachments: Bool = false,
    maximumAttachmentBytes: Int64? = nil
  ) {
    self.window = window
    self.maximumMessageBytes = maximumMessageBytes
    self.idempotency = idempotency
    self.operations = operations
    self.carriesAttachments = carriesAttachments
    self.maximumAttachmentBytes = maximumAttachmentBytes
  }
}

/// An opaque place in the backend's stream of events, up to which this device has stored everything.
public struct SyncCursor: RawRepresentable, Sendable, Hashable, Codable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

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
