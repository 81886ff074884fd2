import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = SceneExample

@MainActor @Suite(.timeLimit(.minutes(10))) struct ClearingTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func scene(_ client: ChatClient, _ id: SceneID = eg.scene) -> SceneModel<eg.Route, eg.Sheet> {
    SceneModel(client, id)
  }

  private func bytes(contain text: String) throws -> Bool {
    let names = try #require(FileManager.default.subpaths(atPath: bench.scratch.url.path))
    return names.contains { name in
      (try? bench.scratch.bytes(of: name))?.firstRange(of: Data(text.utf8)) != nil
    }
  }

  // R2.2
  @Test func `a window that is closed for good is gone, and what its view still says brings nothing back`()
    throws
  {
    let client = try bench.client()
    let (closed, other) = (scene(client, "closed"), scene(client, "other"))
    closed.state.project = "one"
    other.state.project = "two"
    try client.hardSave()
    closed.state.project = "unsaved"
    try client.closeScene("closed")
    closed.state.project = "late"
    try client.hardSave()
    #expect(try client.storedScene("closed") == nil)
    #expect(try client.storedScene("other")?.project == "two")
    #expect(scene(client, "closed").state == eg.State(), "A new one with the ID starts anew.")
  }

  // R2, S4
  @Test func `a window that cannot be closed is there still`() throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.project = "one"
    try client.hardSave()
    bench.gate.fail()
    #expect { try client.closeScene(eg.scene) } throws: { ($0 as? ChatError)?.code == .storageFull }
    bench.gate.heal()
    scene.state.project = "two"
    try client.hardSave()
    #expect(try client.storedScene()?.project == "two")
  }

  // R9.1
  @Test func `clearing forgets which conversation was on the screen`() throws {
    let client = try bench.client()
    try client.setActiveConversation(EngineExample.conversation)
    try client.resetWindowsAndDrafts()
    #expect(try client.activeConversation() == nil)
    #expect(try client.reader.list(limit: 10).rows.map(\.id) == [EngineExample.conversation])
  }

  // H5.3
  @Test func `an erased conversation leaves the stored windows, and nothing else of them changes`() throws {
    let store = try bench.store()
    var state = eg.State(project: "p", conversation: "gone")
    state.scroll[timeline: "gone"] = ScrollPositions.Anchor(message: "m", offset: 0.25)
    state.scroll[timeline: "stays"] = ScrollPositions.Anchor(message: "n", offset: 0.5)
    state.scroll[list: "projects"] = 320.5
    var other = state
    other.conversation = "stays"
    try store.write { transaction in
      for id in ["gone", "stays"] as [ConversationID] {
        try transaction.conversations.create(id.key, title: nil, members: [], now: EngineExample.date)
      }
      try transaction.scenes.save(
        "one", version: 1, state: SceneCoding.encode(state), now: EngineExample.date)
      try transaction.scenes.save(
        "two", version: 1, state: SceneCoding.encode(other), now: EngineExample.date)
      try transaction.scenes.save("damaged", version: 1, state: Data("{".utf8), now: EngineExample.date)
      try transaction.deletions.hide("gone", isFinal: true)
      _ = try transaction.deletions.eraseSome(of: "gone", limit: 10)
    }
    func stored(_ id: SceneID) throws -> eg.State {
      let scene = try #require(try store.read { try $0.scenes.stored(id) })
      return try SceneCoding.decode(scene, version: 1, migrations: [])
    }
    for (scene, selected) in [("one", nil), ("two", "stays")] as [(SceneID, ConversationID?)] {
      let state = try stored(scene)
      #expect((state.project, state.conversation) == ("p", selected))
      #expect(state.scroll[timeline: "gone"] == nil)
      #expect(state.scroll[timeline: "stays"] == ScrollPositions.Anchor(message: "n", offset: 0.5))
      #expect(state.scroll[list: "projects"] == 320.5)
    }
    #expect(try store.read { try $0.scenes.stored("damaged") }?.state == Data("{".utf8))
  }

  // R9.1, R9.2, S9.1
  @Test func `clearing leaves no trace of places and drafts, in memory or in the bytes of the files`() throws
  {
    let client = try bench.client()
    let scene = scene(client)
    let composer = ComposerModel(client, EngineExample.conversation)
    scene.state.project = "PLACE-7f31"
    composer.edit("DRAFT-52c9 " + String(repeating: "and a long letter ", count: 30))
    composer.hardSave()
    composer.edit("x")
    try client.hardSave()
    composer.edit("UNSAVED-11aa")
    scene.state.project = "PLACE-unsaved"
    let sent = try client.send("MESSAGE-stays", in: EngineExample.conversation)
    let before = try client.drafts.storedWithVersions(in: EngineExample.conversation)
    #expect(before.contains { $0.hasPrefix("DRAFT-52c9") })
    #expect(try bytes(contain: "PLACE-7f31"))

    try client.resetWindowsAndDrafts()

    for text in ["PLACE-7f31", "DRAFT-52c9", "UNSAVED-11aa", "PLACE-unsaved"] {
      #expect(try !bytes(contain: text), "\(text)")
    }
    #expect(client.drafts.text(in: EngineExample.conversation) == "")
    #expect(try client.drafts.storedWithVersions(in: EngineExample.conversation) == [])
    #expect(try client.rows().map(\.id) == [sent], "Messages stay.")
    composer.hardSave()
    try client.hardSave()
    #expect(try client.storedScene() == nil)
    #expect(try client.drafts.stored(in: EngineExample.conversation) == [])
  }

  // R9.1
  @Test func `a window that is open while all is cleared starts anew, and is stored again`() throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state = eg.full
    try client.hardSave()
    try client.resetWindowsAndDrafts()
    // The view does not know of the change yet, and scrolls.
    scene.state.scroll[list: "projects"] = 400
    #expect(scene.state == eg.State())
    scene.state.project = "new"
    try client.hardSave()
    #expect(try client.storedScene() == eg.State(project: "new"))
  }

  // R9.1
  @Test func `a window follows when all is cleared`() async throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.project = "p"
    await Shown.until({ scene.state.project == nil }) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await scene.run() }
        group.addTask { try? client.resetWindowsAndDrafts() }
        await group.waitForAll()
      }
    }
    #expect(scene.state == eg.State())
  }

  // D10, R9.2
  @Test func `a draft that was discarded before all was cleared cannot be brought back`() throws {
    let client = try bench.client()
    let composer = ComposerModel(client, EngineExample.conversation)
    composer.edit("discarded")
    composer.discard()
    #expect(composer.snapshot.banner?.kind == .discarded)
    try client.resetWindowsAndDrafts()
    composer.undoDiscard()
    #expect(client.drafts.text(in: EngineExample.conversation) == "")
  }

  // D16.5, R9.2, S9.4
  @Test func `the files of drafts go too`() async throws {
    let bench = try Bench(carriesAttachments: true)
    let client = try bench.client()
    let file = bench.scratch.url.appendingPathComponent("picked.txt")
    try Data("FILE-90ab".utf8).write(to: file)
    let composer = ComposerModel(client, EngineExample.conversation)
    #expect(await composer.attach(file) != nil)
    try FileManager.default.removeItem(at: file)
    try client.resetWindowsAndDrafts()
    let names = try #require(FileManager.default.subpaths(atPath: bench.scratch.url.path))
    for name in names {
      let bytes = try? bench.scratch.bytes(of: name)
      #expect(bytes?.firstRange(of: Data("FILE-90ab".utf8)) == nil, "\(name)")
    }
  }

  // R9, S4
  @Test func `a place that cannot be cleared is still there`() throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.project = "p"
    client.drafts.edit("typed", in: EngineExample.conversation)
    try client.hardSave()
    bench.gate.fail()
    #expect { try client.resetWindowsAndDrafts() } throws: { ($0 as? ChatError)?.code == .storageFull }
    bench.gate.heal()
    #expect(scene.state.project == "p")
    #expect(client.drafts.text(in: EngineExample.conversation) == "typed")
    #expect(try client.storedScene()?.project == "p")
  }
}
