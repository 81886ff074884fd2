import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastStore
@testable import HoldfastTransport

/// A lane that may get any response to any transmission, in any order, twice, and long after.
///
/// The model: messages (`letters`) that are queued, away, delivered or failed. The oldest queued messages are sent,
/// while no more than the window are away and no backoff is in progress. A user's tap ends a backoff that only this
/// side chose. While the server is queried about a message in doubt, nothing is sent.
struct LaneWorld: SmallWorld {
  enum Answer: String, CaseIterable {
    case gap, busy, busyFor9Seconds, fault, rejection

    var refusal: Refusal {
      switch self {
      case .gap: .predecessorMissing
      case .busy: .notNow(after: nil, mayHaveArrived: false)
      case .busyFor9Seconds: .notNow(after: .seconds(9), mayHaveArrived: false)
      case .fault: .failed(after: nil)
      case .rejection: .rejected(FailureReason(.rejected, "No."))
      }
    }
  }

  enum Event: CustomStringConvertible {
    case tapSend, leave, linkBreaks, nearlyWaited, waited, nudge
    case taken(Int)
    case refused(transmission: Int64, Answer)
    case tapRetry(Int), tapCancel(Int)
    case ask(Int)
    case answered(Word)

    var description: String {
      switch self {
      case .tapSend: "a message is sent"
      case .leave: "what may leave leaves"
      case .linkBreaks: "the link breaks"
      case .nearlyWaited: "the wait is over but for a millisecond"
      case .waited: "the wait is over"
      case .nudge: "the app comes to the foreground"
      case .taken(let index): "the server has m\(index)"
      case .refused(let transmission, let answer): "hand-over \(transmission) is refused: \(answer)"
      case .tapRetry(let index): "m\(index), which has failed, is tried again"
      case .tapCancel(let index): "m\(index) is cancelled"
      case .ask(let index): "the server is asked about m\(index)"
      case .answered(let outcome): "the server \(outcome.rawValue)"
      }
    }
  }

  /// The server's answer about a message in doubt.
  enum Word: String, CaseIterable {
    case has = "has it"
    case hasNot = "does not have it"
    case isUnknown = "does not know"
  }

  enum Outcome: Hashable {
    case queued, delivered, failed, cancelled
    case away(transmission: Int64, since: Duration)
  }

  struct Letter: Hashable {
    var position: Int64
    var index: Int
    var attempts = 0
    var outcome = Outcome.queued
    var id: MessageID { MessageID(rawValue: "m\(index)") }
    var transmission: Int64? { if case .away(let transmission, _) = outcome { transmission } else { nil } }
    var leftAt: Duration? { if case .away(_, let since) = outcome { since } else { nil } }
  }

  let window: Int
  let messages: Int
  let answers: [Answer]
  /// Whether the user taps, to end a wait.
  let isNudged: Bool
  /// Whether there are messages in doubt.
  let isAsked: Bool

  private var lane = OutboxLane()
  private var transmissions: Int64 = 0
  /// The messages of each transmission.
  private var carried: [Int] = []
  private(set) var letters: [Letter] = []
  private var now = Duration.zero
  /// The end of the backoff. Nil when it has passed, or the link is a new one.
  private var silence: Duration?
  /// The end of the delay that the server asked for.
  private var serversWish: Duration?
  private var busyInARow = 0
  /// The message that the server is queried about.
  private var asked: Int?

  init(
    window: Int, messages: Int, queued: Int = 0, answers: [Answer] = Answer.allCases, isNudged: Bool = false,
    isAsked: Bool = false
  ) {
    (self.window, self.messages, self.answers, self.isNudged) = (window, messages, answers, isNudged)
    self.isAsked = isAsked
    letters = (0..<queued).map { Letter(position: Int64($0) + 1, index: $0 + 1) }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(letters)
    hasher.combine(now)
    hasher.combine(silence)
    hasher.combine(serversWish)
    hasher.combine(transmissions)
    hasher.combine(asked)
  }

