import HoldfastCore
import HoldfastTransport
import Synchronization

/// A backend that the test scripts. It records the messages that the engine transmits, and sends the events that the
/// test has scripted.
///
/// ```swift
/// let transport = ScriptedTransport()
/// let client = try ChatClient(storage: .folder(folder), transport: transport, user: "alice")
/// // With client.run() in a task of its own:
/// transport.say(.ready)
/// let message = await transport.transmission(1)
/// transport.say(.refused(message.id, transmission: message.transmission, .notNow(after: .seconds(7))))
/// ```
///
/// Any thread may call it. It never answers by itself.
public final class ScriptedTransport: Transport {
  private struct State {
    var events: [TransportEvent] = []
    var end: ConnectionFailure?
    var sent: [OutgoingMessage] = []
    var pieces: [StreamPiece] = []
    var marks: [IncomingItem.ReadMark] = []
    var cursors: [SyncCursor?] = []
    var refusal: ConnectionFailure?
    var devices: [String] = []
    var account: UserID?
    var lookUps: [[MessageID]] = []
    var outcomes: [MessageID: OutgoingMessage.DeliveryOutcome]?
    var requests: [RequestID] = []
    var outcome: ProcessingRequest.Outcome?
    var historyRequests: [HistoryRequest] = []
    var pages: [Result<HistoryPage, any Error>] = []
    var searchRequests: [SearchRequest] = []
    var found: [Result<SearchResults, any Error>] = []
  }

  public let capabilities: TransportCapabilities
  private let state = Mutex(State())
  private let spoken = Signal()
  private let left = Signal()
  private let asked = Signal()
  private let answered = Signal()
  private let outcomeSet = Signal()
  private let paged = Signal()
  private let searched = Signal()

  /// A backend with these guarantees; by default it remembers IDs forever, and keeps every field of a message. It
  /// sends nothing yet.
  public init(_ capabilities: TransportCapabilities? = nil) {
    self.capabilities =
      capabilities
      ?? TransportCapabilities(idempotency: .forever, fields: Set(TransportCapabilities.Field.allCases))
  }

  /// All messages that were ever transmitted.
  public var sent: [OutgoingMessage] { state.withLock { $0.sent } }
  /// All pieces of replies that were ever transmitted.
  public var pieces: [StreamPiece] { state.withLock { $0.pieces } }
  /// All read marks that the engine has sent.
  public var marks: [IncomingItem.ReadMark] { state.withLock { $0.marks } }
  /// The messages that the engine looked up, one list for each query.
  public var lookUps: [[MessageID]] { state.withLock { $0.lookUps } }
  /// The requests whose outcome the engine queried, one for each query.
  public var requests: [RequestID] { state.withLock { $0.requests } }
  /// The device named by each connection.
  public var devices: [String] { state.withLock { $0.devices } }
  /// The place from which each connection was asked to resume.
  public var cursors: [SyncCursor?] { state.withLock { $0.cursors } }

  /// The engine's requests for older messages.
  public var historyRequests: [HistoryRequest] { state.withLock { $0.historyRequests } }

  /// The engine's searches.
  public var searchRequests: [SearchRequest] { state.withLock { $0.searchRequests } }

  /// Sends events to the engine, in this order.
  public func say(_ events: TransportEvent...) {
    state.withLock { $0.events += events }
    spoken.raise()
  }

  /// Ends the connection once the engine has received all earlier events.
  public func hangUp(_ failure: ConnectionFailure = ConnectionFailure(.unreachable)) {
    state.withLock { $0.end = failure }
    spoken.raise()
  }

  /// Sets the account that the next connections report.
  public func take(userFor account: UserID?) { state.withLock { $0.account = account } }

  /// Makes connecting fail with this error from now on. Nil: it succeeds.
  public func refuse(_ failure: ConnectionFailure?) { state.withLock { $0.refusal = failure } }

  /// Waits until `count` messages have been transmitted since the beginning, and returns the last of them.
  @discardableResult
  public func transmission(_ count: Int) async -> OutgoingMessage {
    while true {
      if let message = state.withLock({ $0.sent.count >= count ? $0.sent[count - 1] : nil }) {
        return message
      }
      await left.wait()
    }
  }

