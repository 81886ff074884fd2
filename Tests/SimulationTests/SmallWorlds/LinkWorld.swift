import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// The connection to the server, with an intermittent network, and a server that responds or not.
///
/// The model: a state of the platform's network counts once it has lasted for 100 ms. Without a network there is no
/// connection. A lost connection is retried after an exponential backoff, and at once when the network comes back or
/// the user asks. After credentials that are refused twice in a row, the wait is a quarter of an hour, or until the
/// user asks.
struct LinkWorld: SmallWorld {
  enum Event: String, CustomStringConvertible {
    case pathUp = "the network is there"
    case pathDown = "the network is gone"
    case look = "the engine looks"
    case serverAnswers = "the server answers"
    case lost = "the connection is lost"
    case lostForNineSeconds = "the server hangs up, and asks for nine seconds"
    case refused = "the server refuses the credentials"
    case nudge = "the app comes to the foreground"
    case passes = "60 ms pass"
    case waited = "the next deadline passes"
    var description: String { rawValue }
  }

  enum Connection: Hashable { case none, open, answering }

  private var link: LinkState
  private var now = Duration.zero
  /// The platform's report, and the time since when it differs from the accepted state.
  private var isReportedUp: Bool
  private var differsSince: Duration?
  private var isBelievedUp: Bool
  private var connection = Connection.none
  private var notBefore = Duration.zero
  private(set) var losses = 0
  /// Whether the last response refused the credentials.
  private(set) var isRefused = false
  /// Whether the server ever refuses them.
  private let refuses: Bool

  init(isPathUp: Bool, refuses: Bool = false) {
    self.refuses = refuses
    link = LinkState(isPathUp: isPathUp)
    (isReportedUp, isBelievedUp) = (isPathUp, isPathUp)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(now)
    hasher.combine(differsSince)
    hasher.combine(isBelievedUp)
    hasher.combine(connection)
    hasher.combine(notBefore)
    hasher.combine(losses)
    hasher.combine(isRefused)
  }

  private var mustHangUp: Bool { !isBelievedUp && connection != .none }
  private var stableAt: Duration? { differsSince.map { $0 + .milliseconds(100) } }
  private var deadline: Duration? {
    let wait = isBelievedUp && connection == .none && notBefore > now ? notBefore : nil
    return [stableAt, wait].compactMap { $0 }.filter { $0 > now }.min()
  }

  var possibleEvents: [Event] {
    var events: [Event] = [
      isReportedUp ? .pathDown : .pathUp, isReportedUp ? .pathUp : .pathDown, .nudge, .passes,
    ]
    // While the link disconnects, nothing else happens.
    if !mustHangUp { events.append(.look) }
    if connection == .open { events.append(.serverAnswers) }
    if connection != .none { events += [.lost, .lostForNineSeconds] }
    if connection != .none && refuses { events.append(.refused) }
    if deadline != nil { events.append(.waited) }
    return events
  }

  mutating func take(_ event: Event) throws {
    switch event {
    case .pathUp, .pathDown: report(isUp: event == .pathUp)
    case .look: try look()
    case .serverAnswers:
      link.ready()
      connection = .answering
      losses = 0
      isRefused = false
    case .lost: lose(to: ConnectionFailure(.unreachable))
    case .lostForNineSeconds: lose(to: ConnectionFailure(.unreachable, retryAfter: .seconds(9)))
    case .refused: lose(to: ConnectionFailure(.unauthorized))
    case .nudge:
      link.nudge()
      endWaits()
    case .passes: now += .milliseconds(60)
    case .waited: now = deadline ?? now
    }
    let shown: Connectivity =
      !isBelievedUp ? .offline : connection == .answering ? .online : .reconnecting
    try agree("what is shown", machine: link.shown, model: shown)
    try agree("whether to ask for credentials", machine: link.needsCredentials, model: isRefused)
    try agree("whether to hang up", machine: link.mustHangUp, model: mustHangUp)
  }

  private mutating func report(isUp: Bool) {
    link.pathChanged(isUp: isUp, now: now)
    isReportedUp = isUp
    differsSince = isReportedUp == isBelievedUp ? nil : differsSince ?? now
  }

  private mutating func endWaits() { (notBefore, losses) = (now, 0) }

  private mutating func look() throws {
    if let stableAt, stableAt <= now {
      (isBelievedUp, differsSince) = (isReportedUp, nil)
      if isBelievedUp { endWaits() }
    }
    let connects = isBelievedUp && connection == .none && notBefore <= now
    let action = link.next(now: now)
    try agree("what to do", machine: action, model: connects ? .connect : .wait(until: deadline))
    if connects {
      link.connecting()
      connection = .open
    }
  }

  private mutating func lose(to failure: ConnectionFailure) {
    link.lost(to: failure, policy: ChatConfiguration.RetryPolicy(), now: now, dice: 0)
    connection = .none
    losses += 1
    let growing = Duration.milliseconds(500) * (1 << (losses - 1))
    let isSignedOut = isRefused && failure.reason == .unauthorized
    isRefused = failure.reason == .unauthorized
    notBefore = now + max(failure.retryAfter ?? .zero, isSignedOut ? .seconds(900) : growing)
  }

  /// N1, N3: with a network and a server that responds, the link is online after the next deadline, or two.
  mutating func comeToRest() throws {
    if mustHangUp { try take(.lost) }
    try take(.pathUp)
    for _ in 0..<3 {
      try take(.look)
      if connection == .open { try take(.serverAnswers) }
      try take(.waited)
    }
    try agree("in the end", machine: link.shown, model: .online)
  }
}

extension SmallWorlds {
  @Suite struct LinkTests {
    // O10.2, N1.1, N1.5, N3.1, N3.2, N3.3
    @Test(arguments: [(true, 101_871_180), (false, 23_904_604)])
    func `every order of 10 events on the way to the server`(isPathUp: Bool, orders: Int) async {
      let walk = await EveryOrder.walked(from: LinkWorld(isPathUp: isPathUp), depth: 10)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == orders, "\(walk)")
      #expect(walk.ends.contains { $0.losses == 2 })
    }

    // O7.10
    @Test func `every order of 9 events on the way to a server that refuses the credentials`() async {
      let walk = await EveryOrder.walked(from: LinkWorld(isPathUp: true, refuses: true), depth: 9)
      #expect(walk.surprise == nil, "\(walk)")
      #expect(walk.orders == 21_166_676, "\(walk)")
      #expect(walk.ends.contains { $0.isRefused && $0.losses == 2 })
    }
  }
}
