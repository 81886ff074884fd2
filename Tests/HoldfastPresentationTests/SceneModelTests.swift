import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = SceneExample

/// A window as its view uses it.
@MainActor @Suite(.timeLimit(.minutes(10))) struct SceneModelTests {
  private let bench: Bench
  private let conversation = EngineExample.conversation

  init() throws { bench = try Bench() }

  private func scene(_ client: ChatClient, _ id: SceneID = eg.scene) -> SceneModel<eg.Route, eg.Sheet> {
    SceneModel(client, id)
  }

  /// Stores a window as an earlier launch left it.
  private func leave(_ state: eg.State, _ prepare: (ChatClient) throws -> Void = { _ in }) throws {
    let client = try bench.client()
    try prepare(client)
    scene(client).state = state
    try client.hardSave()
  }

  // D8.1, R1.1, R3.1, U15
  @Test func `one read at relaunch gives the place, the draft and the rows around the line`() throws {
    var left = eg.State(conversation: conversation)
    left.scroll[timeline: conversation] = ScrollPositions.Anchor(message: "m100", offset: 0.5)
    try leave(left) { client in
      try client.takeIn(orders: 1...400)
      client.drafts.edit("half a thought", in: conversation)
    }

    let client = try bench.client()
    let scene = scene(client)
    // Changes that are written after this are not in the first frame.
    let other = try bench.client()
    try other.takeIn(
      (1...400).map {
        EngineExample.incoming(MessageID(rawValue: "m\($0)"), "later", order: Int64($0), revision: 1)
      })
    other.drafts.edit("later", in: conversation)
    try other.hardSave()
    let (timeline, composer) = try #require(scene.openedConversation())
    #expect(timeline.snapshot.rows.map(\.id) == (50...200).map { MessageID(rawValue: "m\($0)") })
    #expect(timeline.snapshot.rows.allSatisfy { $0.text == "hi" })
    #expect(composer.snapshot.text == "half a thought")
    #expect(composer.snapshot.banner?.kind == .recovered)
    #expect(scene.state == left)
    // The second call reads the place from the store.
    let again = try #require(scene.openedConversation())
    #expect(again.timeline.snapshot.rows.first?.text == "later")
  }

  // R4.1, R4.2
  @Test func `a sheet waits for the app's models, and what no longer resolves is dropped quietly`() throws {
    try leave(eg.State(sheet: .info("m1")))
    do {
      let client = try bench.client()
      let scene = scene(client)
      #expect(scene.state.sheet == nil)
      // The end of the process between the two steps loses nothing.
      scene.state.scroll[list: "l"] = 1
      try client.hardSave()
      #expect(try client.storedScene()?.sheet == .info("m1"))
    }
    do {
      let client = try bench.client()
      let scene = scene(client)
      scene.resolve(sheet: { $0 == .info("m1") ? .info("m2") : nil })
      #expect(scene.state.sheet == .info("m2"), "As the resolver has built it.")
      try client.hardSave()
    }
    let client = try bench.client()
    let scene = scene(client)
    scene.resolve(sheet: { _ in nil })
    #expect(scene.state.sheet == nil)
    #expect(scene.notice == nil)
    #expect(scene.problem == nil)
    try client.hardSave()
    #expect(try client.storedScene()?.sheet == nil)
  }

  // R4.1
  @Test func `a user who went on meanwhile is not interrupted by the sheet of the earlier place`() throws {
    try leave(eg.State(sheet: .settings))
    for change in [
      { (state: inout eg.State) in state.path = [.members] }, { $0.project = "p" }, { $0.conversation = "c" },
    ] {
      let scene = scene(try bench.client())
      change(&scene.state)
      scene.resolve(sheet: { $0 })
      #expect(scene.state.sheet == nil)
    }
    let other = scene(try bench.client())
    other.state.sheet = .info("m")
    other.state.sheet = nil
    other.resolve(sheet: { $0 })
    #expect(other.state.sheet == nil, "Another one was opened and closed.")
    let stayed = scene(try bench.client())
    stayed.state.scroll[list: "l"] = 3
    stayed.resolve(sheet: { $0 })
    #expect(stayed.state.sheet == .settings)
  }

  // R5.1, U16
  @Test func `a conversation that was deleted meanwhile says so and gives the list`() async throws {
    try leave(eg.full)
    let client = try bench.client()
    try await client.conversation(conversation).delete()
    let scene = scene(client)
    #expect(scene.notice?.kind == .conversationNotFound)
    #expect(scene.notice?.text == "Conversation not found")
    #expect(scene.state.conversation == nil)
    #expect(scene.state.path == [])
    #expect(scene.state.project == "p-1", "Its project is the app's to ask about.")
    #expect(scene.state.scroll[timeline: conversation] == nil)
    #expect(scene.openedConversation() == nil)
    scene.resolve(sheet: { $0 })
    #expect(scene.state.sheet == nil, "It lay over the conversation.")
    scene.dismissNotice()
    #expect(scene.notice == nil)
    try client.hardSave()
    #expect(try client.storedScene()?.conversation == nil)
  }

  // R5.1, U16
  @Test func `a conversation that is deleted while it is open says so and gives the list`() async throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.conversation = conversation
    scene.state.path = [.members]
    await Shown.until({ scene.notice?.kind == .conversationNotFound }) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await scene.run() }
        group.addTask { try? await client.conversation(EngineExample.conversation).delete() }
        await group.waitForAll()
      }
    }
    #expect(scene.state.conversation == nil)
    #expect(scene.state.path == [])
  }

  private func lookAround(_ client: ChatClient, _ scene: SceneModel<eg.Route, eg.Sheet>) async {
    _ = try? client.createConversation("other")
    for _ in 0..<50 { await Task.yield() }
    scene.state.project = "seen"
  }

  // R5
  @Test func `a conversation that the app is about to make is not gone`() async throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.conversation = "new"
    await Shown.until({ scene.state.project == "seen" }) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await scene.run() }
        group.addTask { await self.lookAround(client, scene) }
        await group.waitForAll()
      }
    }
    #expect(scene.notice == nil)
    #expect(scene.state.conversation == "new")
  }

  // R5.2
  @Test func `the selection of a project that is gone is cleared, and that of one that is there is not`()
    throws
  {
    try leave(eg.full)
    let client = try bench.client()
    let scene = scene(client)
    scene.resolve(project: { $0 == "p-1" }, sheet: { $0 })
    #expect(scene.state.project == "p-1")
    #expect(scene.state.conversation == conversation)
    #expect(scene.state.sheet == .info("m7"))
    scene.resolve(project: { _ in false }, sheet: { $0 })
    #expect(scene.state.project == nil)
    #expect(scene.state.conversation == nil)
    #expect(scene.state.path == [])
    #expect(scene.state.sheet == nil)
    #expect(scene.notice == nil)
  }

  // R4
  @Test func `a path ends before a missing place`() throws {
    try leave(eg.full)
    let scene = scene(try bench.client())
    scene.resolve(route: { $0 == .members ? $0 : nil }, sheet: { $0 })
    #expect(scene.state.path == [.members])
  }

  // D15.3, R5
  @Test func `a conversation that was renamed meanwhile is open under its new ID`() async throws {
    var left = eg.full
    left.conversation = conversation
    try leave(left)
    do {
      let client = try bench.client()
      try await client.conversation(conversation).replaceID(with: "server-7")
    }
    let client = try bench.client()
    let scene = scene(client)
    #expect(scene.notice == nil)
    #expect(scene.state.conversation == "server-7")
    #expect(scene.state.scroll[timeline: "server-7"]?.message == "m7")
    await Shown.until({ scene.state.conversation == "server-8" }) {
      try? await client.conversation("server-7").replaceID(with: "server-8")
      await scene.run()
    }
    #expect(scene.state.path == [.members, .file("a")])
    #expect(scene.state.scroll[timeline: "server-8"]?.message == "m7")
    scene.resolve(sheet: { $0 })
    #expect(scene.state.sheet == .info("m7"), "It is the same place.")
  }

  // R5.1, R7.2
  @Test func `a link opens its place, and one to nothing says so and makes nothing`() throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.sheet = .settings
    scene.state.path = [.members]
    scene.open(SceneActivity(title: "t", project: "p", conversation: conversation))
    #expect(scene.state == eg.State(project: "p", conversation: conversation))
    #expect(scene.notice == nil)
    scene.open(SceneActivity(conversation: "nowhere"))
    #expect(scene.notice?.kind == .conversationNotFound)
    #expect(scene.state.conversation == nil)
    #expect(ConversationListModel(client).snapshot.rows.map(\.id) == [conversation])
  }

  // S4.1, S4.3
  @Test func `a disk that is full is reported, and the window goes on`() async throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state.project = "p"
    bench.gate.fail()
    await Shown.until({ scene.problem?.code == .storageFull }) {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await scene.run() }
        group.addTask { try? client.hardSave() }
        await group.waitForAll()
      }
    }
    bench.gate.heal()
    try client.hardSave()
    scene.dismissNotice()
    #expect(scene.problem == nil)
    #expect(scene.state.project == "p")
  }

  @Test func `two models of one window have one place`() throws {
    let client = try bench.client()
    let scene = scene(client)
    scene.state = eg.full
    // SwiftUI makes models that it never uses.
    let other = self.scene(client)
    other.resolve(sheet: { $0 })
    #expect(other.state == eg.full)
    try client.hardSave()
    #expect(try client.storedScene() == eg.full)
  }
}