  /// Answers pending and future look-ups of messages. Nil: they are not answered.
  public func answer(_ outcomes: [MessageID: OutgoingMessage.DeliveryOutcome]?) {
    state.withLock { $0.outcomes = outcomes }
    answered.raise()
  }

  /// Answers queries for the outcomes of requests, from now on. Nil: the queries wait, one at a time.
  public func outcome(_ outcome: ProcessingRequest.Outcome?) {
    state.withLock { $0.outcome = outcome }
    outcomeSet.raise()
  }

  /// Answers the next request for older messages with a page, or refuses it. Until then it waits.
  public func answerHistory(_ page: Result<HistoryPage, any Error>) {
    state.withLock { $0.pages.append(page) }
    paged.raise()
  }

  /// Answers the next search, or refuses it. Until then it waits.
  public func answerSearch(_ found: Result<SearchResults, any Error>) {
    state.withLock { $0.found.append(found) }
    searched.raise()
  }

  /// Waits until `count` look-ups have been made since the beginning, and returns the last of them.
  @discardableResult
  public func question(_ count: Int) async -> [MessageID] {
    while true {
      if let ids = state.withLock({ $0.lookUps.count >= count ? $0.lookUps[count - 1] : nil }) { return ids }
      await asked.wait()
    }
  }

  public func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    state.withLock { $0.devices.append(device) }
    try await withConnection(resumingAfter: cursor, body)
  }

  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    let refusal = state.withLock { state in
      state.cursors.append(cursor)
      state.end = nil
      return state.refusal
    }
    if let refusal { throw refusal }
    try await body(Connection(transport: self, account: state.withLock { $0.account }))
  }

  private struct Connection: TransportConnection {
    let transport: ScriptedTransport
    let account: UserID?

    func send(_ messages: [OutgoingMessage]) async throws {
      transport.state.withLock { $0.sent += messages }
      transport.left.raise()
    }

    func send(_ piece: StreamPiece) async throws {
      transport.state.withLock { $0.pieces.append(piece) }
    }

    func send(_ mark: IncomingItem.ReadMark) async throws {
      transport.state.withLock { $0.marks.append(mark) }
    }

    func outcomes(
      of ids: [MessageID], in conversation: ConversationID
    ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
      transport.state.withLock { $0.lookUps.append(ids) }
      transport.asked.raise()
      while true {
        try Task.checkCancellation()
        if let outcomes = transport.state.withLock({ $0.outcomes }) { return outcomes }
        await transport.answered.wait()
      }
    }

    func outcome(of request: RequestID, in conversation: ConversationID) async throws
      -> ProcessingRequest.Outcome
    {
      transport.state.withLock { $0.requests.append(request) }
      while true {
        try Task.checkCancellation()
        if let outcome = transport.state.withLock({ $0.outcome }) { return outcome }
        await transport.outcomeSet.wait()
      }
    }

    func history(_ request: HistoryRequest) async throws -> HistoryPage {
      transport.state.withLock { $0.historyRequests.append(request) }
      while true {
        try Task.checkCancellation()
        if let page = transport.state.withLock({ $0.pages.isEmpty ? nil : $0.pages.removeFirst() }) {
          return try page.get()
        }
        await transport.paged.wait()
      }
    }

    func search(_ request: SearchRequest) async throws -> SearchResults {
      transport.state.withLock { $0.searchRequests.append(request) }
      while true {
        try Task.checkCancellation()
        if let found = transport.state.withLock({ $0.found.isEmpty ? nil : $0.found.removeFirst() }) {
          return try found.get()
        }
        await transport.searched.wait()
      }
    }

    func receive() async throws -> TransportEvent {
      while true {
        try Task.checkCancellation()
        let (event, end) = transport.state.withLock { state in
          (state.events.isEmpty ? nil : state.events.removeFirst(), state.end)
        }
        if let event { return event }
        if let end { throw end }
        await transport.spoken.wait()
      }
    }
  }
}
