import ChatServerTesting
import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransport
import Simulator
import Synchronization

/// A backend whose transports are wrapped by another transport, to plant a fault in them.
struct PlantedBackend: ConformanceBackend {
  let base: any ConformanceBackend
  let wrap: @Sendable (any Transport) -> any Transport
  /// Called before the server's record is read.
  var reading: @Sendable () async -> Void = {}

  var name: String { "planted" }
  var time: TransportConformance.Time { base.time }
  var faults: Set<TransportConformance.Fault.Kind> { base.faults }

  func start(in environment: ChatEnvironment) async throws { try await base.start(in: environment) }
  func kill() async throws { try await base.kill() }
  func account(_ name: String) async throws -> UserID { try await base.account(name) }
  func transport(for account: UserID) throws -> any Transport { wrap(try base.transport(for: account)) }
  func record(of conversation: ConversationID) async throws -> [TransportConformance.Record] {
    await reading()
    return try await base.record(of: conversation)
  }
  func readMarks(in conversation: ConversationID) async throws -> [UserID: MessageID] {
    try await base.readMarks(in: conversation)
  }
  func make(_ fault: TransportConformance.Fault) async throws { try await base.make(fault) }
  func behave() async throws { try await base.behave() }
}

/// A transport that transforms outgoing messages and incoming events as the test specifies.
struct PlantedTransport: Transport {
  let base: any Transport
  var capabilities: TransportCapabilities
  /// The messages that are sent in place of the transmitted ones.
  var outgoing: @Sendable ([OutgoingMessage]) -> [OutgoingMessage] = { $0 }
  /// The events that arrive in place of one.
  var incoming: @Sendable (TransportEvent) -> [TransportEvent] = { [$0] }
  /// The answer about the outcome of messages. Nil: the transport does not know.
  var outcome: (@Sendable (MessageID) async throws -> OutgoingMessage.DeliveryOutcome)?
  /// Events that the transport invents after a transmission.
  var invented: @Sendable ([OutgoingMessage]) -> [TransportEvent] = { _ in [] }

  init(_ base: any Transport) {
    self.base = base
    capabilities = base.capabilities
  }

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(resumingAfter: cursor) {
        try await body(Connection(base: $0, transport: self))
      }
    }
  }

  func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(of: device, resumingAfter: cursor) {
        try await body(Connection(base: $0, transport: self))
      }
    }
  }

  private final class Connection: TransportConnection {
    let base: any TransportConnection
    let transport: PlantedTransport
    private let events = Mutex<[TransportEvent]>([])

    init(base: any TransportConnection, transport: PlantedTransport) {
      (self.base, self.transport) = (base, transport)
    }

    var account: UserID? { base.account }

    func send(_ messages: [OutgoingMessage]) async throws {
      events.withLock { $0 += transport.invented(messages) }
      try await base.send(transport.outgoing(messages))
    }

    func send(_ piece: StreamPiece) async throws { try await base.send(piece) }
    func send(_ mark: IncomingItem.ReadMark) async throws { try await base.send(mark) }

    func receive() async throws -> TransportEvent {
      while true {
        if let event = events.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
        let arrived = transport.incoming(try await base.receive())
        events.withLock { $0 += arrived }
      }
    }

    func outcomes(
      of ids: [MessageID], in conversation: ConversationID
    ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
      var outcomes: [MessageID: OutgoingMessage.DeliveryOutcome] = [:]
      for id in ids { outcomes[id] = try await transport.outcome?(id) }
      return outcomes
    }

    func history(_ request: HistoryRequest) async throws -> HistoryPage {
      var page = try await base.history(request)
      let arrived = transport.incoming(.items(page.items, cursor: nil))
      page.items = arrived.flatMap { event -> [IncomingItem] in
        if case .items(let items, _) = event { items } else { [] }
      }
      return page
    }

    func search(_ request: SearchRequest) async throws -> SearchResults { try await base.search(request) }
    func upload(_ upload: ChatAttachment.Upload) async throws -> String { try await base.upload(upload) }
    func download(_ download: ChatAttachment.Download) async throws { try await base.download(download) }
  }
}
