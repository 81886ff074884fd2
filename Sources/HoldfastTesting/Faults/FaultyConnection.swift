import Holdfast
import HoldfastTransport
import Synchronization

/// One connection of a ``FaultyTransport``.
final class FaultyConnection: TransportConnection {
  /// A transmission whose response is lost on arrival.
  private struct Awaited: Sendable {
    var strike: FaultyTransport.Strike
    var isAnswer: @Sendable (TransportEvent) -> Bool
  }
  private struct State {
    var awaited: [Awaited] = []
    /// Events that wait for the engine. When there are none, the transport is asked for more.
    var next: [TransportEvent] = []
    var isLost = false
    /// Whether an event was withheld. A later one would move the place past it.
    var withholdsItems = false
  }

  static let lost = ConnectionFailure(.unreachable, detail: "the connection was lost on request")

  private let base: any TransportConnection
  private let transport: FaultyTransport
  private let number: Int
  private let cut: Signal
  private let state = Mutex(State())

  init(_ base: any TransportConnection, of transport: FaultyTransport, number: Int, cut: Signal) {
    self.base = base
    self.transport = transport
    self.number = number
    self.cut = cut
  }

  var account: UserID? { base.account }

  func send(_ messages: [OutgoingMessage]) async throws {
    try requireLive()
    var passed: [OutgoingMessage] = []
    for message in messages {
      transport.note(message, on: number)
      guard let strike = transport.strike(at: message.crossing) else {
        passed.append(message)
        continue
      }
      switch strike.loss {
      case .withItsAnswer:
        passed.append(message)
        lose(strike) { $0.answers(message) }
        continue
      case .afterItLeft: passed.append(message)
      case .beforeItLeaves: break
      }
      let leaving = passed
      try await end(with: strike) { if !leaving.isEmpty { try await self.base.send(leaving) } }
    }
    if !passed.isEmpty { try await sendAtRandom(passed) }
  }

  private func sendAtRandom(_ messages: [OutgoingMessage]) async throws {
    let strike = transport.throwDice(isReceipt: false)
    try await transport.delay(strike)
    if strike.isCut, !strike.isLate { try lose() }
    try await base.send(messages)
    if strike.isCut { try lose() }
  }

  /// Ends the connection.
  private func lose() throws -> Never {
    state.withLock { $0.isLost = true }
    cut.raise()
    throw Self.lost
  }

  func send(_ piece: StreamPiece) async throws {
    try requireLive()
    try await base.send(piece)
  }

  func send(_ mark: IncomingItem.ReadMark) async throws {
    try requireLive()
    guard let strike = transport.strike(at: .readMark) else { return try await base.send(mark) }
    switch strike.loss {
    case .beforeItLeaves: try await end(with: strike)
    case .afterItLeft: try await end(with: strike) { try await self.base.send(mark) }
    case .withItsAnswer:
      lose(strike) { $0.contains(mark) }
      try await base.send(mark)
    }
  }

  func receive() async throws -> TransportEvent {
    while true {
      try requireLive()
      if let next = takeNext() { return next }
      let event = try await base.receive()
      if let strike = strike(at: event) { try await end(with: strike) }
      let behaviour = transport.behaviour
      if case .items = event, withholdsItems(behaviour) { continue }
      var isReceipt = false
      if case .receipts = event { isReceipt = true }
      if behaviour.withholdsReceipts, isReceipt { continue }
      let strike = transport.throwDice(isReceipt: isReceipt)
      try await transport.delay(strike)
      if strike.isCut || strike.losesReceipt && strike.isLate { try lose() }
      if strike.losesReceipt { continue }
      let events = transport.arranged(event)
      let isDoubled = behaviour.repeatsEvents || strike.isDoubled
      state.withLock { $0.next += isDoubled ? events + events : events }
    }
  }

  func outcomes(
    of ids: [MessageID], in conversation: ConversationID
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    try requireLive()
    return try await base.outcomes(of: ids, in: conversation)
  }

  func history(_ request: HistoryRequest) async throws -> HistoryPage {
    try requireLive()
    if let strike = transport.strike(at: .history) {
      try await end(with: strike) {
        if strike.loss != .beforeItLeaves { _ = try await self.base.history(request) }
      }
    }
    return try await answer { try await self.base.history(request) }
  }

  func search(_ request: SearchRequest) async throws -> SearchResults {
    try requireLive()
    return try await answer { try await self.base.search(request) }
  }

