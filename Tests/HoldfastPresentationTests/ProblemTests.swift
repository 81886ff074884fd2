import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Models whose store cannot be read (rule V5).
@MainActor @Suite(.timeLimit(.minutes(10))) struct ProblemTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  // A4.1, V5.1, V5.2
  @Test func `a timeline that cannot be read says so, and does not look empty or deleted`() throws {
    let client = try bench.client()
    try client.send("hello", in: eg.conversation)
    try StoreSurgery.hideMessages(of: client)
    let model = ConversationModel(client, eg.conversation)
    #expect(model.problem?.code.isStorage == true)
    #expect(model.problem?.localizedDescription == model.problem?.message)
    #expect(model.snapshot.exists)
    model.reload()
    #expect(model.problem != nil)
    try StoreSurgery.showMessages(of: client)
    model.reload()
    #expect(model.problem == nil)
    #expect(model.snapshot.rows.map(\.text) == ["hello"])
  }

  // V5.1
  @Test func `a timeline keeps its rows while it cannot be read, and follows once it can`() async throws {
    let client = try bench.client()
    try client.send("hello", in: eg.conversation)
    let model = ConversationModel(client, eg.conversation)
    #expect(model.problem == nil)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await model.run() }
      try? StoreSurgery.hideMessages(of: client)
      client.store.changes.publish(Changes(timelines: [eg.conversation.key]))
      await Shown.hold { model.problem != nil }
      #expect(model.snapshot.rows.map(\.text) == ["hello"])
      try? StoreSurgery.showMessages(of: client)
      client.store.changes.publish(Changes(timelines: [eg.conversation.key]))
      await Shown.hold { model.problem == nil }
      group.cancelAll()
    }
    #expect(model.snapshot.rows.map(\.text) == ["hello"])
  }

  // V5.1, V5.2
  @Test func `a list that cannot be read says so`() throws {
    let client = try bench.client()
    try StoreSurgery.hideMessages(of: client)
    let model = ConversationListModel(client)
    #expect(model.problem?.code.isStorage == true)
    try StoreSurgery.showMessages(of: client)
    model.reload()
    #expect(model.problem == nil)
    #expect(model.snapshot.rows.map(\.id) == [eg.conversation])
  }

  @Test func `a list shows 200 conversations, and more on demand`() throws {
    let client = try bench.client()
    for number in 0..<450 { try client.createConversation(ConversationID(rawValue: "n\(number)")) }
    let model = ConversationListModel(client)
    #expect(model.snapshot.rows.count == 200)
    for expected in [400, 451, 451] {
      model.loadMore()
      #expect(model.snapshot.rows.count == expected)
      #expect(model.snapshot.hasMore == (expected < 451))
    }
  }
}
