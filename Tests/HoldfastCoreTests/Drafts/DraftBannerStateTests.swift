import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore

@Suite struct DraftBannerStateTests {
  private static let date = EngineExample.date
  private static let content = DraftContent("text")

  private func opened(_ age: TimeInterval, isFromEarlierSession: Bool = true) -> DraftBannerState {
    var state = DraftBannerState()
    state.opened(
      writtenAt: Self.date.addingTimeInterval(-age), isFromEarlierSession: isFromEarlierSession,
      now: Self.date, recoveredAfter: .seconds(3_600))
    return state
  }

  private func banner(_ state: DraftBannerState, at now: Duration = .zero) -> DraftBanner? {
    var state = state
    return state.banner(now: now, date: Self.date.addingTimeInterval(now / .seconds(1)))
  }

  // D10.1, D10.2, D10.4
  @Test func `nothing -> recovered when the draft is from an earlier session`() {
    #expect(banner(opened(300))?.kind == .recovered)
    #expect(banner(opened(300))?.text == "Recovered draft • 5 minutes ago")
    #expect(banner(opened(300, isFromEarlierSession: false)) == nil)
    #expect(banner(DraftBannerState()) == nil)
  }

  // D10.3
  @Test func `nothing -> recovered when the draft of this session is an hour old`() {
    #expect(banner(opened(3601, isFromEarlierSession: false))?.text == "Recovered draft • 1 hour ago")
  }

  // D11.1
  @Test func `nothing -> old after seven days, with a question`() {
    #expect(banner(opened(7 * 86_400))?.kind == .recovered)
    let old = banner(opened(7 * 86_400 + 1))
    #expect(old?.kind == .old)
    #expect(old?.text == "Draft from 7 days ago - keep it?")
  }

  @Test func `recovered -> nothing when the user goes on with it`() {
    for goOn in [{ $0.kept() }, { $0.typed() }] as [(inout DraftBannerState) -> Void] {
      var state = opened(300)
      goOn(&state)
      #expect(banner(state) == nil)
      #expect(state.deadline(now: .zero) == nil)
    }
  }

  // D10.1
  @Test func `the words grow older by the minute`() {
    let state = opened(0)
    #expect(banner(state)?.text == "Recovered draft • just now")
    #expect(state.deadline(now: .seconds(5)) == .seconds(65))
    #expect(banner(state, at: .seconds(65))?.text == "Recovered draft • 1 minute ago")
  }

  // D10.7
  @Test func `recovered -> discarded -> undone, for eight seconds`() {
    var state = opened(300)
    state.discarded(Self.content, writtenAt: Self.date, at: .seconds(10))
    #expect(banner(state, at: .seconds(10))?.kind == .discarded)
    #expect(state.deadline(now: .seconds(10)) == .seconds(18))
    state.typed()
    #expect(banner(state, at: .seconds(10))?.kind == .discarded)
    var undone = state
    #expect(undone.undone(at: .milliseconds(17_999)) == Self.content)
    #expect(banner(undone) == nil)
    #expect(undone.undone(at: .milliseconds(17_999)) == nil, "Once.")
    var late = state
    #expect(late.undone(at: .seconds(18)) == nil)
  }

  // D10.7
  @Test func `discarded -> nothing: the text is forgotten with its banner`() {
    var state = opened(300)
    state.discarded(Self.content, writtenAt: Self.date, at: .zero)
    #expect(state.banner(now: .seconds(8), date: Self.date) == nil)
    #expect(state == DraftBannerState())
  }

  // D10: an app words it in its own language. The limits count hours, and not calendar days.
  @Test(arguments: [
    (-9999.0, DraftBanner.Age.justNow), (0, .justNow), (59.9, .justNow), (60, .minutes(1)),
    (3599.9, .minutes(59)),
    (3600, .hours(1)), (86_399.9, .hours(23)), (86_400, .yesterday), (172_799.9, .yesterday),
    (172_800, .days(2)), (604_800, .days(7)),
  ])
  func `an age is a value, with a number where there is one`(seconds: TimeInterval, age: DraftBanner.Age)
    throws
  {
    let now = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(DraftBanner.Age(of: Date(timeIntervalSinceReferenceDate: 0), from: now) == age)
    #expect(try JSONDecoder().decode(DraftBanner.Age.self, from: JSONEncoder().encode(age)) == age)
  }

  // D10.1
  @Test func `a banner has its age beside its words`() {
    #expect(banner(opened(300))?.age == .minutes(5))
    #expect(banner(opened(8 * 86_400))?.age == .days(8))
  }

  // D10.1
  @Test(arguments: [
    (-9999.0, "just now"), (0, "just now"), (59, "just now"), (60, "1 minute ago"), (3599, "59 minutes ago"),
    (3600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "yesterday"), (172_799, "yesterday"),
    (172_800, "2 days ago"), (Double.infinity, "1000000 days ago"), (Double.nan, "just now"),
  ])
  func `an age is said in words`(age: TimeInterval, words: String) {
    let now = Date(timeIntervalSinceReferenceDate: age)
    let age = DraftBanner.Age(of: Date(timeIntervalSinceReferenceDate: 0), from: now)
    #expect(age.english == words)
  }
}