  /// A response that may be delayed, or be lost with the connection.
  private func answer<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
    let strike = transport.throwDice(isReceipt: false)
    try await transport.delay(strike)
    if strike.isCut, !strike.isLate { try lose() }
    let answer = try await ask()
    if strike.isCut { try lose() }
    return answer
  }

  func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> ProcessingRequest.Outcome {
    try requireLive()
    return try await base.outcome(of: request, in: conversation)
  }

  func upload(_ upload: ChatAttachment.Upload) async throws -> String {
    try requireLive()
    guard let strike = transport.strike(at: .upload) else { return try await base.upload(held(upload)) }
    switch strike.loss {
    case .beforeItLeaves: try await end(with: strike)
    case .afterItLeft:
      var part = upload
      part.progress = { bytes in
        try await upload.progress(bytes)
        if bytes > 0 { try await self.end(with: strike) }
      }
      let parted = part
      try await end(with: strike) { _ = try await self.base.upload(parted) }
    case .withItsAnswer: try await end(with: strike) { _ = try await self.base.upload(upload) }
    }
  }

  func download(_ download: ChatAttachment.Download) async throws {
    try requireLive()
    try await base.download(download)
  }
}

extension FaultyConnection {
  private func requireLive() throws {
    if state.withLock({ $0.isLost }) { throw Self.lost }
    try transport.requireNetwork()
  }

  /// Ends the connection after a transmission. If the connection ends by itself before that, the fault remains for
  /// the next one.
  private func end(
    with strike: FaultyTransport.Strike, after leave: () async throws -> Void = {}
  ) async throws -> Never {
    do {
      try await leave()
    } catch {
      if !state.withLock({ $0.isLost }) { transport.putBack(strike) }
      throw error
    }
    // The end inside an upload precedes the end of the upload.
    let isFirst = state.withLock { state in
      defer { state.isLost = true }
      return !state.isLost
    }
    if isFirst { await transport.conclude(strike) }
    cut.raise()
    throw Self.lost
  }

  /// Keeps the faults whose responses have not arrived for the next connection.
  func abandon() {
    let awaited = state.withLock { state in
      defer { state.awaited = [] }
      return state.awaited
    }
    for awaited in awaited.reversed() { transport.putBack(awaited.strike) }
  }

  private func lose(
    _ strike: FaultyTransport.Strike, when isAnswer: @escaping @Sendable (TransportEvent) -> Bool
  ) {
    state.withLock { $0.awaited.append(Awaited(strike: strike, isAnswer: isAnswer)) }
  }

  private func strike(at event: TransportEvent) -> FaultyTransport.Strike? {
    state.withLock { state in
      guard let index = state.awaited.firstIndex(where: { $0.isAnswer(event) }) else { return nil }
      return state.awaited.remove(at: index).strike
    }
  }

  private func withholdsItems(_ behaviour: FaultyTransport.Behaviour) -> Bool {
    state.withLock { state in
      if behaviour.withholdsItems { state.withholdsItems = true }
      return state.withholdsItems
    }
  }

  private func takeNext() -> TransportEvent? {
    state.withLock { $0.next.isEmpty ? nil : $0.next.removeFirst() }
  }

  private func held(_ upload: ChatAttachment.Upload) -> ChatAttachment.Upload {
    var held = upload
    held.progress = { [transport] bytes in
      try await upload.progress(bytes)
      if bytes > 0 { await transport.waitForUploads() }
    }
    return held
  }
}

extension OutgoingMessage {
  fileprivate var crossing: FaultyTransport.Crossing { operation.map { .operation($0.kind) } ?? .message }
}

extension TransportEvent {
  /// Whether the event contains the outcome of the message or operation.
  fileprivate func answers(_ message: OutgoingMessage) -> Bool {
    switch self {
    case .receipts(let receipts): receipts.contains { $0.id == message.id }
    case .refused(let id, _, _): id == message.id
    case .items(let items, _):
      items.contains { item in
        if case .message(let incoming) = item { incoming.id == message.id } else { false }
      }
    case .ready, .piece: false
    }
  }

  fileprivate func contains(_ mark: IncomingItem.ReadMark) -> Bool {
    guard case .items(let items, _) = self else { return false }
    return items.contains { item in
      if case .readMark(let other) = item {
        other.reader == mark.reader
          && (other.message == mark.message || other.message.rawValue == mark.serverID)
      } else {
        false
      }
    }
  }
}
