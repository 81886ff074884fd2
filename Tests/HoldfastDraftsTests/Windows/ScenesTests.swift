import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = SceneExample

/// The times at which the windows of a process are stored, and the data that is stored.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ScenesTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func scene(_ client: ChatClient, _ id: SceneID = eg.scene) -> SceneModel<eg.Route, eg.Sheet> {
    SceneModel(client, id)
  }

  // R1.1, R1.2, R1.3, R8
  @Test func `a hard save stores where each window is, and a relaunch brings it back`() throws {
    do {
      let client = try bench.client()
      let scene = scene(client)
      scene.state = eg.full
      try client.hardSave()
      #expect(try client.storedScene() == eg.full)
    }
    let restored = scene(try bench.client())
    restored.resolve(sheet: { $0 })
    #expect(restored.state == eg.full)
  }

  // R8.2, S7
  @Test func `a suspended client has stored where each window is, and so has one in the background`()
    async throws
  {
    let client = try bench.client()
    let scene = scene(client)
    scene.state = eg.full
    try await client.enterBackground()
    #expect(try client.storedScene() == eg.full)
    scene.state.project = "another"
    try await client.suspend()
    try await client.resume()
    #expect(try client.storedScene()?.project == "another")
  }

  // R8
  @Test func `nothing is written when nothing has changed`() throws {
    let client = try bench.client()
    let scene = scene(client)
    try client.hardSave()
    let atFirst = try client.revision()
    scene.state.project = "p"
    scene.state.project = nil
    try client.hardSave()
    #expect(try client.revision() == atFirst, "There and back again.")
    #expect(try client.storedScene() == nil, "A new window that shows the list has no row.")
    scene.state.project = "p"
    try client.hardSave()
    let saved = try client.revision()
    #expect(saved == atFirst + 1)
    try client.hardSave()
    #expect(try client.revision() == saved)
  }

  // R8.1
  @Test func `scrolling is stored 700 ms after it stops, and every 10 s while it goes on`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let opened: OpenedScene<eg.Route, eg.Sheet> = client.reader.openScene(
          eg.scene, version: 1, migrations: [])
        func scroll(_ number: Int) {
          var state = eg.State()
          state.scroll[list: "l"] = Double(number)
          _ = client.scenes.change(eg.scene, to: SceneContent(state), opening: opened.opening)
        }
        func stored() throws -> Double? { try client.storedScene()?.scroll[list: "l"] }
        scroll(1)
        try await bench.pass(.milliseconds(699))
        try #require(try stored() == nil)
        try await bench.pass(.milliseconds(2))
        try #require(try stored() == 1)
        for number in 1...99 {
          scroll(number)
          try await bench.pass(.milliseconds(100))
        }
        try #require(try stored() == 1)
        scroll(100)
        try await bench.pass(.milliseconds(200))
        let atCeiling = try #require(try stored())
        try #require(atCeiling >= 99)
      }
    }
  }

  // R8, S4
  @Test func `a place that cannot be stored is reported, tried again, and not lost`() throws {
    let client = try bench.client()
    let (first, second) = (scene(client, "1"), scene(client, "2"))
    first.state.project = "one"
    second.state.project = "two"
    bench.gate.fail()
    #expect { try client.hardSave() } throws: { ($0 as? ChatError)?.code == .storageFull }
    #expect(client.scenes.problem(of: "1")?.code == .storageFull)
    bench.gate.heal()
    try client.hardSave()
    #expect(client.scenes.problem(of: "1") == nil)
    let later = try bench.client()
    #expect(scene(later, "1").state.project == "one")
    #expect(scene(later, "2").state.project == "two")
  }

  // D4, R8
  @Test func `a draft that cannot be saved keeps no place from being saved, and the other way round`() throws
  {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.project = "p"
    client.drafts.edit(String(repeating: "x", count: Drafts.maximumBytes + 1), in: EngineExample.conversation)
    #expect { try client.hardSave() } throws: { ($0 as? ChatError)?.code == .draftTooLong }
    #expect(try client.storedScene()?.project == "p")
    client.drafts.edit("short", in: EngineExample.conversation)
    scene.state.project = String(repeating: "x", count: SceneCoding.maximumBytes)
    #expect { try client.hardSave() } throws: { ($0 as? ChatError)?.code == .sceneTooLarge }
    #expect(try client.drafts.stored(in: EngineExample.conversation) == ["short"])
    #expect(try client.storedScene()?.project == "p", "What was stored before is still there.")
    scene.state.project = "q"
    try client.hardSave()
    #expect(try client.storedScene()?.project == "q")
  }

  private enum Stubborn: Codable, Hashable {
    case it
    func encode(to encoder: any Encoder) throws { throw CancellationError() }
  }

  // R8
  @Test func `a window whose sheet cannot be encoded says so, and the others are stored`() throws {
    let client = try bench.client()
    let (stubborn, other) = (SceneModel<eg.Route, Stubborn>(client, "a"), scene(client, "b"))
    stubborn.state.sheet = .it
    other.state.project = "p"
    #expect { try client.hardSave() } throws: { ($0 as? ChatError)?.code == .sceneNotEncodable }
    #expect(client.scenes.problem(of: "a")?.code == .sceneNotEncodable)
    #expect(try client.storedScene("b")?.project == "p")
  }

  // R2.1
  @Test func `each window has its own place`() throws {
    let client = try bench.client()
    let (first, second) = (scene(client, "1"), scene(client, "2"))
    first.state = eg.full
    second.state.conversation = EngineExample.conversation
    second.state.columns = .all
    try client.hardSave()
    let later = try bench.client()
    #expect(scene(later, "1").state.columns == .detailOnly)
    #expect(scene(later, "2").state == eg.State(conversation: EngineExample.conversation, columns: .all))
    #expect(scene(later, "3").state == eg.State())
  }

  // R2
  @Test(arguments: ["", "a\u{0}b", "a\nb", String(repeating: "x", count: 256)])
  func `a window with an invalid ID works, reports it, and is not stored`(id: String) throws {
    let client = try bench.client()
    let atFirst = try client.revision()
    let scene = scene(client, SceneID(rawValue: id))
    #expect(scene.problem?.code == .malformedID)
    scene.state.project = "quixotic"
    #expect(scene.state.project == "quixotic")
    try client.hardSave()
    #expect(try bench.files(having: "quixotic").isEmpty)
    try client.closeScene(SceneID(rawValue: id))
    #expect(try client.revision() == atFirst)
  }

  // R2
  @Test func `of more than a hundred windows, those that changed longest ago are dropped`() throws {
    let client = try bench.client()
    let models = (0..<103).map { scene(client, SceneID(rawValue: "s\($0)")) }
    for (number, model) in models.enumerated() {
      model.state.project = "p\(number)"
      try client.hardSave()
      if number > 0 {
        models[0].state.scroll[list: "l"] = Double(number)
        try client.hardSave()
      }
    }
    let stored = try (0..<103).filter { try client.storedScene(SceneID(rawValue: "s\($0)")) != nil }
    #expect(stored.count == 100)
    #expect(try client.storedScene("s0")?.project == "p0", "It was changed all the time.")
    #expect(try client.storedScene("s3") == nil)
    #expect(try client.storedScene("s4")?.project == "p4")
  }

  // O15, R2.1, R2.2
  @Test func `two processes on one store keep their own windows`() async throws {
    let shared = SharedBench(bench)
    let app = try shared.client(shared.app, isSimulated: false)
    let other = try shared.client(shared.other, isSimulated: false)
    let (mine, theirs) = (scene(app, "app"), scene(other, "extension"))
    mine.state.project = "one"
    theirs.state.project = "two"
    try app.hardSave()
    try other.hardSave()
    mine.state.project = "three"
    try app.hardSave()
    await other.noticeOthers()
    try other.hardSave()
    for client in [app, other] {
      #expect(try client.storedScene("app")?.project == "three")
      #expect(try client.storedScene("extension")?.project == "two")
    }
    try other.closeScene("extension")
    try app.hardSave()
    #expect(try app.storedScene("app")?.project == "three")
    #expect(try app.storedScene("extension") == nil)
  }
}
