import Holdfast
import HoldfastTransport
import Synchronization

/// Any transport, with faults at its boundary to the engine: connections that are lost at a chosen moment, responses
/// that are withheld, and repeated events.
///
/// ```swift
/// let transport = FaultyTransport(MyTransport(url))
/// transport.lose(.withItsAnswer, at: .message)
/// try client.send("Hello", in: chat)       // arrives once, although its answer is lost with the connection
/// ```
///
/// A fault strikes one crossing of the boundary, and ends the connection. Any thread may call it. Without a fault,
/// everything passes unchanged. With a seed, faults also strike at random: for an app's debug menu, and for a test
/// without a particular moment.
///
/// ```swift
/// let shaky = FaultyTransport(wrapping: MyTransport(url), seed: 7)
/// shaky.strikesAtRandom = false          // a switch in the app's debug menu
/// ```
public final class FaultyTransport: Transport {
  /// A call that crosses the boundary from the engine to the transport.
  public enum Crossing: Sendable, Hashable {
    /// A new message.
    case message
    /// An operation on a message.
    case operation(MessageOperation.Kind)
    /// A read mark.
    case readMark
    /// The upload of a file.
    case upload
    /// A request for older messages.
    case history
  }

  /// The moment at which the connection is lost.
  public enum Loss: Sendable, Hashable {
    /// Before the transport receives it.
    case beforeItLeaves
    /// After the transport has sent it, and before any response. For a file, a part has arrived.
    case afterItLeft
    /// When the response has arrived. The engine does not get the response.
    case withItsAnswer
  }

  /// One transmission of a message or an operation to the transport.
  public struct Transmission: Sendable, Hashable {
    /// The message, or the operation's ID.
    public var message: MessageID
    /// The number of the connection, from 1.
    public var connection: Int
    /// The time on the environment's clock.
    public var at: ChatEnvironment.Instant
    /// The server's names in the transmission.
    var serverIDs: OutgoingMessage.ServerIDs
  }

  struct Strike: Sendable {
    var loss: Loss
    var crossing: Crossing
    /// The number of crossings that pass before the fault strikes.
    var passing: Int
    var then: @Sendable () async -> Void
  }

  private struct State {
    var strikes: [Strike] = []
    var struck = 0
    var connections = 0
    var live: [Int: Signal] = [:]
    var transmissions: [Transmission] = []
    var behaviour = Behaviour()
    /// Nil when there are no random faults.
    var dice: (random: SeededRandom, chances: Chances)?
    var strikesAtRandom = true
    var isOnline = true
    var swap: EventSwap?
    var asides: [IncomingItem] = []
    /// The messages in the server's events so far, with the server's names.
    var names: [MessageID: String?] = [:]
  }

  /// The probabilities of the random faults.
  public struct Chances: Sendable, Hashable {
    /// The probability that a receipt is lost: half of the time alone, and half of the time with its connection.
    public var lostReceipt: Double
    /// The probability that an event is duplicated.
    public var doubledEvent: Double
    /// The probability that the connection is cut at an event, or before or after a transmission.
    public var cut: Double
    /// The longest delay of an event or a transmission.
    public var longestDelay: Duration

    /// A bad network by default: one receipt in ten is lost.
    public init(
      lostReceipt: Double = 0.1, doubledEvent: Double = 0.1, cut: Double = 0.03,
      longestDelay: Duration = .milliseconds(500)
    ) {
      self.lostReceipt = lostReceipt
      self.doubledEvent = doubledEvent
      self.cut = cut
      self.longestDelay = longestDelay
    }
  }

  /// The random faults of one event or transmission.
  struct RandomStrike: Sendable {
    var delay: Duration = .zero
    var losesReceipt = false
    var isDoubled = false
    var isCut = false
    /// Whether the connection is cut after the transmission, and together with a lost receipt.
    var isLate = false
  }

  /// The faults of every event and every upload.
  struct Behaviour: Sendable {
    var repeatsEvents = false
    var forgetsPlace = false
    var withholdsReceipts = false
    var withholdsItems = false
    var holdsUploads = false
  }

  private let base: any Transport
  private let environment: ChatEnvironment
  private let state = Mutex(State())
  private let struckOnce = Signal()
  private let disconnection = Signal()
  private let change = Signal()

  /// Wraps a transport.
  ///
  /// - Parameter base: the transport that does the work.
  /// - Parameter environment: the clock of ``transmissions``.
  public init(_ base: any Transport, environment: ChatEnvironment = ChatEnvironment()) {
    self.base = base
    self.environment = environment
  }

