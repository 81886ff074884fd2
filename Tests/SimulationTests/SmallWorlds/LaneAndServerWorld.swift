import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastStore
@testable import HoldfastTransport

/// A lane, a link that keeps order until it breaks, and a server of a few lines. The model does not describe the
/// lane, only the messages that the server may end up with.
///
/// Messages that the server had not read when the link broke may still arrive later, on the old connection.
struct LaneAndServerWorld: SmallWorld {
  enum Mood: String, CaseIterable { case takes, isBusy, fails, rejects }

  enum Event: CustomStringConvertible {
    case tapSend, leave, hear, waited, linkBreaks
    case tapRetry(MessageID)
    case server(Mood)
    case serverReadsOldBytes

    var description: String {
      switch self {
      case .tapSend: "a message is sent"
      case .leave: "what may leave leaves"
      case .hear: "the next answer arrives"
      case .waited: "the wait is over"
      case .linkBreaks: "the link breaks, and is there again"
      case .tapRetry(let id): "\(id), of which nobody knows whether it arrived, is sent again"
      case .server(let mood): "the server reads the next message, and \(mood)"
      case .serverReadsOldBytes: "the server reads the next message of an earlier connection"
      }
    }
  }

  enum Answer: Hashable {
    case has(MessageID)
    case refuses(MessageID, transmission: Int64, Refusal)
  }

  struct Letter: Hashable {
    var number: Int64
    var position: Int64
    var attempts = 0
    var hasFailed = false
    var hasLeft = false
    /// Whether the message was put after others although it had been sent.
    var wasPutBack = false
    var id: MessageID { MessageID(rawValue: "m\(number)") }
  }

  let window: Int
  let messages: Int
  /// Whether messages become doubtful, and are sent again by their user.
  let isRetried: Bool

  private var lane = OutboxLane()
  private var transmissions: Int64 = 0
  private var now = Duration.zero
  /// The client's store, and the messages that it has given up.
  private var unsent: [Letter] = []
  private var sent: Int64 = 0
  private(set) var everFailed: Set<MessageID> = []
  private var faultsHeard: [MessageID: Int] = [:]
  /// The frames to the server, on this connection and on earlier ones, and the frames back.
  private var toServer: [OutboxLane.Transmission] = []
  private var oldBytes: [OutboxLane.Transmission] = []
  private var toClient: [Answer] = []
  /// The messages that the server has, in its order.
  private(set) var log: [MessageID] = []

  /// Messages that their user sent again. Their place in the order is not promised.
  private var everPutBack: Set<MessageID> = []

  init(window: Int, messages: Int, isRetried: Bool = false) {
    (self.window, self.messages, self.isRetried) = (window, messages, isRetried)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(unsent)
    hasher.combine(log)
    hasher.combine(toClient)
    hasher.combine(toServer.map(\.transmission))
    hasher.combine(oldBytes.map(\.transmission))
    hasher.combine(transmissions)
    hasher.combine(now)
    hasher.combine(lane.notBefore)
  }

