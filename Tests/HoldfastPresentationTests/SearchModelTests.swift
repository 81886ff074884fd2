import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@MainActor @Suite(.timeLimit(.minutes(10))) struct SearchModelTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func client() throws -> ChatClient {
    var environment = ChatEnvironment()
    environment.makeID = bench.environment.makeID
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: bench.transport, user: eg.user,
      configuration: ChatConfiguration(environment: environment))
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    return client
  }

  // H8.1, H8.3, U17
  @Test func `a typed query is searched, and later messages are found too`() async throws {
    let client = try client()
    try client.send("hello world", in: eg.conversation)
    let model = SearchModel(client)
    model.search("hel")
    #expect(model.snapshot.query == "hel")
    #expect(model.snapshot.hits.isEmpty)
    await Shown.until({ model.snapshot.hits.count == 1 }) { await model.run() }
    let hit = try #require(model.snapshot.hits.first)
    #expect(hit.excerpt == SearchSnapshot.Excerpt(of: "hello world", matches: [0..<5]))
    #expect(hit.isMine && hit.conversation == eg.conversation && hit.title == "bob")
    try client.send("hello again", in: eg.conversation)
    model.search("hello")
    await Shown.until({ model.snapshot.hits.count == 2 }) { await model.run() }
    model.search("")
    await Shown.until({ model.snapshot.hits.isEmpty }) { await model.run() }
    #expect(model.problem == nil)
  }

  // H8
  @Test func `a pending search differs from a search without hits`() async throws {
    let client = try client()
    try client.send("hello world", in: eg.conversation)
    let model = SearchModel(client)
    #expect(model.snapshot.state == .idle)
    model.search("zeppelin")
    #expect(model.snapshot.state == .searching)
    await Shown.until({ model.snapshot.state == .found }) { await model.run() }
    #expect(model.snapshot.hits.isEmpty && model.snapshot.query == "zeppelin")
    model.search("hello")
    #expect(model.snapshot.state == .searching)
    await Shown.until({ model.snapshot.state == .found }) { await model.run() }
    #expect(model.snapshot.hits.count == 1)
    model.search("hello z")
    #expect(model.snapshot.state == .searching && model.snapshot.hits.count == 1, "Those of before.")
    model.search(" \n")
    #expect(model.snapshot.state == .idle && model.snapshot.hits.isEmpty)
    #expect(try client.search("hello").state == .found)
    #expect(try client.search("?!").state == .found)
    #expect(try client.search(" ").state == .idle)
  }

  // H8, S4
  @Test func `a failed search differs from a search without hits`() async throws {
    let client = try client()
    let model = SearchModel(client)
    model.search("walrus")
    await Shown.until({ model.snapshot.state != .searching }) { await model.run() }
    #expect(model.snapshot.state == .found && model.snapshot.hits.isEmpty)
    #expect(model.problem == nil)
    model.search("hello")
    try await client.suspend()
    await Shown.until({ model.problem != nil }) { await model.run() }
    #expect(model.snapshot.state == .searching)
    #expect(model.problem?.code == .suspended)
  }

  // H8
  @Test func `more hits are loaded behind those that are shown`() async throws {
    let client = try client()
    for number in 0..<70 { try client.send("hello \(number)", in: eg.conversation) }
    let model = SearchModel(client, in: eg.conversation)
    model.search("hello")
    await Shown.until({ model.snapshot.hasMore }) { await model.run() }
    let first = model.snapshot.hits
    #expect(first.count == 50)
    model.loadMore()
    #expect(Array(model.snapshot.hits.prefix(50)) == first)
    #expect(model.snapshot.hits.count == 70 && !model.snapshot.hasMore)
  }

  // H8
  @Test func `a snapshot is a value that goes over a wire`() throws {
    let client = try client()
    try client.send("hello", in: eg.conversation)
    let found = try client.search("hello")
    let data = try JSONEncoder().encode(found)
    #expect(try JSONDecoder().decode(SearchSnapshot.self, from: data) == found)
  }
}