  /// Wraps a transport, with random faults. The same seed, over the same crossings, gives the same faults.
  ///
  /// - Parameters:
  ///   - base: the transport that does the work.
  ///   - chances: the probability of each fault, at each crossing.
  ///   - seed: any number.
  ///   - environment: the clock of ``transmissions`` and of the delays.
  public convenience init(
    wrapping base: any Transport, seed: UInt64, chances: Chances = Chances(),
    environment: ChatEnvironment = ChatEnvironment()
  ) {
    self.init(base, environment: environment)
    state.withLock { $0.dice = (SeededRandom(seed: seed), chances) }
  }

  /// Whether the faults of the seed strike. Initially true.
  public var strikesAtRandom: Bool {
    get { state.withLock { $0.strikesAtRandom } }
    set { state.withLock { $0.strikesAtRandom = newValue } }
  }

  /// Whether the network is available. Initially true. Setting it to false loses every open connection, and none can
  /// be made until it is set to true: airplane mode, for an app's debug menu and for a test.
  public var isOnline: Bool {
    get { state.withLock { $0.isOnline } }
    set {
      state.withLock { $0.isOnline = newValue }
      if !newValue { cut() }
    }
  }

  /// The guarantees of the wrapped transport.
  public var capabilities: TransportCapabilities { base.capabilities }

  /// Loses the connection at a crossing. Faults for the same kind of crossing strike in the order of the calls.
  ///
  /// - Parameters:
  ///   - loss: how the connection ends.
  ///   - crossing: the crossing that is struck.
  ///   - passing: the number of crossings of this kind that pass before.
  ///   - then: called at the moment of the loss, before the engine learns of it.
  public func lose(
    _ loss: Loss, at crossing: Crossing, passing: Int = 0,
    then: @escaping @Sendable () async -> Void = {}
  ) {
    state.withLock {
      $0.strikes.append(Strike(loss: loss, crossing: crossing, passing: passing, then: then))
    }
  }

  /// Loses every open connection now.
  public func cut() {
    for signal in state.withLock({ $0.live.sorted { $0.key < $1.key }.map(\.value) }) { signal.raise() }
  }

  /// Whether each event is delivered twice.
  public var repeatsEvents: Bool {
    get { state.withLock { $0.behaviour.repeatsEvents } }
    set { state.withLock { $0.behaviour.repeatsEvents = newValue } }
  }

  /// Whether each new connection starts at the beginning of the server's events, as if the device had stored none.
  public var forgetsPlace: Bool {
    get { state.withLock { $0.behaviour.forgetsPlace } }
    set { state.withLock { $0.behaviour.forgetsPlace = newValue } }
  }

  /// Whether receipts are withheld, so that only the server's events confirm messages.
  public var withholdsReceipts: Bool {
    get { state.withLock { $0.behaviour.withholdsReceipts } }
    set { state.withLock { $0.behaviour.withholdsReceipts = newValue } }
  }

  /// Whether the server's events are withheld, but not receipts. Setting it to false cuts the connection, so that
  /// the events are sent again.
  public var withholdsItems: Bool {
    get { state.withLock { $0.behaviour.withholdsItems } }
    set {
      let wasWithholding = state.withLock { state in
        defer { state.behaviour.withholdsItems = newValue }
        return state.behaviour.withholdsItems
      }
      if wasWithholding, !newValue { cut() }
    }
  }

  /// Swaps the next two events about a message, once: an edit arrives before its message, or a reaction after its
  /// removal.
  public func swapEvents(about message: MessageID) {
    state.withLock { $0.swap = EventSwap(message: message) }
  }

  /// Delivers forged items before the server's next event.
  public func inject(_ items: [IncomingItem]) { state.withLock { $0.asides += items } }

  /// Whether uploads stall once a part of the file has arrived. Setting it to false lets them continue.
  public var holdsUploads: Bool {
    get { state.withLock { $0.behaviour.holdsUploads } }
    set {
      state.withLock { $0.behaviour.holdsUploads = newValue }
      change.raise()
    }
  }

  /// The transmitted messages and operations, on all connections.
  public var transmissions: [Transmission] { state.withLock { $0.transmissions } }

  /// The number of connections that were made.
  public var connections: Int { state.withLock { $0.connections } }

  /// The number of faults that have struck.
  public var struck: Int { state.withLock { $0.struck } }

  /// Waits until this number of faults have struck, or until the deadline. Returns whether they have. Called by one
  /// task at a time.
  func hasStruck(_ count: Int, until deadline: ChatEnvironment.Instant) async -> Bool {
    while struck < count, environment.uptime() < deadline, !Task.isCancelled {
      await struckOnce.wait(until: deadline, in: environment)
    }
    return struck >= count
  }

  /// Waits until no connection is open, or until the deadline. Returns whether none is open. Called by one task at a
  /// time.
  func isDisconnected(by deadline: ChatEnvironment.Instant) async -> Bool {
    while state.withLock({ !$0.live.isEmpty }), environment.uptime() < deadline, !Task.isCancelled {
      await disconnection.wait(until: deadline, in: environment)
    }
    return state.withLock { $0.live.isEmpty }
  }

