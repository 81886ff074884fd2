import EngineFixtures
import Testing

@testable import HoldfastCore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The transitions of ``OutboxLane``.
@Suite struct OutboxLaneTests {
  private let policy = ChatConfiguration.RetryPolicy(delays: [.seconds(1), .seconds(3)])

  /// A lane with `count` messages in flight since the beginning, m1 first. The numbers of their transmissions begin
  /// at 1.
  private func lane(inFlight count: Int64, window: Int = 10) -> (lane: OutboxLane, transmissions: Int64) {
    var lane = OutboxLane()
    var transmissions: Int64 = 0
    _ = lane.transmit(
      (1...count).map { eg.entry($0) }, window: window, now: .zero, nextTransmission: &transmissions)
    return (lane, transmissions)
  }

  private func refuse(
    _ lane: inout OutboxLane, _ id: MessageID, transmission: Int64, _ refusal: Refusal, attempts: Int = 0,
    now: Duration = .zero, dice: Double = 0
  ) -> (verdict: OutboxLane.Verdict, recalled: [MessageID])? {
    lane.refuse(
      id, transmission: transmission, refusal, attempts: attempts, policy: policy, now: now, dice: dice
    )
    .map { ($0.verdict, $0.recalled.map(\.id)) }
  }

  // O4.1, O5.4
  @Test func `queued -> in flight in order, each behind the one before it`() {
    var lane = OutboxLane()
    var transmissions: Int64 = 7
    let left = lane.transmit(
      [eg.entry(1), eg.entry(2), eg.entry(3)], window: 2, now: .seconds(5), nextTransmission: &transmissions)
    #expect(
      left == [
        .init(position: 1, id: "m1", predecessor: nil, transmission: 8),
        .init(position: 2, id: "m2", predecessor: "m1", transmission: 9),
      ])
    #expect(transmissions == 9)
    #expect(lane.lastPosition == 2)
    #expect(lane.flights.map(\.sentAt) == [.seconds(5), .seconds(5)])
    #expect(lane.room(window: 2, now: .seconds(5)) == 0)
  }

  @Test func `queued stays queued when it is in flight already`() {
    var (lane, transmissions) = lane(inFlight: 2)
    let left = lane.transmit(
      [eg.entry(1), eg.entry(2), eg.entry(3)], window: 9, now: .zero, nextTransmission: &transmissions)
    #expect(left.map(\.id) == ["m3"])
    #expect(left[0].predecessor == "m2")
  }

  @Test func `queued stays queued where the window leaves no room`() {
    var (lane, transmissions) = lane(inFlight: 2)
    #expect(lane.transmit([eg.entry(3)], window: 1, now: .zero, nextTransmission: &transmissions).isEmpty)
    #expect(lane.room(window: 1, now: .zero) == 0)
  }

  // O6
  @Test func `in flight -> confirmed, in any order, and the next leaves behind the last in flight`() {
    var (lane, transmissions) = lane(inFlight: 3)
    lane.confirm("m3")
    #expect(lane.lastPosition == 2)
    let left = lane.transmit([eg.entry(4)], window: 3, now: .zero, nextTransmission: &transmissions)
    #expect(left.first?.predecessor == "m2")
    for id in ["m1", "m2", "m4"] as [MessageID] { lane.confirm(id) }
    #expect(lane.isIdle)
    #expect(lane == OutboxLane())
  }

  @Test func `a second receipt, or one for a message that was never in flight, changes nothing`() {
    var (lane, _) = lane(inFlight: 2)
    lane.confirm("m1")
    let before = lane
    lane.confirm("m1")
    lane.confirm("stranger")
    #expect(lane == before)
  }

  // O5.5
  @Test func `in flight -> queued on a gap: those behind it go back too, and leave again at once`() throws {
    var (lane, transmissions) = lane(inFlight: 4)
    let (verdict, recalled) = try #require(refuse(&lane, "m2", transmission: 2, .predecessorMissing))
    #expect(verdict == .goBack)
    #expect(recalled == ["m2", "m3", "m4"])
    #expect(lane.flights.map(\.id) == ["m1"])
    let again = lane.transmit(
      (2...4).map { eg.entry($0) }, window: 10, now: .zero, nextTransmission: &transmissions)
    #expect(again.map(\.predecessor) == ["m1", "m2", "m3"])
    #expect(again.map(\.transmission) == [5, 6, 7])
  }

  // O5.5, O7
  @Test
  func `in flight -> queued on a gap without a message before it: the server is not well, and is left alone`()
    throws
  {
    var (lane, transmissions) = lane(inFlight: 2)
    let (verdict, recalled) = try #require(refuse(&lane, "m1", transmission: 1, .predecessorMissing))
    #expect(verdict == .goBack)
    #expect(recalled == ["m1", "m2"])
    #expect(lane.deadline(now: .zero) == .milliseconds(500))
    _ = lane.transmit([eg.entry(1)], window: 1, now: .milliseconds(500), nextTransmission: &transmissions)
    _ = try #require(
      refuse(&lane, "m1", transmission: transmissions, .predecessorMissing, now: .milliseconds(500)))
    #expect(lane.deadline(now: .milliseconds(500)) == .milliseconds(1500), "It grows.")
  }

  // O4.3, O6
  @Test func `queued stays queued while others are in flight, when it may be on the server before them`() {
    var (lane, transmissions) = lane(inFlight: 2)
    var retried = eg.entry(3)
    retried.mayBeOutOfOrder = true
    let queued = [retried, eg.entry(4)]
    #expect(lane.transmit(queued, window: 9, now: .zero, nextTransmission: &transmissions).isEmpty)
    lane.confirm("m2")
    #expect(lane.transmit(queued, window: 9, now: .zero, nextTransmission: &transmissions).isEmpty)
    lane.confirm("m1")
    let left = lane.transmit(queued, window: 9, now: .zero, nextTransmission: &transmissions)
    #expect(left.map(\.id) == ["m3", "m4"])
    #expect(left.map(\.predecessor) == [nil, "m3"])
  }

  // O8.6
  @Test func `in flight -> queued, and all stop, when the conversation is refused`() throws {
    var (lane, _) = lane(inFlight: 3)
    let reason = FailureReason(.conversationRefused, "No.")
    let (verdict, recalled) = try #require(refuse(&lane, "m2", transmission: 2, .rejected(reason)))
    #expect(verdict == .stop(reason))
    #expect(recalled == ["m2", "m3"])
  }

  // O6.8
  @Test func `asked: nothing leaves until there is an answer`() {
    var lane = OutboxLane()
    lane.ask(["m1"])
    #expect(lane.room(window: 9, now: .zero) == 0)
    #expect(!lane.isIdle)
    lane.answered(["m2"])
    #expect(lane.asked == ["m1"], "It is about others.")
    lane.answered(["m1"])
    #expect(lane.room(window: 9, now: .zero) == 9)
    #expect(lane.isIdle)
  }

  // O5
  @Test func `a refusal of an earlier hand-over, or of a confirmed message, is passed over`() throws {
    var (lane, transmissions) = lane(inFlight: 3)
    _ = try #require(refuse(&lane, "m1", transmission: 1, .predecessorMissing))
    _ = lane.transmit(
      (1...3).map { eg.entry($0) }, window: 10, now: .seconds(1), nextTransmission: &transmissions)
    #expect(refuse(&lane, "m2", transmission: 2, .predecessorMissing) == nil)
    #expect(refuse(&lane, "m3", transmission: 3, .rejected(eg.rejection)) == nil)
    lane.confirm("m1")
    #expect(refuse(&lane, "m1", transmission: 4, .predecessorMissing) == nil)
    #expect(lane.flights.map(\.transmission) == [5, 6])
  }

  // O7.1, O7.4
  @Test func `in flight -> queued on a transient fault: one attempt is spent, and all wait`() throws {
    var (lane, transmissions) = lane(inFlight: 2)
    let (verdict, recalled) = try #require(
      refuse(&lane, "m1", transmission: 1, .failed(after: nil), now: .seconds(1)))
    #expect(verdict == .retry(attempts: 1))
    #expect(recalled == ["m1", "m2"])
    #expect(lane.room(window: 10, now: .milliseconds(1999)) == 0)
    #expect(lane.deadline(now: .seconds(1)) == .seconds(2))
    #expect(!lane.isIdle)
    #expect(
      lane.transmit([eg.entry(1)], window: 10, now: .milliseconds(1999), nextTransmission: &transmissions)
        == []
    )
    #expect(lane.waitIsOver(now: .seconds(2)))
    #expect(lane.deadline(now: .seconds(2)) == nil)
    #expect(
      lane.transmit([eg.entry(1)], window: 10, now: .seconds(2), nextTransmission: &transmissions).count == 1)
    #expect(!lane.waitIsOver(now: .seconds(2)))
  }

  // O7.1, O7.4
  @Test func `in flight -> parked on the third transient fault`() throws {
    var (lane, _) = lane(inFlight: 2)
    let (verdict, _) = try #require(refuse(&lane, "m1", transmission: 1, .failed(after: nil), attempts: 2))
    guard case .fail(let reason) = verdict else {
      Issue.record("it was not parked")
      return
    }
    #expect(reason.code == .attemptsSpent)
    #expect(reason.explanation.contains("3 times"))
    #expect(lane.isIdle)
  }

  // O7.9, O8.3
  @Test func `in flight -> parked when it is rejected, and those behind it need not wait`() throws {
    var (lane, transmissions) = lane(inFlight: 3)
    let (verdict, recalled) = try #require(refuse(&lane, "m1", transmission: 1, .rejected(eg.rejection)))
    #expect(verdict == .fail(eg.rejection))
    #expect(recalled == ["m1", "m2", "m3"])
    let next = lane.transmit(
      [eg.entry(2), eg.entry(3)], window: 10, now: .zero, nextTransmission: &transmissions)
    #expect(next.map(\.predecessor) == [nil, "m2"])
  }

  // O7.5
  @Test
  func `in flight -> queued when the server is busy: nothing is spent, and waits grow until it answers`()
    throws
  {
    var (lane, transmissions) = lane(inFlight: 1)
    var waits: [Duration] = []
    for _ in 1...3 {
      let now = lane.notBefore ?? .zero
      let transmission = try #require(lane.flights.first).transmission
      let (verdict, _) = try #require(
        refuse(&lane, "m1", transmission: transmission, .notNow(after: nil), now: now))
      #expect(verdict == .goBack)
      waits.append(try #require(lane.notBefore) - now)
      _ = lane.transmit(
        [eg.entry(1)], window: 1, now: try #require(lane.notBefore), nextTransmission: &transmissions)
    }
    #expect(waits == [.milliseconds(500), .seconds(1), .seconds(2)])
    // A new fault after an answer starts the backoff from the beginning.
    _ = lane.transmit([eg.entry(2)], window: 2, now: .seconds(9), nextTransmission: &transmissions)
    lane.confirm("m1")
    _ = refuse(&lane, "m2", transmission: transmissions, .notNow(after: nil), now: .seconds(9))
    #expect(lane.notBefore == .milliseconds(9500))
  }

  // O7.8
  @Test(arguments: [Refusal.notNow(after: .seconds(60)), .failed(after: .seconds(60))])
  func `the server's retry-after is honoured`(refusal: Refusal) throws {
    var (lane, _) = lane(inFlight: 1)
    _ = try #require(refuse(&lane, "m1", transmission: 1, refusal, now: .seconds(1)))
    #expect(lane.notBefore == .seconds(61))
  }

  // O7.8
  @Test func `in flight -> queued while the lane waits already: the longer wait counts`() throws {
    var (lane, _) = lane(inFlight: 2)
    _ = try #require(refuse(&lane, "m2", transmission: 2, .notNow(after: .seconds(9))))
    _ = try #require(refuse(&lane, "m1", transmission: 1, .failed(after: nil), now: .seconds(1)))
    #expect(lane.notBefore == .seconds(9))
  }

  // O9
  @Test func `queued -> cancelled during a wait: once it is over, the lane is idle`() throws {
    var (lane, transmissions) = lane(inFlight: 1)
    _ = try #require(refuse(&lane, "m1", transmission: 1, .failed(after: nil)))
    #expect(lane.transmit([], window: 1, now: .milliseconds(999), nextTransmission: &transmissions) == [])
    #expect(!lane.isIdle)
    #expect(lane.transmit([], window: 1, now: .seconds(1), nextTransmission: &transmissions) == [])
    #expect(lane.isIdle)
  }

  @Test func `an answer is overdue by the message that has waited longest`() {
    var (lane, transmissions) = lane(inFlight: 1)
    _ = lane.transmit([eg.entry(2)], window: 2, now: .seconds(3), nextTransmission: &transmissions)
    #expect(lane.overdue(policy: policy) == .seconds(20))
    lane.confirm("m1")
    #expect(lane.overdue(policy: policy) == .seconds(23))
    lane.confirm("m2")
    #expect(lane.overdue(policy: policy) == nil)
  }

  // O7.3
  @Test func `a nudge ends a wait that this side chose, and starts the series anew`() throws {
    var (lane, transmissions) = lane(inFlight: 1)
    for fault in 1...4 {
      _ = refuse(&lane, "m1", transmission: Int64(fault), .notNow(after: nil))
      lane.nudge()
      #expect(lane.room(window: 1, now: .zero) == 1)
      _ = lane.transmit([eg.entry(1)], window: 1, now: .zero, nextTransmission: &transmissions)
    }
    _ = refuse(&lane, "m1", transmission: transmissions, .notNow(after: nil))
    #expect(lane.deadline(now: .zero) == .milliseconds(500))
  }

  // O7.3, O7.8
  @Test func `a nudge does not cut short what the server asked for`() throws {
    var (lane, transmissions) = lane(inFlight: 1)
    _ = refuse(&lane, "m1", transmission: 1, .failed(after: .milliseconds(200)))
    #expect(lane.deadline(now: .zero) == .seconds(1))
    lane.nudge()
    #expect(lane.deadline(now: .zero) == .milliseconds(200))
    #expect(
      lane.transmit([eg.entry(1)], window: 1, now: .milliseconds(200), nextTransmission: &transmissions).count
        == 1)
    // A wait that the server requested once, and that is over, does not count again.
    _ = refuse(&lane, "m1", transmission: 2, .failed(after: nil), attempts: 1, now: .milliseconds(300))
    lane.nudge()
    #expect(lane.deadline(now: .milliseconds(300)) == nil)
    #expect(lane.isIdle)
  }
}
