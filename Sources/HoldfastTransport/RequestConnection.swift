import Foundation
import HoldfastCore
import Synchronization

/// The connection of a ``RequestTransport``: sends each message by a closure, and reports the answers and the
/// server's events to the engine.
final class RequestConnection: TransportConnection {
  typealias Send = @Sendable (OutgoingMessage) async throws -> RequestTransport.Answer
  typealias Receive = @Sendable (SyncCursor?, RequestTransport.Sink) async throws -> Void

  /// The closures that the app gave the transport.
  struct Closures: Sendable {
    var send: Send
    var operations: [MessageOperation.Kind: Send] = [:]
    var receive: Receive?
    var readMark: (@Sendable (IncomingItem.ReadMark) async throws -> Void)?
    var history: (@Sendable (HistoryRequest) async throws -> HistoryPage)?
    var search: (@Sendable (SearchRequest) async throws -> SearchResults)?
    var upload: (@Sendable (ChatAttachment.Upload) async throws -> String)?
    var download: (@Sendable (ChatAttachment.Download) async throws -> Void)?

    func answer(to message: OutgoingMessage) async throws -> RequestTransport.Answer {
      let closure = message.operation.flatMap { operations[$0.kind] } ?? send
      return try await closure(message)
    }
  }

  /// An event for the engine, and the caller that waits until it is stored.
  private struct Queued {
    var event: TransportEvent
    var sender: CheckedContinuation<Void, any Error>?
  }

  private struct State {
    var outgoing: [OutgoingMessage] = []
    var events: [Queued] = []
    /// The caller whose event the engine is storing.
    var storing: CheckedContinuation<Void, any Error>?
    var failure: ConnectionFailure?
    var isReady = false
    var isClosed = false
  }

  /// Messages whose request was never sent, on this connection or an earlier one, so that the server does not have
  /// them.
  final class Unconnected: Sendable {
    private let ids = Mutex<Set<MessageID>>([])

    func insert(_ id: MessageID) { ids.withLock { _ = $0.insert(id) } }
    func remove(_ id: MessageID) { ids.withLock { _ = $0.remove(id) } }
    func contains(_ id: MessageID) -> Bool { ids.withLock { $0.contains(id) } }
  }

  private let closures: Closures
  private let unconnected: Unconnected
  private let state = Mutex(State())
  private let begun = Signal()
  private let left = Signal()
  private let answered = Signal()

  init(_ closures: Closures, _ unconnected: Unconnected) {
    self.closures = closures
    self.unconnected = unconnected
    if closures.receive == nil { ready() }
  }

  func send(_ messages: [OutgoingMessage]) async throws {
    state.withLock { $0.outgoing += messages }
    left.raise()
  }

  func send(_ mark: IncomingItem.ReadMark) async throws {
    guard let send = closures.readMark else { return }
    do { try await send(mark) } catch { throw ConnectionFailure(of: error) }
  }

  func history(_ request: HistoryRequest) async throws -> HistoryPage {
    guard let fetch = closures.history else {
      throw HistoryPage.Refusal.rejected(FailureReason(.historyNotGiven))
    }
    do { return try await fetch(request) } catch { throw ConnectionFailure(unconnected: error) ?? error }
  }

  func search(_ request: SearchRequest) async throws -> SearchResults {
    guard let find = closures.search else {
      throw HistoryPage.Refusal.rejected(FailureReason(.searchNotGiven))
    }
    do { return try await find(request) } catch { throw ConnectionFailure(unconnected: error) ?? error }
  }

  func upload(_ upload: ChatAttachment.Upload) async throws -> String {
    guard let send = closures.upload else {
      throw ChatAttachment.Refusal.rejected(ChatConfiguration.ShownText.Failure.attachmentsNotCarried.english)
    }
    do { return try await send(upload) } catch { throw ConnectionFailure(unconnected: error) ?? error }
  }

  func download(_ download: ChatAttachment.Download) async throws {
    guard let fetch = closures.download else {
      throw ChatAttachment.Refusal.rejected(ChatConfiguration.ShownText.Failure.attachmentsNotFetched.english)
    }
    do { try await fetch(download) } catch { throw ConnectionFailure(unconnected: error) ?? error }
  }

  func receive() async throws -> TransportEvent {
    // The engine asks for the next event when it has stored the one before.
    state.withLock { $0.storing.take() }?.resume()
    while true {
      try Task.checkCancellation()
      let event: TransportEvent? = state.withLock { state in
        guard !state.events.isEmpty else { return nil }
        let next = state.events.removeFirst()
        state.storing = next.sender
        return next.event
      }
      if let event { return event }
      await answered.wait()
    }
  }

