import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite struct ConversationNamesTests {
  private let bench: Bench
  private let new: ConversationID = "server-17"

  init() throws { bench = try Bench() }

  private func texts(_ client: ChatClient, _ conversation: ConversationID) throws -> [String] {
    try client.reader.conversation(conversation, limit: 100).rows.map(\.text)
  }

  private func listed(_ client: ChatClient) throws -> [ConversationID] {
    try client.reader.list(limit: 10).rows.map(\.id)
  }

  // D15
  @Test func `another name for a conversation of 50,000 messages writes fewer than ten rows`() async throws {
    let client = try bench.client()
    try client.conversation(eg.conversation).store(
      contentsOf: (1...50_000).map {
        FinishedMessage(
          id: MessageID(rawValue: "m\($0)"), sender: eg.other, content: MessageContent("\($0)"),
          createdAt: eg.date)
      })
    let before = try client.store.write { $0.database.totalChangesCount }
    try await client.conversation(eg.conversation).replaceID(with: new)
    let rows = try client.store.write { $0.database.totalChangesCount } - before
    #expect((1..<10).contains(rows), "\(rows) rows")
    #expect(try client.reader.list(limit: 1).rows.map(\.id) == [new])
    #expect(try client.conversation(new).deletionQuestion().messages == 50_000)
  }

  // D15.1
  @Test func `a name that another conversation had before means the one that has it now`() async throws {
    let client = try bench.client()
    try client.send("first", in: eg.conversation)
    client.drafts.edit("draft of the first", in: eg.conversation)
    try client.hardSave()
    try await client.conversation(eg.conversation).replaceID(with: new)
    try client.createConversation("other")
    try client.send("second", in: "other")
    try await client.conversation("other").replaceID(with: eg.conversation)
    for client in [client, try bench.client()] {
      #expect(try texts(client, new) == ["first"])
      #expect(try texts(client, eg.conversation) == ["second"])
      #expect(try texts(client, "other") == ["second"])
      #expect(try listed(client) == [eg.conversation, new])
      #expect(client.drafts.text(in: new) == "draft of the first")
      #expect(client.drafts.text(in: eg.conversation) == "")
    }
    try client.takeIn(eg.incoming("m1", in: eg.conversation, "third", order: 1))
    #expect(try Set(texts(client, eg.conversation)) == ["second", "third"])
    #expect(try texts(client, new) == ["first"])
  }

  // D15.1
  @Test func `a conversation whose first name is taken can become part of another one`() async throws {
    let client = try bench.client()
    try client.send("first", in: eg.conversation)
    try await client.conversation(eg.conversation).replaceID(with: new)
    try client.createConversation("other")
    try await client.conversation("other").replaceID(with: eg.conversation)
    client.drafts.edit("typed", in: new)
    try client.createConversation("whole")
    try await client.conversation(new).replaceID(with: "whole")
    for client in [client, try bench.client()] {
      #expect(try texts(client, "whole") == ["first"])
      #expect(try texts(client, new) == ["first"])
      #expect(try texts(client, eg.conversation) == [])
      #expect(Set(try listed(client)) == ["whole", eg.conversation])
    }
    try client.hardSave()
    #expect(try client.drafts.stored(in: "whole") == ["typed"])
    #expect(client.drafts.text(in: eg.conversation) == "")
  }

  // D15, H5.2
  @Test(arguments: [false, true])
  func `what was erased does not come back under any name`(isMadeAnew: Bool) async throws {
    let client = try bench.client()
    try await client.conversation(eg.conversation).replaceID(with: new)
    try client.takeIn(eg.incoming("m1", in: new, "old", order: 5))
    try client.store.write { transaction in
      let key = transaction.key(of: new)
      try transaction.deletions.hide(key, isFinal: true)
      while try transaction.deletions.eraseSome(of: key, limit: 100) {}
    }
    for name in [new, eg.conversation] {
      if isMadeAnew { try client.createConversation(name) }
      try client.takeIn(eg.incoming("m1", in: name, "old", order: 5))
      #expect(try texts(client, name) == [])
    }
    try client.takeIn(eg.incoming("m2", in: new, "young", order: 6))
    #expect(try texts(client, new) == ["young"])
    #expect(try texts(client, eg.conversation) == ["young"])
    #expect(try listed(client) == [new])
  }

  // D15, H5.2
  @Test func `what was erased under the server's name does not come back into a conversation that gets it`()
    async throws
  {
    let client = try bench.client()
    try client.takeIn(eg.incoming("m1", in: new, "old", order: 5))
    try client.store.write { _ = try $0.deletions.hide(new.key) }
    try client.send("mine", in: eg.conversation)
    try await client.conversation(eg.conversation).replaceID(with: new)
    try client.takeIn(eg.incoming("m1", in: new, "old", order: 5))
    #expect(try texts(client, new) == ["mine"])
    #expect(try listed(client) == [new])
  }

  // O16, D15
  @Test func `an outcome has the conversation's present name`() async throws {
    var configuration = ChatConfiguration()
    configuration.recordsDeliveries = true
    let client = try bench.client(configuration)
    let id = try client.delivered("one")
    try await client.conversation(eg.conversation).replaceID(with: new)
    #expect(try client.outbox.storedDeliveries(after: 0).map(\.conversation) == [new])
    try client.createConversation("whole")
    try await client.conversation(new).replaceID(with: "whole")
    let outcomes = try client.outbox.storedDeliveries(after: 0)
    #expect(outcomes.map(\.message) == [id])
    #expect(outcomes.map(\.conversation) == ["whole"])
  }

  // D15, R2
  @Test func `the active conversation and what is exported have the present name`() async throws {
    let client = try bench.client()
    try client.send("one", in: eg.conversation)
    try client.setActiveConversation(eg.conversation)
    try await client.conversation(eg.conversation).replaceID(with: new)
    #expect(try client.activeConversation() == new)
    #expect(try client.search("one").hits.map(\.conversation) == [new])
    try client.createConversation("whole")
    try await client.conversation(new).replaceID(with: "whole")
    #expect(try client.activeConversation() == "whole")
    #expect(try client.search("one", in: eg.conversation).hits.map(\.conversation) == ["whole"])
  }
}