  var possibleEvents: [Event] {
    var events: [Event] = [.leave, .linkBreaks]
    if letters.count < messages { events.append(.tapSend) }
    if let silence, silence > now { events += [.nearlyWaited, .waited] }
    if isNudged { events.append(.nudge) }
    if isAsked, asked == nil, away.isEmpty, let first = letters.first(where: { $0.outcome == .queued }) {
      events.append(.ask(first.index))
    }
    if asked != nil { events += Word.allCases.map { .answered($0) } }
    for letter in letters {
      if letter.outcome == .failed { events.append(.tapRetry(letter.index)) }
      if letter.outcome == .queued, letter.index != asked { events.append(.tapCancel(letter.index)) }
      events.append(.taken(letter.index))
    }
    for transmission in carried.indices {
      events += answers.map { .refused(transmission: Int64(transmission + 1), $0) }
    }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .tapSend: letters.append(Letter(position: nextPosition, index: letters.count + 1))
    case .leave: try leave()
    case .linkBreaks:
      // Lanes end with the connection. No attempt is counted (O7).
      lane = OutboxLane()
      for place in letters.indices where letters[place].transmission != nil {
        letters[place].outcome = .queued
      }
      (silence, serversWish, busyInARow, asked) = (nil, nil, 0, nil)
    case .nearlyWaited: now = max(now, silence! - .milliseconds(1))
    case .waited: now = silence!
    case .nudge:
      lane.nudge()
      (silence, busyInARow) = (serversWish, 0)
    case .taken(let index):
      let place = place(of: index)
      lane.confirm(letters[place].id)
      if letters[place].transmission != nil { busyInARow = 0 }
      letters[place].outcome = .delivered
    case .refused(let transmission, let answer): try refuse(transmission, answer)
    case .tapRetry(let index):
      letters.append(Letter(position: nextPosition, index: index))
      letters.remove(at: place(of: index))
    case .tapCancel(let index): letters[place(of: index)].outcome = .cancelled
    case .ask(let index):
      lane.ask([letters[place(of: index)].id])
      asked = index
    case .answered(let outcome):
      // The echo may have arrived first.
      if let asked, letters[place(of: asked)].outcome == .queued {
        switch outcome {
        case .has: letters[place(of: asked)].outcome = .delivered
        case .hasNot: break
        case .isUnknown: letters[place(of: asked)].outcome = .failed
        }
      }
      lane.answered(lane.asked)
      asked = nil
    }
    try compare()
  }

  private var nextPosition: Int64 { (letters.map(\.position).max() ?? 0) + 1 }
  private var away: [Letter] { letters.filter { $0.transmission != nil } }
  private func place(of index: Int) -> Int { letters.firstIndex { $0.index == index }! }

  private mutating func leave() throws {
    let isSilent = silence.map { $0 > now } ?? false
    let queued = letters.filter { $0.outcome == .queued }
    let leaving = isSilent || asked != nil ? [] : Array(queued.prefix(max(0, window - away.count)))
    var expected: [OutboxLane.Transmission] = []
    var predecessor = away.last?.id
    for (offset, letter) in leaving.enumerated() {
      let transmission = transmissions + Int64(offset) + 1
      expected.append(
        .init(position: letter.position, id: letter.id, predecessor: predecessor, transmission: transmission))
      letters[place(of: letter.index)].outcome = .away(transmission: transmission, since: now)
      carried.append(letter.index)
      predecessor = letter.id
    }
    if !isSilent { (silence, serversWish) = (nil, nil) }

    let entries = queued.filter { $0.position > lane.lastPosition }.map {
      OutboxEntry(position: $0.position, id: $0.id, attempts: $0.attempts, unanswered: 0)
    }
    let sent = lane.transmit(entries, window: window, now: now, nextTransmission: &transmissions)
    try agree("what leaves", machine: sent, model: expected)
  }

  private mutating func refuse(_ transmission: Int64, _ answer: Answer) throws {
    let index = carried[Int(transmission) - 1]
    let letter = letters[place(of: index)]
    let answered = lane.refuse(
      letter.id, transmission: transmission, answer.refusal, attempts: letter.attempts,
      policy: ChatConfiguration.RetryPolicy(delays: [.seconds(1), .seconds(3)]),
      now: now, dice: 0)
    guard letter.transmission == transmission else {
      return try require(answered == nil, "a refusal of an earlier hand-over is passed over")
    }
    // The messages that were sent after it named it as their predecessor, directly or not.
    let back = away.filter { $0.transmission! >= transmission }
    for letter in back { letters[place(of: letter.index)].outcome = .queued }
    let verdict = judge(answer, place(of: index))
    try agree("the verdict", machine: answered?.verdict, model: verdict)
    try agree("what goes back", machine: answered?.recalled.map(\.id), model: back.map(\.id))
  }

  private mutating func judge(_ answer: Answer, _ place: Int) -> OutboxLane.Verdict {
    switch answer {
    case .gap where !away.isEmpty: return .goBack
    // A gap without a message before it means that the server is at fault.
    case .gap, .busy, .busyFor9Seconds:
      busyInARow += 1
      let growing = Duration.milliseconds(500) * (1 << (busyInARow - 1))
      keepSilent(for: answer == .busyFor9Seconds ? max(growing, .seconds(9)) : growing)
      if answer == .busyFor9Seconds { serversWish = max(serversWish ?? .zero, now + .seconds(9)) }
      return .goBack
    case .fault:
      letters[place].attempts += 1
      if letters[place].attempts == 3 {
        letters[place].outcome = .failed
        return .fail(FailureReason(.attemptsSpent, "The server failed to accept the message 3 times."))
      }
      keepSilent(for: .seconds(letters[place].attempts == 1 ? 1 : 3))
      return .retry(attempts: letters[place].attempts)
    case .rejection:
      letters[place].outcome = .failed
      return .fail(FailureReason(.rejected, "No."))
    }
  }

  /// A server that asked for a delay gets it, regardless of other requests (O7).
  private mutating func keepSilent(for delay: Duration) {
    silence = max(silence ?? .zero, now + delay)
  }

  private func compare() throws {
    try agree("who is away", machine: lane.flights.map(\.id), model: away.map(\.id))
    try agree(
      "their hand-overs", machine: lane.flights.map(\.transmission), model: away.map { $0.transmission! })
    try agree("since when", machine: lane.flights.map(\.sentAt), model: away.map { $0.leftAt! })
    try agree("until when it waits", machine: lane.notBefore, model: silence)
    try agree(
      "who is asked about", machine: lane.asked.map(\.rawValue), model: asked.map { ["m\($0)"] } ?? [])
    let isSilent = silence.map { $0 > now } ?? false
    try agree(
      "the room", machine: lane.room(window: window, now: now),
      model: isSilent || asked != nil ? 0 : max(0, window - away.count))
    try agree("when to look again", machine: lane.deadline(now: now), model: isSilent ? silence : nil)
    try agree(
      "what is overdue",
      machine: lane.overdue(policy: ChatConfiguration.RetryPolicy(delays: [.seconds(1), .seconds(3)])),
      model: away.map(\.leftAt!).min().map { $0 + .seconds(20) })
    // O4: a queued message is never behind one that was sent after it.
    let firstQueued = letters.first { $0.outcome == .queued }?.position ?? .max
    try require(away.allSatisfy { $0.position < firstQueued }, "first in, first out")
    try require(Set(away.map(\.id)).count == away.count, "no message is on its way twice")
  }

  /// Nothing is left behind: a message that has not failed is delivered once the server accepts everything (O5, O7).
  mutating func comeToRest() throws {
    if asked != nil { try take(.answered(.hasNot)) }
    for _ in 0..<(messages + 1) {
      if let silence { now = max(now, silence) }
      try take(.leave)
      for letter in away { try take(.taken(letter.index)) }
    }
    try require(!letters.contains { $0.outcome == .queued }, "nothing waits for ever")
    try require(lane.isIdle, "nobody is away, and nobody waits")
  }
}

