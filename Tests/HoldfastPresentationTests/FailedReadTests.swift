import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Failed reads are reported, everywhere (rule V5).
@Suite(.timeLimit(.minutes(10))) struct FailedReadTests {
  private func client() throws -> ChatClient {
    let client = try Bench().client()
    try client.send("hi", in: eg.conversation)
    return client
  }

  // V5.1, V5.2
  @Test func `a timeline and a list that cannot be read say so, and look neither empty nor missing`()
    async throws
  {
    let client = try client()
    try StoreSurgery.hideMessages(of: client)
    let timeline = await client.conversation(eg.conversation).timeline().first { _ in true }
    #expect(timeline?.problem?.code == .storageFailed)
    #expect(timeline?.note == nil)
    let list = await client.conversations().first { _ in true }
    #expect(list?.problem?.code == .storageFailed)
    #expect(list?.note == nil)
  }

  // V5.1
  @Test func `a timeline that can no longer be read keeps its rows, and recovers`() async throws {
    let client = try client()
    var seen: [(rows: Int, isFailed: Bool)] = []
    for await timeline in client.conversation(eg.conversation).timeline() {
      seen.append((timeline.rows.count, timeline.problem != nil))
      switch seen.count {
      case 1:
        try StoreSurgery.hideMessages(of: client)
        client.store.changes.publish(Changes(timelines: [eg.conversation.key]))
      case 2:
        try StoreSurgery.showMessages(of: client)
        client.store.changes.publish(Changes(timelines: [eg.conversation.key]))
      default: break
      }
      if seen.count == 3 { break }
    }
    #expect(seen.map(\.rows) == [1, 1, 1])
    #expect(seen.map(\.isFailed) == [false, true, false])
  }

  // V5.1
  @Test func `held messages and the outbox's health say that they could not be read`() async throws {
    let client = try client()
    try StoreSurgery.hideOutbox(of: client)
    #expect(await client.outbox.heldMessages().first { _ in true }?.problem?.code == .storageFailed)
    #expect(await client.outbox.healthChanges().first { _ in true }?.problem?.code == .storageFailed)
  }

  // V5.1
  @MainActor @Test func `a queue that cannot be counted keeps its last number in the banner`() async throws {
    let client = try client()
    _ = client.sharedStates.link.set(.offline)
    let model = ConnectionModel(client)
    await Shown.until({ model.banner?.text == "Offline - 1 message queued" }, while: model.run)
    #expect(model.problem == nil)
    await Shown.until({ model.problem != nil }) {
      async let running: Void = model.run()
      await Shown.hold { model.banner != nil }
      try? StoreSurgery.hideOutbox(of: client)
      client.store.changes.publish(Changes(outbox: true))
      await running
    }
    #expect(model.banner?.text == "Offline - 1 message queued")
  }

  // R5, V5.1
  @MainActor @Test func `a window that cannot look for its conversation says so, and stays where it is`()
    async throws
  {
    let client = try client()
    let scene = SceneModel<SceneExample.Route, SceneExample.Sheet>(client, "main")
    scene.state.conversation = eg.conversation
    try StoreSurgery.hideConversations(of: client)
    await Shown.until({ scene.problem != nil }, while: scene.run)
    #expect(scene.state.conversation == eg.conversation)
    #expect(scene.notice == nil)
  }

  // D16.3
  @MainActor @Test(arguments: ["gone", "folder", "pipe"])
  func `a file that cannot be attached has the documented sentence`(kind: String) async throws {
    let bench = try Bench(carriesAttachments: true)
    let client = try bench.client()
    let file = bench.scratch.url.appendingPathComponent("picked")
    switch kind {
    case "folder": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    case "pipe": #expect(mkfifo(file.path, 0o600) == 0)
    default: break
    }
    let composer = ComposerModel(client, eg.conversation)
    #expect(await composer.attach(file) == nil)
    #expect(composer.snapshot.problemCode == .attachmentUnreadable)
    #expect(composer.snapshot.problem == "The file is gone or cannot be read. Choose another one.")
  }
}
