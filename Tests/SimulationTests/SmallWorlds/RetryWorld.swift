import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

/// One message, its lane, the link, and the policy of both: the length of the backoff, and the meaning of an attempt
/// (O7, N3).
///
/// The model has numbers only: three faults of the message, with 1 s and 3 s between them; faults of the link, with
/// a backoff that doubles from 500 ms to 30 s; and a jitter of up to three tenths.
struct RetryWorld: SmallWorld {
  enum Event: CustomStringConvertible {
    case connects, leaves, isTaken, waits, nudge
    case cannotConnect(dice: Double)
    case linkBreaks(dice: Double, retryAfter: Duration?)
    case fault(dice: Double)
    case busy(dice: Double)

    var description: String {
      switch self {
      case .connects: "the server answers"
      case .leaves: "the message leaves"
      case .isTaken: "the server has the message"
      case .waits: "the wait is over"
      case .nudge: "the user asks to go on"
      case .cannotConnect(let dice): "after the wait, the server cannot be reached (dice \(dice))"
      case .linkBreaks(let dice, let after):
        "the link breaks (dice \(dice), retry-after \(after, default: "none"))"
      case .fault(let dice): "the server fails on the message (dice \(dice))"
      case .busy(let dice): "the server is busy (dice \(dice))"
      }
    }
  }

  enum Outcome: Hashable { case queued, away, delivered, failed }

  private static let policy = ChatConfiguration.RetryPolicy(delays: [.seconds(1), .seconds(3)])
  private static let dice = [0, 0.999]
  private static let first = OutboxEntry(position: 1, id: "m", attempts: 0, unanswered: 0)

  private var link = LinkState(isPathUp: true)
  private var lane = OutboxLane()
  private var transmission: Int64 = 0
  private var now = Duration.zero
  private(set) var outcome = Outcome.queued
  /// The faults of the message in total; those of the link, and those of a busy server, in a row.
  private(set) var faults = 0
  private(set) var linkFaults = 0
  private var busyFaults = 0

  func hash(into hasher: inout Hasher) {
    hasher.combine(now)
    hasher.combine(outcome)
    hasher.combine(faults)
    hasher.combine(linkFaults)
    hasher.combine(busyFaults)
  }

  private var isOnline: Bool { link.shown == .online }
  private var linkWait: Duration? {
    if case .waiting(let until) = link.phase, until > now { until } else { nil }
  }

  var possibleEvents: [Event] {
    var events: [Event] = [.nudge]
    if !isOnline {
      events.append(.connects)
      events += Self.dice.map { .cannotConnect(dice: $0) }
      return events
    }
    for dice in Self.dice {
      events.append(.linkBreaks(dice: dice, retryAfter: nil))
      if outcome == .away { events += [.fault(dice: dice), .busy(dice: dice)] }
    }
    events.append(.linkBreaks(dice: 0, retryAfter: .seconds(60)))
    if outcome == .away { events.append(.isTaken) }
    if outcome == .queued { events.append(lane.deadline(now: now) == nil ? .leaves : .waits) }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .connects:
      try connect()
      link.ready()
      linkFaults = 0
      // The lane's backoff has passed, regardless of its reason, and no attempt was counted.
      try agree("the room on a new connection", machine: lane.room(window: 1, now: now), model: 1)
    case .cannotConnect(let dice):
      try connect()
      try lose(dice: dice, retryAfter: nil)
    case .linkBreaks(let dice, let retryAfter):
      lane = OutboxLane()
      busyFaults = 0
      if outcome == .away { outcome = .queued }
      try lose(dice: dice, retryAfter: retryAfter)
    case .nudge:
      link.nudge()
      linkFaults = 0
      if !isOnline { try agree("after a nudge", machine: link.next(now: now), model: .connect) }
    case .waits: now = lane.deadline(now: now) ?? now
    case .leaves:
      let sent = lane.transmit([Self.first], window: 1, now: now, nextTransmission: &transmission)
      try agree("what leaves", machine: sent.map(\.id), model: ["m"])
      outcome = .away
    case .isTaken:
      lane.confirm("m")
      outcome = .delivered
    case .fault(let dice): try fail(dice: dice)
    case .busy(let dice):
      try agree("the verdict", machine: refuse(.notNow(after: nil), dice: dice), model: .goBack)
      outcome = .queued
      busyFaults += 1
      try expectWait(lane.deadline(now: now), after: busyFaults, "while the server is busy")
    }
  }

  private mutating func connect() throws {
    now = linkWait ?? now
    try agree("after the wait", machine: link.next(now: now), model: .connect)
    link.connecting()
  }

  private mutating func lose(dice: Double, retryAfter: Duration?) throws {
    link.lost(
      to: ConnectionFailure(.unreachable, retryAfter: retryAfter), policy: Self.policy, now: now, dice: dice)
    linkFaults += 1
    guard retryAfter == nil else {
      return try agree("the server's wish", machine: linkWait.map { $0 - now }, model: retryAfter)
    }
    try expectWait(linkWait, after: linkFaults, "for the link")
  }

  /// The backoff doubles from half a second up to half a minute. The jitter lengthens it by three tenths at most.
  private func expectWait(_ until: Duration?, after faults: Int, _ what: String) throws {
    let doubled: [Duration] = [0.5, 1, 2, 4, 8, 16].map { .seconds($0) }
    let least = faults <= doubled.count ? doubled[faults - 1] : .seconds(30)
    let wait = until.map { $0 - now } ?? .zero
    try require(wait >= least && wait < least * 1.3, "a wait of \(wait) \(what), after \(faults)")
  }

  private mutating func refuse(_ refusal: Refusal, dice: Double) -> OutboxLane.Verdict? {
    lane.refuse(
      "m", transmission: transmission, refusal, attempts: faults, policy: Self.policy, now: now, dice: dice)?
      .verdict
  }

  private mutating func fail(dice: Double) throws {
    let verdict = refuse(.failed(after: nil), dice: dice)
    faults += 1
    guard faults < 3 else {
      outcome = .failed
      guard case .fail(let reason) = verdict, reason.code == .attemptsSpent else {
        throw Surprise("the third fault is the last, and not \(String(describing: verdict))")
      }
      return
    }
    outcome = .queued
    try agree("the verdict", machine: verdict, model: .retry(attempts: faults))
    let wait = lane.deadline(now: now).map { $0 - now } ?? .zero
    let least: Duration = faults == 1 ? .seconds(1) : .seconds(3)
    try require(wait >= least && wait < least * 1.3, "a wait of \(wait) after fault \(faults) of the message")
  }

  /// A message that has not failed three times is sent, regardless of the link's earlier faults.
  mutating func comeToRest() throws {
    if !isOnline { try take(.connects) }
    if outcome == .queued {
      if lane.deadline(now: now) != nil { try take(.waits) }
      try take(.leaves)
    }
    if outcome == .away { try take(.isTaken) }
    try require(outcome == .delivered || faults == 3, "only its own three faults stop a message")
  }
}

extension SmallWorlds {
  @Suite struct RetryTests {
    // O7.1, O7.2, O7.5, N3.1
    @Test func `every order of 9 events between a message and its third fault`() async {
      let walk = await EveryOrder.walked(from: RetryWorld(), depth: 9)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 688_295, "\(walk)")
      #expect(walk.ends.contains { $0.outcome == .failed })
      #expect(walk.ends.contains { $0.linkFaults > 6 }, "The cap is reached.")
    }
  }
}
