import ChatServerTesting
import Holdfast
import HoldfastRelay
import HoldfastRescue
import Simulator
import Testing

/// The answers of a misbehaving server, which still keeps its rules.
@Suite struct InjectedFaultsTests {
  private static func message(
    _ id: String, after predecessor: String? = nil, handover: Int64 = 1
  ) -> Wire.Outgoing {
    Wire.Outgoing(
      id: id, conversation: "c", members: nil, title: nil, role: "user", content: MessageContent("hi"), at: 0,
      predecessor: predecessor, handover: handover)
  }

  private func faults(_ orders: FaultOrder...) -> InjectedFaults {
    var faults = InjectedFaults()
    for order in orders { faults.obey(order, now: .zero) }
    return faults
  }

  @Test func `a server without orders takes everything`() {
    var faults = InjectedFaults()
    let messages = [Self.message("a"), Self.message("b", after: "a")]
    let (passed, answers) = faults.intercept(messages, accepted: [], on: 1, now: .zero)
    #expect(passed == messages)
    #expect(answers.isEmpty)
    let losesReceipt = faults.losesReceipt()
    #expect(!losesReceipt)
  }

  // O8
  @Test func `the next messages are refused, except those that the server would not look at`() {
    var faults = faults(FaultOrder(type: .refuse, count: 2))
    let chain = [Self.message("a"), Self.message("b", after: "a"), Self.message("c", after: "b")]
    let first = faults.intercept(chain, accepted: [], on: 1, now: .zero)
    #expect(first.answers.map(\.id) == ["a"])
    #expect(first.answers.map(\.kind) == [.rejected])
    #expect(first.passed.map(\.id) == ["b", "c"], "The server answers these with a gap.")
    #expect(faults.refusals == 1)
    let again = [Self.message("b", handover: 2), Self.message("c", after: "b", handover: 3)]
    let second = faults.intercept(again, accepted: [], on: 1, now: .zero)
    #expect(second.answers.map(\.id) == ["b"])
    let third = faults.intercept([Self.message("c", handover: 4)], accepted: [], on: 1, now: .zero)
    #expect(third.answers.isEmpty)
  }

  // O8
  @Test func `a conversation is refused with one of its messages, which the server does not get`() {
    var faults = faults(FaultOrder(type: .refuseConversation), FaultOrder(type: .refuse))
    let first = faults.intercept([Self.message("a")], accepted: [], on: 1, now: .zero)
    #expect(first.answers.map(\.code) == [FailureReason.Code.conversationRefused.rawValue])
    #expect(first.answers.map(\.kind) == [.rejected])
    #expect(first.passed.isEmpty)
    #expect(faults.conversationRefusals == 0)
    #expect(faults.refusals == 1, "One answer to one message.")
  }

  @Test func `it takes its time until a moment, and no longer once it is ordered to behave`() {
    var faults = faults(FaultOrder(type: .slow, seconds: 30))
    #expect(faults.slow(now: .seconds(29)) == .seconds(30))
    #expect(faults.slow(now: .seconds(30)) == nil)
    #expect(faults.unavailable(now: .zero) == nil)
    faults.obey(FaultOrder(type: .behave), now: .zero)
    #expect(faults.slow(now: .zero) == nil)
  }

  @Test func `a message that the server has is never refused`() {
    var faults = faults(
      FaultOrder(type: .refuse, count: 5), FaultOrder(type: .unavailable, seconds: 60))
    let known = [Self.message("a")]
    let passed = faults.intercept(known, accepted: ["a"], on: 1, now: .zero).passed
    #expect(passed == known)
    #expect(faults.refusals == 5)
  }

  @Test func `every copy of what was refused gets the same answer, and a new hand-over another chance`() {
    var faults = faults(FaultOrder(type: .refuse, count: 1))
    _ = faults.intercept([Self.message("a", handover: 3)], accepted: [], on: 2, now: .zero)
    func kinds(_ handover: Int64, on connection: Int) -> [Wire.Refused.Kind] {
      faults.intercept([Self.message("a", handover: handover)], accepted: [], on: connection, now: .zero)
        .answers
        .map(\.kind)
    }
    #expect(kinds(3, on: 2) == [.rejected])
    #expect(kinds(9, on: 1) == [.rejected], "It comes late, from an older connection.")
    #expect(kinds(4, on: 2) == [])
    #expect(kinds(1, on: 3) == [])
  }

  @Test func `for a while messages are answered busy, with the time that is left`() {
    var faults = faults(FaultOrder(type: .unavailable, seconds: 20))
    let busy = faults.intercept([Self.message("a")], accepted: [], on: 1, now: .seconds(5)).answers
    #expect(busy.map(\.kind) == [.busy])
    #expect(busy.first?.retryAfter == 15_000)
    #expect(faults.unavailable(now: .seconds(5)) == .seconds(20))
    #expect(faults.unavailable(now: .seconds(20)) == nil)
    let later = [Self.message("a", handover: 2)]
    let passed = faults.intercept(later, accepted: [], on: 1, now: .seconds(20)).passed
    #expect(passed == later)
  }

  @Test func `receipts are lost as often as it was said`() {
    var faults = faults(FaultOrder(type: .loseReceipts, count: 2))
    let lost = [faults.losesReceipt(), faults.losesReceipt(), faults.losesReceipt()]
    #expect(lost == [true, true, false])
  }

  @Test func `an order to behave ends everything, and an absurd one is limited`() {
    var faults = faults(
      FaultOrder(type: .refuse, count: .max), FaultOrder(type: .loseReceipts, count: -1),
      FaultOrder(type: .unavailable, seconds: .max))
    #expect(faults.refusals == 100)
    #expect(faults.lostReceipts == 1)
    #expect(faults.unavailable(now: .zero) == .seconds(600))
    faults.obey(FaultOrder(type: .behave), now: .zero)
    #expect(faults.refusals == 0)
    #expect(faults.lostReceipts == 0)
    #expect(faults.unavailable(now: .zero) == nil)
  }
}