extension SmallWorlds {
  @Suite struct LaneTests {
    // O4.1, O5, O6, O7.1
    @Test(arguments: [(2, 0, 339_448), (3, 1, 4_143_804)])
    func `every order of 7 events of a lane with three messages`(
      window: Int, queued: Int, orders: Int
    ) async {
      let world = LaneWorld(window: window, messages: 3, queued: queued)
      let walk = await EveryOrder.walked(from: world, depth: 7)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == orders, "\(walk)")
    }

    // O7.1, O7.4, O8
    @Test func `every order of 10 events of a message that the server fails on`() async {
      let walk = await EveryOrder.walked(
        from: LaneWorld(window: 1, messages: 1, answers: [.fault, .busy]), depth: 10)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 3_850_423, "\(walk)")
      #expect(walk.ends.contains { $0.letters.first?.outcome == .failed })
    }

    // O4.1, O6.8
    @Test func `every order of 7 events of a lane with messages in doubt`() async {
      let world = LaneWorld(
        window: 2, messages: 3, queued: 2, answers: [.busy, .fault], isAsked: true)
      let walk = await EveryOrder.walked(from: world, depth: 7)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 4_154_361, "\(walk)")
    }

    // O7.3, O7.8
    @Test func `every order of 8 events of a lane whose waits are cut short`() async {
      let world = LaneWorld(
        window: 2, messages: 2, queued: 1, answers: [.busy, .busyFor9Seconds, .fault], isNudged: true)
      let walk = await EveryOrder.walked(from: world, depth: 8)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 17_080_012, "\(walk)")
    }
  }
}
