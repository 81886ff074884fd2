import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = SceneExample

/// Windows whose stored state could not be read when they were opened, and windows whose conversation is gone.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LateSceneTests {
  private let bench: Bench
  private let conversation = EngineExample.conversation

  init() throws { bench = try Bench() }

  private func scene(_ client: ChatClient) -> SceneModel<eg.Route, eg.Sheet> { SceneModel(client, eg.scene) }

  /// Stores a window as an earlier launch left it.
  private func leave(_ state: eg.State) throws {
    let client = try bench.client()
    try client.createConversation("trip")
    scene(client).state = state
    try client.hardSave()
  }

  /// Deletes a conversation, and lets the time for Undo pass.
  private func erase(_ id: ConversationID) throws {
    let bench = bench
    let result = try bench.scheduler.run { () -> Result<Void, any Error> in
      do {
        try await bench.running { client in
          try await client.conversation(id).delete()
          try await bench.pass(.seconds(60))
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  // R1.4
  @Test func `a window that is opened while the store is suspended loses nothing of its stored state`()
    async throws
  {
    try leave(eg.full)
    let client = try bench.client()
    try await client.suspend()
    let scene = scene(client)
    #expect(scene.problem?.code == .suspended)
    #expect(scene.state == eg.State(), "Nothing is known of it.")
    scene.state.scroll[list: "other"] = 7
    #expect(throws: ChatError.suspended) { try client.hardSave() }

    try await client.resume()
    try client.hardSave()
    var expected = eg.full
    expected.scroll[list: "other"] = 7
    #expect(try client.storedScene() == expected)
  }

  // R1.4, R4.1
  @Test func `what was done meanwhile is joined with the stored state, and the sheet waits for its models`()
    async throws
  {
    try leave(eg.full)
    let client = try bench.client()
    try await client.suspend()
    let scene = scene(client)
    scene.resolve(sheet: { $0 == .info("m7") ? .info("m8") : nil })
    scene.state.columns = .all
    try await client.resume()
    try client.hardSave()
    await Shown.until({ scene.state.conversation != nil }, while: scene.run)
    var expected = eg.full
    (expected.columns, expected.sheet) = (.all, .info("m8"))
    #expect(scene.state == expected)
    #expect(scene.problem == nil)
    try client.hardSave()
    #expect(try client.storedScene() == expected)
  }

  // R1.4
  @Test func `a user who has gone elsewhere meanwhile stays there`() async throws {
    try leave(eg.full)
    let client = try bench.client()
    try client.createConversation("elsewhere")
    try await client.suspend()
    let scene = scene(client)
    scene.state.path = [.file("b")]
    try await client.resume()
    try client.hardSave()
    // The window does not know of the load yet.
    scene.state.path = [.file("c")]
    await Shown.until({ scene.state.scroll[list: "projects"] != nil }, while: scene.run)
    #expect(scene.state.path == [.file("c")])
    #expect(scene.state.conversation == nil)
    #expect(scene.state.scroll == eg.full.scroll)
    try client.hardSave()
    #expect(try client.storedScene()?.path == [.file("c")])
  }

  // R1.4, R8
  @Test func `the stored state is read by itself once the store can be read, and is not replaced before`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        PlainScene(client, eg.scene).go(to: "stored")
        try client.hardSave()
      }
      try await bench.running { client in
        try StoreSurgery.hideScenes(of: client)
        let scene = PlainScene(client, eg.scene)
        #expect(scene.restored == nil)
        scene.go(to: "elsewhere")
        try await bench.pass(.seconds(20))
        try StoreSurgery.showScenes(of: client)
        try await bench.pass(.seconds(60))
        #expect(try client.storedPath() == ["elsewhere"])
      }
      try await bench.running { client in
        try StoreSurgery.hideScenes(of: client)
        _ = PlainScene(client, eg.scene)
        try await bench.pass(.seconds(20))
        try StoreSurgery.showScenes(of: client)
        try await bench.pass(.seconds(60))
        #expect(PlainScene(client, eg.scene).restored == "elsewhere")
      }
    }
  }

  // R5.1, R5.3
  @Test
  func `a window says so however long ago its conversation was erased, and keeps nothing that stood over it`()
    throws
  {
    var left = eg.full
    left.conversation = "trip"
    try leave(left)
    try erase("trip")
    let client = try bench.client()
    let scene = scene(client)
    #expect(scene.notice?.kind == .conversationNotFound)
    #expect(scene.state.conversation == nil)
    #expect(scene.state.path.isEmpty)
    scene.resolve(sheet: { $0 })
    #expect(scene.state.sheet == nil)
    #expect(scene.state.project == "p-1", "The project is still there.")
    #expect(scene.state.scroll[list: "projects"] == 320)

    let again = self.scene(try bench.client())
    #expect(again.notice == nil, "It was shown once.")
  }

  // H5.5
  @Test func `a window with another conversation forgets the scroll position of a deleted one`() async throws
  {
    let client = try bench.client()
    try client.createConversation("shown")
    try client.createConversation("trip")
    let scene = scene(client)
    scene.state.conversation = "shown"
    scene.state.scroll[timeline: "trip"] = ScrollPositions.Anchor(message: "m1", offset: 0.5)
    try client.hardSave()
    #expect(try client.storedScene()?.scroll[timeline: "trip"] != nil)
    try erase("trip")
    // The window does not follow the store, and writes its own state.
    scene.state.columns = .all
    try client.hardSave()
    #expect(try client.storedScene()?.scroll[timeline: "trip"] == nil)
    #expect(try client.storedScene()?.columns == .all)
  }

  // H5.5
  @Test func `an open window forgets the scroll position at once`() async throws {
    let client = try bench.client()
    try client.createConversation("shown")
    let scene = scene(client)
    scene.state.conversation = "shown"
    scene.state.scroll[timeline: conversation] = ScrollPositions.Anchor(message: "m1", offset: 0.5)
    try await client.conversation(conversation).delete()
    await Shown.until({ scene.state.scroll[timeline: conversation] == nil }, while: scene.run)
    #expect(scene.state.conversation == "shown")
  }
}

extension ChatClient {
  fileprivate nonisolated func storedPath() throws -> [String]? {
    try storedRow()?.state.map { try JSONDecoder().decode(SceneState<String, String>.self, from: $0).path }
  }
}
