import Foundation
import HoldfastTransport
import Synchronization

/// A transport without a server: all conversations of its client are kept on this device alone (rule L1).
///
/// ```swift
/// let client = try ChatClient(
///   storage: .applicationSupport("notes"), transport: DeviceTransport(), user: "me")
/// try client.createConversation("notes")
/// try client.send("Buy gas for the stove", in: "notes")   // delivered: it is on disk
/// ```
///
/// A message is delivered once it is stored. No banner is shown, nothing waits in the outbox, and the limits of the
/// outbox do not apply. Edits, deletions and reactions are carried out at once. An app with a server keeps single
/// conversations on the device with ``ChatClient/createConversation(_:title:members:metadata:isOnDevice:)``, and
/// needs no `DeviceTransport`.
///
/// A store that was used with a server before is read as it is. The messages that still wait in its outbox count as
/// delivered when ``ChatClient/run()`` is called.
public struct DeviceTransport: Transport {
  /// A transport without a server.
  public init() {}

  /// All operations and attachments, without a limit: the store itself carries them out.
  public var capabilities: TransportCapabilities {
    TransportCapabilities(
      idempotency: .forever, operations: Set(MessageOperation.Kind.allCases),
      fields: Set(TransportCapabilities.Field.allCases), carriesAttachments: true, hasServer: false)
  }

  /// A connection that takes every message. Calls `body` at once.
  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await body(DeviceConnection())
  }
}

/// A connection that takes every message, for the messages that an earlier transport left in the outbox.
private final class DeviceConnection: TransportConnection {
  private let events = Mutex<[TransportEvent]>([.ready])
  private let signal = Signal()

  func send(_ messages: [OutgoingMessage]) async throws {
    let receipts = messages.map {
      Receipt(id: $0.id, conversation: $0.conversation, order: nil, createdAt: $0.createdAt)
    }
    events.withLock { $0.append(.receipts(receipts)) }
    signal.raise()
  }

  func send(_ piece: StreamPiece) async throws {}

  func receive() async throws -> TransportEvent {
    while true {
      try Task.checkCancellation()
      if let event = events.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
      await signal.wait()
    }
  }

  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    Dictionary(ids.map { ($0, .absent) }) { first, _ in first }
  }

  func outcome(of request: RequestID, in conversation: ConversationID) async throws
    -> ProcessingRequest.Outcome
  {
    .unknown
  }

  /// The file stays where it is. The name is never used, because no other device asks for the file.
  func upload(_ upload: ChatAttachment.Upload) async throws -> String { "device" }
}
