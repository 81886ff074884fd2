import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = SceneExample

/// The place that an earlier app stored in its user defaults (rule R6).
@MainActor @Suite(.timeLimit(.minutes(10))) struct PlaceImportTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private struct EarlierSheet: Decodable {
    var kind: String
  }

  private func source(_ text: String) throws -> ImportSource {
    try #require(ImportSource.values(of: ["appRestorationState": Data(text.utf8)]).first)
  }

  private var place: String {
    #"{"selectedProjectPath":"/p","selectedSessionId":"\#(EngineExample.conversation)","#
      + #""activeSheet":{"kind":"settings"},"scrollOffsetsByProject":{"/p":320.5}}"#
  }

  @discardableResult
  private func bring(_ text: String, _ client: ChatClient, into scene: SceneID = eg.scene) throws
    -> ImportReport
  {
    try client.importPlace(from: source(text), into: scene, as: eg.State.self) { json in
      try JSONDecoder().decode(EarlierSheet.self, from: json).kind == "settings" ? .settings : nil
    }
  }

  private func opened(_ client: ChatClient, _ id: SceneID = eg.scene) -> eg.State {
    let scene = SceneModel<eg.Route, eg.Sheet>(client, id)
    scene.resolve(sheet: { $0 })
    return scene.state
  }

  // R6.4, H10.6
  @Test func `a place in the user defaults is what the window shows at its first launch`() throws {
    let client = try bench.client()
    #expect(try source(place).format == .place)
    let report = try bring(place, client)
    #expect((report.format, report.places, report.isComplete) == (.place, 1, true), "\(report.problems)")
    let state = opened(client)
    #expect(state.project == "/p")
    #expect(state.conversation == EngineExample.conversation)
    #expect(state.sheet == .settings)
    #expect(state.scroll[list: "/p"] == 320.5)
    #expect(try opened(bench.client()) == state)
  }

  // R6.4, H10.5
  @Test func `a second import changes nothing, and neither does one into a window with a place`() throws {
    do {
      let client = try bench.client()
      try bring(place, client)
      let scene = SceneModel<eg.Route, eg.Sheet>(client, eg.scene)
      scene.state.project = "mine"
      #expect(try bring(place, client).alreadyHere == 1)
      try client.hardSave()
    }
    let client = try bench.client()
    #expect(try bring(place, client).alreadyHere == 1)
    #expect(opened(client).project == "mine")
    try client.closeScene(eg.scene)
    #expect(try bring(place, client).alreadyHere == 1, "A closed window stays closed.")
    #expect(try client.storedScene() == nil)
    _ = opened(client, "open")
    #expect(try bring(place, client, into: "open").alreadyHere == 1)
  }

  // R6.4, R6.2
  @Test func `a place without its conversation opens the list, and a sheet that is unknown is reported`()
    throws
  {
    let client = try bench.client()
    let report = try bring(#"{"selectedSessionId":"gone","activeSheet":[1]}"#, client)
    #expect(report.problems.map(\.code) == [.wrongFields])
    #expect(report.problems.map(\.entry) == ["appRestorationState.sheet"])
    let scene = SceneModel<eg.Route, eg.Sheet>(client, eg.scene)
    #expect(scene.state.conversation == nil)
    #expect(scene.notice?.kind == .conversationNotFound)
  }

  // R6.4, R6.3
  @Test func `a damaged place is reported and changes nothing, and another kind of data is refused`() throws {
    let client = try bench.client()
    for length in stride(from: 30, to: place.utf8.count, by: 3) {
      let report = try bring(String(place.prefix(length)), client)
      #expect((report.places, report.problemCount) == (0, 1), "\(length)")
    }
    #expect(try client.storedScene() == nil)
    #expect(refusal { try bring(#"{"conversations":[]}"#, client) } == .fileUnrecognized)
    #expect(refusal { try bring(place, client, into: "") } == .malformedID)
    #expect(refusal { try client.importHistory(from: source(place)) } == .fileUnrecognized)
  }
}
