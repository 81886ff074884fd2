import Foundation
import HoldfastCore

/// The adapter to a backend, called the server here. It turns the engine's messages into the server's requests,
/// and the server's answers into ``TransportEvent``s. It stores nothing: everything that must survive is in the
/// engine's store.
///
/// A transport makes three promises:
/// - The ID of a message or an operation is the server's idempotency key on every attempt.
/// - Events arrive in the server's order.
/// - A failure is classified where it happens, as a ``ConnectionFailure`` (the connection) or a ``Refusal`` (the
///   message).
public protocol Transport: Sendable {
  /// The server's guarantees. The engine pipelines and retries accordingly. The default is a server that promises
  /// nothing.
  var capabilities: TransportCapabilities { get }

  /// Connects, resumes after `cursor`, calls `body` with the live connection, and disconnects when `body`
  /// returns or throws. It must end promptly when its task is cancelled.
  ///
  /// - Parameter body: called once, with the connection. It lasts as long as the connection is wanted.
  /// - Parameter cursor: the place up to which this device has stored the server's events. Nil: it has stored
  ///   none.
  /// - Throws: ``ConnectionFailure`` when the server cannot be reached, and every error of `body`.
  func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws

  /// Connects as ``withConnection(resumingAfter:_:)`` does, and names the device to a server that distinguishes the
  /// connections of one device from those of another. Once this connection exists, such a server accepts nothing from
  /// an older connection of `device`, so that a message which was taken back here cannot arrive late. The default
  /// leaves the device out.
  ///
  /// - Parameter cursor: the place up to which this device has stored the server's events.
  /// - Parameter body: called once, with the connection. It lasts as long as the connection is wanted.
  /// - Parameter device: an ID that the store made once, and keeps.
  func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws
}

extension Transport {
  /// A server that takes one message at a time and promises nothing.
  public var capabilities: TransportCapabilities { TransportCapabilities() }

  /// Connects without naming the device.
  public func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withConnection(resumingAfter: cursor, body)
  }
}

/// One live connection. Several tasks may use it, but each function is called by one task at a time, except
/// ``outcome(of:in:)``.
public protocol TransportConnection: Sendable {
  /// The account of this device's user, as the server knows it. If it is another user's account, the engine ends the
  /// connection before anything is sent or stored, as it does when credentials are refused. Nil, the default, when
  /// the connection does not report it.
  var account: UserID? { get }

  /// Passes messages to the connection, in order. Returns when the connection has taken them. The outcome of each
  /// arrives later as an event.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost.
  func send(_ messages: [OutgoingMessage]) async throws

  /// Sends a piece of a message that is still being written. The final message repairs lost pieces: it is sent
  /// durably through `send`. The default does nothing.
  func send(_ piece: StreamPiece) async throws

  /// Sends how far this user has read. The mark comes back as an event, to all devices of all members. The engine
  /// repeats a mark that has not come back. It calls this only where ``TransportCapabilities/supportsReadReceipts``
  /// is true. The default does nothing.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost.
  func send(_ mark: IncomingItem.ReadMark) async throws

  /// The next event, in the server's order.
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost.
  func receive() async throws -> TransportEvent

  /// Asks the server for the outcome of messages that were transmitted on an earlier connection and not answered,
  /// where ``TransportCapabilities/idempotency`` does not permit sending them again. Nothing of their conversation is
  /// sent meanwhile; `send` and `receive` continue for the other conversations. The default knows no outcome.
  ///
  /// - Returns: the outcome of each message. A message that is left out counts as ``OutgoingMessage/DeliveryOutcome/unknown``.
  /// - Throws: ``ConnectionFailure`` when the connection is lost. The engine asks again on the next connection.
  func outcomes(of ids: [MessageID], in conversation: ConversationID) async throws -> [MessageID:
    OutgoingMessage.DeliveryOutcome]

  /// Asks the server for the outcome of a request that was under way when the app ended, as the app named it in
  /// ``ConversationHandle/beginProcessing(_:)``. It may be called for several requests at once, and may take its
  /// time, because nothing waits for the answer. The default knows no outcome. `WebSocketTransport` asks the
  /// reference server, which knows the messages that answer the request (``MessageContent/request``).
  ///
  /// - Throws: ``ConnectionFailure`` when the connection is lost. The engine asks again on the next connection.
  func outcome(of request: RequestID, in conversation: ConversationID) async throws
    -> ProcessingRequest.Outcome