  /// The server has answered.
  func ready() {
    let isFirst = state.withLock { state in
      defer { state.isReady = true }
      return !state.isReady
    }
    guard isFirst else { return }
    enqueue(.ready)
    begun.raise()
  }

  /// Waits until the server has answered. Nothing is sent before that: if the server turned out to be down, nobody
  /// would know whether a message in flight arrived.
  func untilReady() async throws {
    while !state.withLock({ $0.isReady }) {
      try Task.checkCancellation()
      await begun.wait()
    }
  }

  /// Passes an event to the engine, and returns when it is stored.
  func store(_ event: TransportEvent) async throws {
    ready()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (sender: CheckedContinuation<Void, any Error>) in
        let isClosed = state.withLock { state in
          if !state.isClosed { state.events.append(Queued(event: event, sender: sender)) }
          return state.isClosed
        }
        if isClosed { sender.resume(throwing: CancellationError()) } else { answered.raise() }
      }
    } onCancel: {
      close()
    }
  }

  /// Ends the waits for events that will not be stored on this connection. Messages that were not sent by now are not
  /// sent.
  func close() {
    let (tellers, staying) = state.withLock { state in
      defer { (state.events, state.storing, state.outgoing, state.isClosed) = ([], nil, [], true) }
      return (state.events.compactMap(\.sender) + [state.storing].compactMap(\.self), state.outgoing)
    }
    for message in staying { unconnected.insert(message.id) }
    for sender in tellers { sender.resume(throwing: CancellationError()) }
  }

  /// Receives the server's events, until they end.
  ///
  /// - Throws: the failure of the connection that is their end.
  func run(_ receive: Receive, after cursor: SyncCursor?) async throws {
    do { try await receive(cursor, RequestTransport.Sink(connection: self)) } catch {
      throw ConnectionFailure(of: error)
    }
    try Task.checkCancellation()
    throw ConnectionFailure(.unreachable, detail: "the server's events have ended")
  }

  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    let absent = Set(ids.filter(unconnected.contains))
    return Dictionary(uniqueKeysWithValues: absent.map { ($0, .absent) })
  }

  /// Sends the outgoing messages. The engine passes one message of a conversation at a time, so that all are sent at
  /// once.
  ///
  /// - Throws: the first failure of the connection.
  func run() async throws {
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      while !Task.isCancelled {
        let (messages, failure) = state.withLock { state in
          defer { state.outgoing = [] }
          return (state.outgoing, state.failure)
        }
        if let failure { throw failure }
        for message in messages { group.addTask { await self.sendOne(message) } }
        await left.wait()
      }
    }
  }

  private func sendOne(_ message: OutgoingMessage) async {
    unconnected.remove(message.id)
    do {
      let answer = try await closures.answer(to: message)
      enqueue(message.event(of: answer))
    } catch {
      let failure = ConnectionFailure(unconnected: error)
      if let failure, failure.reason != .timedOut { unconnected.insert(message.id) }
      // The connection has ended, and the engine has forgotten this transmission.
      guard !Task.isCancelled else { return }
      guard let failure else { return enqueue(message.event(of: .refused(.outcomeUnknown()))) }
      state.withLock { $0.failure = $0.failure ?? failure }
      left.raise()
    }
  }

  private func enqueue(_ event: TransportEvent) {
    state.withLock { $0.events.append(Queued(event: event)) }
    answered.raise()
  }
}

extension OutgoingMessage {
  fileprivate func event(of answer: RequestTransport.Answer) -> TransportEvent {
    switch answer {
    case .accepted(let date, let order, let serverID):
      .receipts([
        Receipt(
          id: id, conversation: conversation, order: order, createdAt: date ?? createdAt, serverID: serverID)
      ])
    case .refused(let refusal): .refused(id, transmission: transmission, refusal)
    }
  }
}

extension ConnectionFailure {
  /// The failure for an error of the server's events. A cancelled task has none.
  fileprivate init(of error: any Error) {
    self =
      error as? ConnectionFailure ?? ConnectionFailure(unconnected: error)
      ?? ConnectionFailure(.unreachable, detail: "\(type(of: error))")
  }

  /// The failure of a request that was never sent, so that the server cannot have the message. Nil for every other
  /// error.
  ///
  /// The codes are those of `URLError`: cannot find or connect to the host, the name has no address, no internet,
  /// data is not allowed, roaming is off, a call is active. They are compared as numbers, because `URLError` is in
  /// another module on Linux.
  fileprivate init?(unconnected error: any Error) {
    if let failure = error as? ConnectionFailure {
      self = failure
      return
    }
    let error = error as NSError
    guard error.domain == "NSURLErrorDomain",
      [-1003, -1004, -1006, -1009, -1018, -1019, -1020].contains(error.code)
    else { return nil }
    self.init(.unreachable, detail: "URLError \(error.code)")
  }
}
