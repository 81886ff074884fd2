import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// The metadata and the members of a conversation.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ConversationMetadataTests {
  private nonisolated static let pinned = Data("pinned".utf8)
  private let bench: Bench
  private let client: ChatClient

  init() throws {
    bench = try Bench(inMemory: true)
    client = try bench.client()
  }

  // L10.1
  @Test func `metadata is kept up to 64 KB, and a larger one leaves it as it was`() throws {
    let chat = client.conversation(eg.conversation)
    #expect(try chat.metadata() == nil)
    let largest = Data(repeating: 7, count: MessageContent.maximumMetadataBytes)
    try chat.setMetadata(largest)
    #expect(try bench.client().conversation(eg.conversation).metadata() == largest)
    let error = #expect(throws: ChatError.self) { try chat.setMetadata(largest + [0]) }
    #expect(error?.code == .metadataTooLarge)
    #expect(try chat.metadata() == largest)
    try chat.setMetadata(nil)
    #expect(try chat.metadata() == nil)
    let nowhere = client.conversation("nowhere")
    for call in [{ try nowhere.setMetadata(Self.pinned) }, { _ = try nowhere.metadata() }] {
      #expect(throws: ChatError.unknownConversation, performing: call)
    }
  }

  // L10.1
  @Test func `a conversation is made with metadata, and one that is there keeps its own`() throws {
    let chat = try client.createConversation("new", metadata: Self.pinned)
    #expect(try chat.metadata() == Self.pinned)
    try client.createConversation("new", metadata: Data("other".utf8))
    #expect(try chat.metadata() == Self.pinned)
    let error = #expect(throws: ChatError.self) {
      try client.createConversation("large", metadata: Data(repeating: 0, count: 65_537))
    }
    #expect(error?.code == .metadataTooLarge)
    #expect(throws: ChatError.unknownConversation) { try client.conversation("large").metadata() }
  }

  // L10.2
  @Test(arguments: [true, false])
  func `metadata follows its conversation to another ID`(_ isThere: Bool) async throws {
    let chat = client.conversation(eg.conversation)
    try chat.setMetadata(Self.pinned)
    if isThere { try client.createConversation("t-1", metadata: Data("the server's came first".utf8)) }
    try await chat.replaceID(with: "t-1")
    #expect(try client.conversation("t-1").metadata() == Self.pinned)
    #expect(try chat.metadata() == Self.pinned)
  }

  // L10.2
  @Test func `a deleted conversation that comes back with a new message has no metadata`() async throws {
    let chat = client.conversation(eg.conversation)
    try chat.setMetadata(Self.pinned)
    try await chat.delete()
    #expect(throws: ChatError.unknownConversation) { try chat.metadata() }
    try client.store.write { _ = try $0.messages.apply(eg.incoming("late"), now: eg.date) }
    try client.store.write { transaction in
      try transaction.deletions.finish(of: eg.conversation.key)
      while try transaction.deletions.eraseSome(of: eg.conversation.key, limit: 10) {}
    }
    #expect(try chat.metadata() == nil)
  }

  // L10.2, H9.1
  @Test func `metadata is exported and imported`() throws {
    try client.conversation(eg.conversation).setMetadata(Self.pinned)
    try client.send("hi", in: eg.conversation)
    let file = bench.scratch.url.appendingPathComponent("export.json")
    try client.exportHistory(to: file)
    let other = try Bench(inMemory: true)
    let copy = try ChatClient(
      storage: .folder(other.scratch.url), transport: other.transport, user: eg.user,
      configuration: ChatConfiguration(environment: other.environment))
    try copy.importHistory(from: file)
    #expect(try copy.conversation(eg.conversation).metadata() == Self.pinned)
  }

  // L10.3
  @Test func `a list is chosen by metadata, with its counts, and follows`() async throws {
    for number in 1...6 {
      try client.createConversation(
        ConversationID(rawValue: "c\(number)"), members: ["bob"],
        metadata: number.isMultiple(of: 2) ? Self.pinned : nil)
    }
    try client.store.write { _ = try $0.messages.apply(eg.incoming("news", in: "c2"), now: eg.date) }
    let isPinned: @Sendable (Data?) -> Bool = { $0 == Self.pinned }
    let list = try client.reader.list(limit: 2, where: isPinned)
    #expect(list.rows.map(\.id) == ["c2", "c6"])
    #expect(list.rows.map(\.unreadCount) == [1, 0])
    #expect(list.rows.map(\.metadata) == [Self.pinned, Self.pinned])
    #expect(list.hasMore)
    #expect(try client.reader.list(limit: 3, where: isPinned).hasMore == false)
    let model = ConversationListModel(client, where: isPinned)
    #expect(model.rows.map(\.id) == ["c2", "c6", "c4"])
    try client.conversation("c6").setMetadata(nil)
    await Shown.until({ model.rows.map(\.id) == ["c2", "c4"] }, while: model.run)
    #expect(model.problem == nil)
  }
}

/// The shown names of accounts.
@Suite(.timeLimit(.minutes(10))) struct ShownNamesTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private func client() throws -> ChatClient {
    try bench.client(
      ChatConfiguration(displayName: { ["alice": "Alice A.", "bob": "Robert", "carol": " \n"][$0.rawValue] }))
  }

  // L10.4
  @Test func `members are read, and give a conversation without a title its name`() throws {
    let client = try client()
    let chat = try client.createConversation(
      "trip", members: ["bob", "carol", .assistant("guide", of: "bob")])
    #expect(try chat.members() == ["alice", "bob", "carol", "bob/assistant/guide"])
    let row = try #require(try client.reader.list(limit: 10).rows.first { $0.id == "trip" })
    #expect(row.title == "Robert, carol, guide")
    #expect(row.members == (try chat.members()))
    #expect(try client.reader.conversation("trip", limit: 1).title == row.title)
    #expect(throws: ChatError.unknownConversation) { try client.conversation("nowhere").members() }
  }

  // L10.4
  @Test func `rows, quotes, hits and the list have the names that the app knows`() throws {
    let client = try client()
    try client.store.write { _ = try $0.messages.apply(eg.incoming("1", "lovely lake"), now: eg.date) }
    try client.conversation(eg.conversation).send("yes", replyTo: "1")
    let rows = try client.rows()
    #expect(rows.map(\.senderName).sorted() == ["Alice A.", "Robert"])
    #expect(rows.compactMap(\.quote).map(\.senderName) == ["Robert"])
    #expect(try client.search("lake").hits.map(\.senderName) == ["Robert"])
    #expect(try client.reader.list(limit: 1).rows.map(\.excerptSenderName) == ["Alice A."])
  }
}
