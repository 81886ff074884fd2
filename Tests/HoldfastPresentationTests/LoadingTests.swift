import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Models before and after their first read (rule H7).
@MainActor @Suite(.timeLimit(.minutes(10))) struct LoadingTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// The state of a timeline, determined as the documentation of ``ConversationModel`` describes.
  private enum Look: Equatable {
    case loading, failed, note(String), rows(Int)

    @MainActor init(_ model: ConversationModel) {
      if model.isLoading {
        self = .loading
      } else if model.problem != nil {
        self = .failed
      } else if let note = model.snapshot.note {
        self = .note(note)
      } else {
        self = .rows(model.snapshot.rows.count)
      }
    }

    @MainActor init(_ model: ConversationListModel) {
      if model.isLoading {
        self = .loading
      } else if model.problem != nil {
        self = .failed
      } else if let note = model.snapshot.note {
        self = .note(note)
      } else {
        self = .rows(model.snapshot.rows.count)
      }
    }
  }

  // H7.4, H7.5, V5.2
  @Test func `a timeline loads, and is then full, empty, missing or failed`() async throws {
    let client = try bench.client()
    try client.createConversation("full")
    try client.send("hi", in: "full")
    let models = ["full", eg.conversation, "nowhere"].map { ConversationModel(client, $0) }
    #expect(models.map(Look.init) == [.loading, .loading, .loading])
    for model in models { await Shown.until({ !model.isLoading }, while: model.run) }
    #expect(models.map(Look.init) == [.rows(1), .note("No messages yet"), .note("Conversation not found")])
    let failing = ConversationModel(client, "full")
    try StoreSurgery.hideMessages(of: client)
    await Shown.until({ !failing.isLoading }, while: failing.run)
    #expect(Look(failing) == .failed)
    #expect(failing.snapshot.note == nil, "Nobody knows whether it is empty.")
  }

  // H7.4, H7.5, V5.2
  @Test func `a list loads, and is then full, empty or failed`() async throws {
    let client = try bench.client()
    let full = ConversationListModel(client)
    #expect(Look(full) == .loading)
    await Shown.until({ !full.isLoading }, while: full.run)
    #expect(Look(full) == .rows(1))
    try await client.conversation(eg.conversation).delete()
    let empty = ConversationListModel(client)
    await Shown.until({ !empty.isLoading }, while: empty.run)
    #expect(Look(empty) == .note("No conversations yet"))
    let failing = ConversationListModel(client)
    try StoreSurgery.hideMessages(of: client)
    await Shown.until({ !failing.isLoading }, while: failing.run)
    #expect(Look(failing) == .failed)
    #expect(failing.snapshot.note == nil)
  }

  // H7
  @Test func `a model that nobody looks at reads nothing`() throws {
    let client = try bench.client()
    try StoreSurgery.hideMessages(of: client)
    let (timeline, list) = (ConversationModel(client, eg.conversation), ConversationListModel(client))
    try StoreSurgery.showMessages(of: client)
    #expect(timeline.isLoading && list.isLoading)
    #expect(timeline.problem == nil && list.problem == nil, "The reads would have failed.")
  }

  // H7.4
  @Test func `a view that looks at once has the rows in its first frame`() throws {
    let client = try bench.client()
    try client.send("hi", in: eg.conversation)
    let (timeline, list) = (ConversationModel(client, eg.conversation), ConversationListModel(client))
    #expect(timeline.snapshot.rows.count == 1 && !timeline.isLoading)
    #expect(list.snapshot.rows.count == 1 && !list.isLoading)
  }

  // H7.4
  @Test func `a model that has loaded, or failed to, never loads again`() throws {
    let client = try bench.client()
    try client.takeIn(orders: 1...150)
    let timeline = ConversationModel(client, eg.conversation)
    try StoreSurgery.hideMessages(of: client)
    timeline.reload()
    #expect(timeline.problem != nil && !timeline.isLoading)
    try StoreSurgery.showMessages(of: client)
    timeline.reload()
    #expect(timeline.snapshot.rows.count == 100 && !timeline.isLoading)
    timeline.loadOlder()
    #expect(timeline.snapshot.rows.count == 150 && !timeline.isLoading)
  }

  // H7.4
  @Test func `a view that sees the skeleton and the title in one pass is notified when the rows are there`()
    async throws
  {
    let client = try bench.client()
    try client.send("hi", in: eg.conversation)
    let (timeline, list) = (ConversationModel(client, eg.conversation), ConversationListModel(client))
    await Shown.until(
      {
        let isLoading = timeline.isLoading
        return timeline.snapshot.title == "bob" && !isLoading
      }, while: timeline.run)
    await Shown.until(
      {
        let isLoading = list.isLoading
        return list.snapshot.rows.count == 1 && !isLoading
      }, while: list.run)
  }

  // H7.4
  @Test func `the conversation that a window restores does not load`() throws {
    let client = try bench.client()
    let scene = SceneModel<SceneExample.Route, SceneExample.Sheet>(client, "main")
    scene.state.conversation = eg.conversation
    try client.hardSave()
    let again = SceneModel<SceneExample.Route, SceneExample.Sheet>(try bench.client(), "main")
    let opened = try #require(again.openedConversation())
    #expect(!opened.timeline.isLoading)
    #expect(opened.timeline.snapshot.title == "bob")
  }

  // H7.4, H7.5
  @Test func `a search loads until its first results, and not before or after`() async throws {
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: bench.transport, user: eg.user)
    try client.createConversation(eg.conversation)
    try client.send("hello", in: eg.conversation)
    let model = SearchModel(client)
    #expect(!model.isLoading, "Nothing is sought.")
    model.search("hel")
    #expect(model.isLoading && model.snapshot.note == nil)
    model.search(" ")
    #expect(!model.isLoading)
    model.search("hel")
    await Shown.until({ !model.isLoading }, while: model.run)
    #expect(model.snapshot.hits.count == 1 && model.snapshot.note == nil)
    model.search("zeppelin ")
    #expect(!model.isLoading && model.snapshot.hits.count == 1)
    await Shown.until({ model.snapshot.state == .found }, while: model.run)
    #expect(model.snapshot.note == "Nothing found for “zeppelin”")
    let failing = SearchModel(client)
    failing.search("hello")
    try await client.suspend()
    await Shown.until({ !failing.isLoading }, while: failing.run)
    #expect(failing.problem != nil && failing.snapshot.note == nil)
  }

  // H7.4, H7.5, V5.1
  @Test func `an explanation loads until its first answer, or its problem`() async throws {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    let model = ExplanationModel(client)
    #expect(!model.isLoading, "No message is chosen.")
    model.show(id)
    #expect(model.isLoading)
    await Shown.until({ !model.isLoading }, while: model.run)
    #expect(model.explanation?.code == .notRunning && model.problem == nil)
    try StoreSurgery.hideMessages(of: client)
    model.show("other")
    #expect(model.isLoading && model.explanation == nil)
    await Shown.until({ !model.isLoading }, while: model.run)
    #expect(model.problem != nil && model.explanation == nil)
    try StoreSurgery.showMessages(of: client)
    await Shown.until({ model.problem == nil }, while: model.run)
    #expect(model.explanation?.code == .unknown && !model.isLoading)
  }
}
