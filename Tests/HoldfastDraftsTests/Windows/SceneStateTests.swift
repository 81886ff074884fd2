import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = SceneExample

@Suite struct SceneStateTests {
  private func decoded(_ json: String) throws -> eg.State {
    try JSONDecoder().decode(eg.State.self, from: Data(json.utf8))
  }

  // R1.1, R1.2, R1.3
  @Test func `all that a window has comes back as it was`() throws {
    let bytes = try SceneCoding.encode(eg.full)
    #expect(try JSONDecoder().decode(eg.State.self, from: bytes) == eg.full)
    #expect(try SceneCoding.encode(eg.full) == bytes, "The same state has the same bytes.")
  }

  // R6.1
  @Test func `fields that an earlier version did not store are those of a new window`() throws {
    #expect(try decoded("{}") == eg.State())
    #expect(try decoded(#"{"conversation":"c","later":1}"#).conversation == "c")
  }

  // R3.1
  @Test(arguments: [
    (0.25, 0.25), (-1, 0), (7, 1), (.nan, 0), (.infinity, 0), (-Double.infinity, 0),
  ])
  func `an offset within a message is a part of it`(given: Double, kept: Double) throws {
    #expect(ScrollPositions.Anchor(message: "m", offset: given).offset == kept)
    #expect(throws: Never.self) {
      var state = eg.State()
      state.scroll[timeline: "c"] = ScrollPositions.Anchor(message: "m", offset: given)
      state.scroll[list: "l"] = given
      _ = try SceneCoding.encode(state)
    }
    let hostile =
      #"{"scroll":{"timelines":[{"conversation":"c","anchor":{"message":"m","offset":9e99}}],"lists":[]}}"#
    #expect(try decoded(hostile).scroll[timeline: "c"]?.offset == 1)
  }

  // R3.3
  @Test func `the hundred lists that were scrolled last are kept`() {
    var scroll = ScrollPositions()
    for number in 0..<150 {
      scroll[timeline: ConversationID(rawValue: "c\(number)")] = ScrollPositions.Anchor(message: "m")
      scroll[list: "l\(number)"] = Double(number)
      scroll[timeline: "c0"] = ScrollPositions.Anchor(message: MessageID(rawValue: "m\(number)"))
    }
    #expect(scroll.timelines.count == 100)
    #expect(scroll.lists.count == 100)
    #expect(scroll[timeline: "c0"]?.message == "m149", "It was scrolled all the time.")
    #expect(scroll[timeline: "c50"] == nil)
    #expect(scroll[list: "l50"] == 50)
    #expect(scroll[list: "l49"] == nil)
    scroll[timeline: "c149"] = nil
    scroll[list: "l149"] = nil
    #expect(scroll[timeline: "c149"] == nil)
    #expect(scroll.timelines.count == 99)
    #expect(scroll.lists.count == 99)
  }

  @Test func `a path ends before the first invalid route`() {
    let mapped: SceneState<String, Int> = eg.full.map(
      route: { $0 == .members ? nil : "file" }, sheet: { _ in nil })
    #expect(mapped.path == [])
    #expect(mapped.sheet == nil)
    #expect(mapped.conversation == eg.full.conversation)
    #expect(mapped.scroll == eg.full.scroll)
    let kept: eg.State = eg.full.map(route: { $0 == .members ? $0 : nil }, sheet: { $0 })
    #expect(kept.path == [.members])
    #expect(kept.sheet == .info("m7"))
  }
}
