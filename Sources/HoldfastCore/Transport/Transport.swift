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
