import Foundation
import HoldfastRelay
import Testing

@testable import ChatServer

/// Searches of the server's messages (rule B6).
@Suite struct SearchTests {
  private static func found(
    _ client: Client, _ query: String, in conversation: String? = nil, limit: Int = 50
  ) async -> Wire.Found? {
    let frames = await client.say(
      .search(.init(number: 3, query: query, conversation: conversation, limit: limit)))
    return frames.compactMap { if case .found(let found) = $0 { found } else { nil } }.first
  }

  private static func ids(_ client: Client, _ query: String, in conversation: String? = nil) async
    -> [String]?
  {
    await found(client, query, in: conversation)?.messages.map(\.id)
  }

  // B6.6
  @Test func `the newest messages that have all the words come first, folded as on a phone`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.say(
      .send(
        .init(messages: [
          eg("one", in: "trip", body: "The café is in Łódź"), eg("two", in: "notes", body: "cafe, then lodz"),
          eg("three", in: "trip", body: "A cafeteria"),
        ])))
    #expect(await Self.ids(alice, "CAFE lodz") == ["two", "one"])
    #expect(await Self.ids(alice, "cafe", in: "trip") == ["three", "one"])
    #expect(await Self.ids(alice, "   ") == [])
    let first = await Self.found(alice, "cafe", limit: 2)
    #expect(first?.number == 3 && first?.messages.count == 2 && first?.more == true)
    #expect(await Self.found(alice, "cafe", limit: 3)?.more == nil)
  }

  // B6.6, S2
  @Test
  func `an account finds nothing where it takes no part, and nothing in a conversation that was removed`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await alice.say(.send(.init(messages: [eg("one", in: "notes", members: ["alice"], body: "zeppelin")])))
    #expect(await Self.ids(alice, "zeppelin") == ["one"])
    #expect(await Self.ids(bob, "zeppelin") == [])
    #expect(await Self.ids(bob, "zeppelin", in: "notes") == [])
    _ = try await bench.server.remove("notes")
    #expect(await Self.ids(alice, "zeppelin") == [])
  }

  // B6.6, S5.2
  @Test func `the messages of an earlier version of the server are found`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "chat-server-\(UUID())")
    let earlier = try #require(EarlierServer.all.last)
    try earlier.copy(to: folder)
    let bench = try await Bench(folder: folder, accounts: [])
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await Self.ids(alice, "lake") == ["question"])
    #expect(await Self.ids(alice, "🔥") == ["gas"])
  }

  // E2.3, B6.6
  @Test func `a query of first letters finds the newest messages of each conversation`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("one", in: "trip", body: "An apple"), eg("two", in: "notes", body: "no vowel first"))
    await alice.send(eg("three", in: "notes", body: "another apple"), eg("four", in: "trip", body: "Ärger"))
    #expect(await Self.ids(alice, "a") == ["four", "three", "one"])
    #expect(await Self.ids(alice, "a a ap a") == ["three", "one"])
    #expect(await Self.ids(alice, "a", in: "notes") == ["three"])
    #expect(await Self.ids(alice, "apple an") == ["three", "one"])
  }

  // E2.3
  @Test(arguments: [(1, 1_000), (100, 4)])
  func `a search that looks at too much gives what it has found, and says that there is more`(
    messages: Int, bytes: Int
  ) async throws {
    var limits = Limits()
    (limits.searchedMessages, limits.searchedBytes) = (messages, bytes)
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("one", body: "zeppelin"), eg("two", body: "zeppelin"))
    let found = await Self.found(alice, "zeppelin")
    #expect(found?.messages.map(\.id) == ["two"])
    #expect(found?.more == true)
  }

  // E2.2
  @Test func `searches have a rate of their own`() async throws {
    var limits = Limits()
    (limits.searchBurst, limits.searchesPerSecond) = (2, 1)
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    for _ in 0..<2 { #expect(await Self.ids(alice, "zeppelin") == []) }
    #expect(await Self.ids(alice, "zeppelin") == nil)
    #expect(await Self.ids(bob, "zeppelin") == [])
    bench.advance(by: .seconds(1))
    #expect(await Self.ids(alice, "zeppelin") == [])
    #expect(await alice.send(eg("one")).receipts.count == 1)
  }
}