  public func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try requireNetwork()
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(resumingAfter: forgetsPlace ? nil : cursor) {
        try await self.pass($0, to: body)
      }
    }
  }

  public func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try requireNetwork()
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(of: device, resumingAfter: forgetsPlace ? nil : cursor) {
        try await self.pass($0, to: body)
      }
    }
  }

  func requireNetwork() throws {
    if !isOnline { throw ConnectionFailure(.unreachable, detail: "there is no network") }
  }

  private func pass(
    _ connection: any TransportConnection, to body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    let cut = Signal()
    let number = state.withLock { state in
      state.connections += 1
      state.live[state.connections] = cut
      return state.connections
    }
    let faulty = FaultyConnection(connection, of: self, number: number, cut: cut)
    defer {
      faulty.abandon()
      state.withLock { $0.live[number] = nil }
      disconnection.raise()
    }
    try await withoutActuallyEscaping(body) { body in
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        // The network may have been lost while the connection was made.
        try requireNetwork()
        group.addTask { try await body(faulty) }
        group.addTask {
          await cut.wait()
          try Task.checkCancellation()
          throw FaultyConnection.lost
        }
        try await group.next()
      }
    }
  }
}

/// The state that a connection reads.
extension FaultyTransport {
  var behaviour: Behaviour { state.withLock { $0.behaviour } }

  /// The faults of the next event or transmission.
  func throwDice(isReceipt: Bool) -> RandomStrike {
    state.withLock { state in
      guard state.strikesAtRandom, var dice = state.dice else { return RandomStrike() }
      defer { state.dice = dice }
      var strike = RandomStrike()
      let longest = Int(dice.chances.longestDelay / .milliseconds(1))
      strike.delay = dice.random.milliseconds(0...max(longest, 0))
      strike.losesReceipt = dice.random.chance(dice.chances.lostReceipt) && isReceipt
      strike.isDoubled = dice.random.chance(dice.chances.doubledEvent)
      strike.isCut = dice.random.chance(dice.chances.cut)
      strike.isLate = dice.random.chance(0.5)
      if strike.losesReceipt || strike.isCut { state.struck += 1 }
      return strike
    }
  }

  func delay(_ strike: RandomStrike) async throws {
    guard strike.delay > .zero else { return }
    try await environment.sleep(environment.uptime() + strike.delay)
  }

  func note(_ message: OutgoingMessage, on connection: Int) {
    let now = environment.uptime()
    let transmission = Transmission(
      message: message.id, connection: connection, at: now, serverIDs: message.serverIDs)
    state.withLock { $0.transmissions.append(transmission) }
  }

  /// The events that the engine gets instead of one event, in order.
  func arranged(_ event: TransportEvent) -> [TransportEvent] {
    guard case .items(let items, let cursor) = event else { return [event] }
    let (events, hasStruck) = state.withLock { state -> ([TransportEvent], Bool) in
      for item in items {
        if case .message(let message) = item { state.names[message.id] = .some(message.serverID) }
      }
      var events: [TransportEvent] = state.asides.isEmpty ? [] : [.items(state.asides, cursor: nil)]
      state.asides = []
      guard var swap = state.swap else { return (events + [event], false) }
      events += swap.take(items, cursor, named: state.names[swap.message] ?? nil)
      state.swap = swap.isDone ? nil : swap
      if swap.isDone { state.struck += 1 }
      return (events, swap.isDone)
    }
    if hasStruck { struckOnce.raise() }
    return events
  }

  /// Whether the server's events have contained a message.
  func hasDelivered(_ message: MessageID) -> Bool { state.withLock { $0.names[message] != nil } }

  /// The server's name of a message, from its event.
  func name(of message: MessageID) -> String? { state.withLock { $0.names[message] ?? nil } }

  /// The fault of this crossing. Nil when it passes.
  func strike(at crossing: Crossing) -> Strike? {
    state.withLock { state in
      guard let index = state.strikes.firstIndex(where: { $0.crossing == crossing }) else { return nil }
      guard state.strikes[index].passing == 0 else {
        state.strikes[index].passing -= 1
        return nil
      }
      return state.strikes.remove(at: index)
    }
  }

  /// Puts a fault that did not strike back before the others.
  func putBack(_ fault: Strike) {
    var fault = fault
    fault.passing = 0
    state.withLock { [fault] in $0.strikes.insert(fault, at: 0) }
  }

  /// Records that a fault has struck.
  func conclude(_ fault: Strike) async {
    await fault.then()
    state.withLock { $0.struck += 1 }
    struckOnce.raise()
  }

  /// Waits while uploads are held.
  func waitForUploads() async {
    while behaviour.holdsUploads, !Task.isCancelled { await change.wait() }
  }
}