  var possibleEvents: [Event] {
    var events: [Event] = [.leave]
    if sent < messages { events.append(.tapSend) }
    if !toServer.isEmpty { events += Mood.allCases.map(Event.server) }
    if !toServer.isEmpty || !toClient.isEmpty { events.append(.linkBreaks) }
    if !oldBytes.isEmpty { events.append(.serverReadsOldBytes) }
    if !toClient.isEmpty { events.append(.hear) }
    if lane.deadline(now: now) != nil { events.append(.waited) }
    if isRetried {
      let flying = Set(lane.flights.map(\.id))
      events += unsent.dropLast().filter { $0.hasLeft && !$0.hasFailed && !flying.contains($0.id) }
        .map { .tapRetry($0.id) }
    }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .tapSend:
      sent += 1
      unsent.append(Letter(number: sent, position: nextPosition))
    case .leave: leave()
    case .hear: try hear(toClient.removeFirst())
    case .waited: now = lane.deadline(now: now) ?? now
    case .linkBreaks:
      lane = OutboxLane()
      oldBytes += toServer
      toServer = []
      // A new connection begins with the events that were missed on the last one.
      toClient = log.filter { id in unsent.contains { $0.id == id } }.map(Answer.has)
    case .tapRetry(let id):
      var letter = unsent.remove(at: unsent.firstIndex { $0.id == id }!)
      letter.position = nextPosition
      letter.wasPutBack = true
      unsent.append(letter)
      everPutBack.insert(id)
    case .server(let mood): serve(toServer.removeFirst(), mood, isOld: false)
    case .serverReadsOldBytes: serve(oldBytes.removeFirst(), .takes, isOld: true)
    }
    try check()
  }

  private var nextPosition: Int64 { (unsent.map(\.position).max() ?? 0) + 1 }

  private mutating func leave() {
    let entries = unsent.filter { $0.position > lane.lastPosition && !$0.hasFailed }.map {
      OutboxEntry(
        position: $0.position, id: $0.id, attempts: $0.attempts, unanswered: 0,
        mayBeOutOfOrder: $0.wasPutBack)
    }
    let sent = lane.transmit(entries, window: window, now: now, nextTransmission: &transmissions)
    for message in sent { unsent[unsent.firstIndex { $0.id == message.id }!].hasLeft = true }
    toServer += sent
  }

  /// The server knows IDs, and refuses a message without its predecessor. An old connection gets no response, but
  /// the messages that the server accepts are sent to all.
  private mutating func serve(_ message: OutboxLane.Transmission, _ mood: Mood, isOld: Bool) {
    func answer(_ refusal: Refusal) {
      if !isOld { toClient.append(.refuses(message.id, transmission: message.transmission, refusal)) }
    }
    if log.contains(message.id) { return isOld ? () : toClient.append(.has(message.id)) }
    if let predecessor = message.predecessor, !log.contains(predecessor) {
      return answer(.predecessorMissing)
    }
    switch mood {
    case .takes:
      log.append(message.id)
      toClient.append(.has(message.id))
    case .isBusy: answer(.notNow(after: nil, mayHaveArrived: false))
    case .fails: answer(.failed(after: nil))
    case .rejects: answer(.rejected(FailureReason(.rejected, "No.")))
    }
  }

  private mutating func hear(_ answer: Answer) throws {
    switch answer {
    case .has(let id):
      lane.confirm(id)
      unsent.removeAll { $0.id == id }
    case .refuses(let id, let transmission, let refusal):
      guard let place = unsent.firstIndex(where: { $0.id == id }),
        let (verdict, _) = lane.refuse(
          id, transmission: transmission, refusal, attempts: unsent[place].attempts,
          policy: ChatConfiguration.RetryPolicy(delays: [.seconds(1), .seconds(3)]), now: now,
          dice: 0)
      else { return }
      if case .failed = refusal { faultsHeard[id, default: 0] += 1 }
      switch verdict {
      case .goBack: break
      case .retry(let attempts): unsent[place].attempts = attempts
      case .fail(let reason):
        unsent[place].hasFailed = true
        everFailed.insert(id)
        // O7: a message fails for its own faults only.
        try require(
          faultsHeard[id] == 3 || reason.code == .rejected, "three faults of its own, or a rejection")
      case .stop: try require(false, "nobody refuses the conversation")
      }
    }
  }

  private func check() throws {
    // O4
    let inOrder = log.filter { !everFailed.contains($0) && !everPutBack.contains($0) }.map(\.rawValue)
    try require(
      inOrder == inOrder.sorted(), "the server has them in the order in which they were sent: \(log)")
    // O6, and "nothing lost": a message that is not on the server is still here.
    try require(Set(log).count == log.count, "nothing twice")
    let here = Set(unsent.map(\.id)).union(log)
    try require(here.count == sent, "nothing lost")
    // O7
    for letter in unsent where !letter.hasFailed {
      try agree("attempts of \(letter.id)", machine: letter.attempts, model: faultsHeard[letter.id] ?? 0)
    }
    try require(lane.flights.count <= window, "no more on their way than the window has room for")
  }

  /// O5, O7: a server that responds again drains the lane, regardless of earlier events.
  mutating func comeToRest() throws {
    for _ in 0..<(messages + 2) {
      while !toServer.isEmpty { try take(.server(.takes)) }
      while !toClient.isEmpty { try take(.hear) }
      if lane.deadline(now: now) != nil { try take(.waited) }
      try take(.leave)
    }
    try require(unsent.allSatisfy(\.hasFailed), "what has not failed arrives")
    try require(lane.flights.isEmpty, "nobody is on the way")
  }
}

extension SmallWorlds {
  @Suite struct LaneAndServerTests {
    // O4.1, O4.3, O5.1, O6, O7.4
    @Test(arguments: [(1, 185_860), (3, 534_312)])
    func `every order of 10 events between a lane and a server`(window: Int, orders: Int) async {
      let walk = await EveryOrder.walked(from: LaneAndServerWorld(window: window, messages: 3), depth: 10)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == orders, "\(walk)")
      #expect(walk.ends.contains { $0.log == ["m1", "m2"] })
    }

    // O4.3, O6
    @Test func `every order of 11 events between a lane and a server, with messages in doubt`() async {
      let world = LaneAndServerWorld(window: 3, messages: 3, isRetried: true)
      let walk = await EveryOrder.walked(from: world, depth: 11)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 3_979_260, "\(walk)")
    }
  }
}