  /// Asks the server for older messages of a conversation (rule B6). The engine calls this only where
  /// ``TransportCapabilities/carriesHistory`` is true, for one page at a time. It may take its time: messages are sent
  /// and received meanwhile. The default rejects it.
  ///
  /// - Throws: ``HistoryPage/Refusal``, and ``ConnectionFailure`` when the connection is lost. The engine asks again
  ///   on the next connection.
  func history(_ request: HistoryRequest) async throws -> HistoryPage

  /// Asks the server for messages that have some words (rule B6). The engine calls this only where
  /// ``TransportCapabilities/carriesSearch`` is true, for one query at a time, while the results are shown. The
  /// default rejects it.
  ///
  /// - Throws: ``HistoryPage/Refusal``, and ``ConnectionFailure`` when the connection is lost. The engine asks again
  ///   on the next connection.
  func search(_ request: SearchRequest) async throws -> SearchResults

  /// Uploads a file, from the place where an earlier attempt stopped if the server can resume, and returns once
  /// the server has all of it. It must not keep messages waiting for long, and must end promptly when its task
  /// is cancelled.
  ///
  /// - Returns: the server's name for the file, which messages then carry. Never empty.
  /// - Throws: ``ChatAttachment/Refusal``, ``ConnectionFailure`` when the connection is lost, and every error of
  ///   `progress`.
  func upload(_ upload: ChatAttachment.Upload) async throws -> String

  /// Downloads a file from an offset on, and returns once `receive` has taken all of it.
  ///
  /// - Throws: the same as ``upload(_:)``, with the errors of `receive` in place of those of `progress`.
  func download(_ download: ChatAttachment.Download) async throws
}

extension TransportConnection {
  /// Nil: the connection does not report it.
  public var account: UserID? { nil }

  /// The default for a server that shows no message before it is finished.
  public func send(_ piece: StreamPiece) async throws {}

  /// The default for a server without read marks.
  public func send(_ mark: IncomingItem.ReadMark) async throws {}

  /// The default knows no outcome: each is unknown.
  public func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] { [:] }

  /// The default knows no outcome: each is unknown.
  public func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> ProcessingRequest.Outcome { .unknown }

  /// The default for a server that gives no older messages.
  public func history(_ request: HistoryRequest) async throws -> HistoryPage {
    throw HistoryPage.Refusal.rejected(FailureReason(.historyNotGiven))
  }

  /// The default for a server that does not search.
  public func search(_ request: SearchRequest) async throws -> SearchResults {
    throw HistoryPage.Refusal.rejected(FailureReason(.searchNotGiven))
  }

  /// The default for a server without attachments: it rejects the file.
  public func upload(_ upload: ChatAttachment.Upload) async throws -> String {
    throw ChatAttachment.Refusal.rejected(ChatConfiguration.ShownText.Failure.attachmentsNotCarried.english)
  }

  /// The default for a server without attachments: it rejects the file.
  public func download(_ download: ChatAttachment.Download) async throws {
    throw ChatAttachment.Refusal.rejected(ChatConfiguration.ShownText.Failure.attachmentsNotFetched.english)
  }
}

