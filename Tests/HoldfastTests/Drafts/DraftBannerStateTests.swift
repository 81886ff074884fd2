import Foundation
import Testing

@testable import Holdfast

@Suite struct DraftBannerStateTests {
  private static let date = EngineExample.date
  private static let content = DraftContent("text")

  private func opened(_ age: TimeInterval, isFromEarlierSession: Bool = true) -> DraftBannerState {
    var state = DraftBannerState()
    state.opened(
      writtenAt: Self.date.addingTimeInterval(-age), isFromEarlierSession: isFromEarlierSession,
      now: Self.date)
    return state
  }

  private func banner(_ state: DraftBannerState, at now: Duration = .zero) -> DraftBanner? {
    var state = state
    return state.banner(now: now, date: Self.date.addingTimeInterval(now / .seconds(1)))
  }

  // D10
  @Test func `nothing -> recovered when the draft is from an earlier session`() {
    #expect(banner(opened(300))?.kind == .recovered)
    #expect(banner(opened(300))?.text == "Recovered draft • 5 minutes ago")
    #expect(banner(opened(300, isFromEarlierSession: false)) == nil)
    #expect(banner(DraftBannerState()) == nil)
  }

  // D10
  @Test func `nothing -> recovered when the draft of this session is an hour old`() {
    #expect(banner(opened(3601, isFromEarlierSession: false))?.text == "Recovered draft • 1 hour ago")
  }

  // D11
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

  @Test func `the words grow older by the minute`() {
    let state = opened(0)
    #expect(banner(state)?.text == "Recovered draft • just now")
    #expect(state.deadline(now: .seconds(5)) == .seconds(65))
    #expect(banner(state, at: .seconds(65))?.text == "Recovered draft • 1 minute ago")
  }

  // D10
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

  @Test func `discarded -> nothing: the text is forgotten with its banner`() {
    var state = opened(300)
    state.discarded(Self.content, writtenAt: Self.date, at: .zero)
    #expect(state.banner(now: .seconds(8), date: Self.date) == nil)
    #expect(state == DraftBannerState())
  }

  @Test(arguments: [
    (-9999.0, "just now"), (0, "just now"), (59, "just now"), (60, "1 minute ago"), (3599, "59 minutes ago"),
    (3600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "yesterday"), (172_799, "yesterday"),
    (172_800, "2 days ago"), (Double.infinity, "1000000 days ago"), (Double.nan, "just now"),
  ])
  func `an age is said in words`(age: TimeInterval, words: String) {
    let now = Date(timeIntervalSinceReferenceDate: age)
    #expect(relativeTime(of: Date(timeIntervalSinceReferenceDate: 0), from: now) == words)
  }
}