/// The guarantees of a server, declared by its transport.
public struct TransportCapabilities: Sendable, Hashable {
  /// The number of messages of one conversation that may be in flight at once. It may exceed 1 only where the
  /// connection keeps order *and* the server refuses a message whose predecessor it does not have (rule O5).
  public var window: Int
  /// The longest text in UTF-8 bytes, checked before sending. Nil when no limit is known.
  public var maximumMessageBytes: Int?
  /// The guarantee for a message that is sent a second time under its ID (rule O6).
  public var idempotency: TransportCapabilities.Idempotency
  /// The operations that the server supports on messages that it has. Only these are sent, as
  /// ``OutgoingMessage/operation``. For others the app gets an error with code `unsupported`.
  ///
  /// An operation that was transmitted and not answered is sent again, regardless of ``idempotency``, because
  /// operations are idempotent. If the server refuses to delete a deleted message, or to take back a reaction that
  /// does not exist, the operation is already carried out: the transport answers with a ``Receipt``.
  public var operations: Set<MessageOperation.Kind>
  /// The fields beside the text that the server keeps, and sends to every device. A message with another field is
  /// refused when it is sent, with an error that names the field (rule B7). ``MessageContent/request`` is not among
  /// them: a server that does not know requests leaves it out.
  public var fields: Set<Field>
  /// Whether messages may have attachments. The connection then implements ``TransportConnection/upload(_:)``
  /// and ``TransportConnection/download(_:)``.
  public var carriesAttachments: Bool
  /// The largest attachment in bytes, checked before it is attached. Nil when no limit is known.
  public var maximumAttachmentBytes: Int64?
  /// Whether the server keeps read marks: how far each member has read. Otherwise a user's mark stays on the device.
  public var supportsReadReceipts: Bool
  /// Whether the server gives older messages on demand. The connection then implements
  /// ``TransportConnection/history(_:)``. Otherwise messages that never came, and those that were evicted here, are
  /// not on this device.
  public var carriesHistory: Bool
  /// Whether the server searches. The connection then implements ``TransportConnection/search(_:)``. Where it gives
  /// older messages too, a search finds messages that are not on this device.
  public var carriesSearch: Bool
  /// Whether the server's events include this user's own messages, in the order of the conversation, and the server
  /// has no numbers for that order (rule B3). An acknowledgement without ``Receipt/order`` then confirms a message
  /// without placing it: the message stays after all others until its own event gives its place, the same on
  /// every device. Where no events come, as from a ``RequestTransport`` that only sends, an acknowledgement places
  /// the message.
  public var placesByEvents: Bool
  /// Whether there is a server at all. Without one, every conversation is kept on this device alone, as
  /// ``DeviceTransport`` describes, and the device's network does not matter.
  public var hasServer: Bool
  /// Whether the server is reached over the device's network. Not for a server on the same machine, which answers in
  /// airplane mode too: `ChatSession` then does not ask the system for the network.
  public var needsNetwork: Bool
  /// Whether a connection is reported as ready before the server was asked anything, so that only the first message
  /// shows whether the server is there.
  package var connectsWithFirstMessage = false

  /// By default a server that takes one message at a time and promises nothing: no known limits, IDs that are
  /// ignored, no operations, no field beside the text, no attachments, no read marks, no older messages and no
  /// search. A transport declares what its server does promise.
  public init(
    window: Int = 1, maximumMessageBytes: Int? = nil, idempotency: TransportCapabilities.Idempotency = .none,
    operations: Set<MessageOperation.Kind> = [], fields: Set<Field> = [], carriesAttachments: Bool = false,
    maximumAttachmentBytes: Int64? = nil, supportsReadReceipts: Bool = false, carriesHistory: Bool = false,
    carriesSearch: Bool = false, placesByEvents: Bool = false, hasServer: Bool = true,
    needsNetwork: Bool = true
  ) {
    self.window = window
    self.maximumMessageBytes = maximumMessageBytes
    self.idempotency = idempotency
    self.operations = operations
    self.fields = fields
    self.carriesAttachments = carriesAttachments
    self.maximumAttachmentBytes = maximumAttachmentBytes
    self.supportsReadReceipts = supportsReadReceipts
    self.carriesHistory = carriesHistory
    self.carriesSearch = carriesSearch
    self.placesByEvents = placesByEvents
    self.hasServer = hasServer
    self.needsNetwork = needsNetwork && hasServer
  }
}

/// An opaque place in the server's stream of events. This device has stored everything up to it.
public struct SyncCursor: RawRepresentable, Sendable, Hashable, Codable {
  public let rawValue: String
  /// A cursor with the server's text for the place.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension SyncCursor {
  /// A cursor that is a value of its transport, as JSON. Nil for a value that cannot be encoded.
  package init?(encoding place: some Encodable) {
    guard let data = try? JSONEncoder().encode(place) else { return nil }
    self.init(rawValue: String(decoding: data, as: UTF8.self))
  }

  /// The value that a cursor was made of. Nil for a cursor of another transport.
  package func place<Place: Decodable>(as type: Place.Type) -> Place? {
    try? JSONDecoder().decode(type, from: Data(rawValue.utf8))
  }
}
