import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A search of the server's messages (rule B6).
@Suite(.timeLimit(.minutes(10))) struct ServerSearchTests {
  private static func message(_ number: Int, _ text: String, order: Int64? = nil) -> IncomingMessage {
    eg.incoming(MessageID(rawValue: "m\(number)"), text, order: order ?? Int64(number))
  }

  private static func conversation(_ place: String?) -> IncomingItem {
    .conversation(
      IncomingConversation(
        id: eg.conversation, title: "Trip", members: [eg.user, eg.other],
        history: place.map(HistoryPlace.init(rawValue:))))
  }

  /// A phone that has messages 11 to 20 of a conversation, and a search field.
  private static func withField(
    _ body: @escaping @Sendable (Bench, ChatClient, Signal) async throws -> Void
  ) throws {
    try Bench.simulate(carriesHistory: true, carriesSearch: true) { bench in
      try await bench.running { client in
        let items = (11...20).map { IncomingItem.message(message($0, "ferry \($0)")) }
        bench.transport.say(.ready, .items([conversation("p11")] + items, cursor: SyncCursor(rawValue: "1")))
        try await bench.rest()
        try await body(bench, client, Signal())
      }
    }
  }

  private static func found(_ client: ChatClient, _ query: String, _ field: Signal) throws -> SearchSnapshot {
    try client.reader.search(query, in: nil, limit: 5, raising: field)
  }

  // B6.6
  @Test func `what only the server has comes behind what is here, and is marked`() throws {
    try Self.withField { bench, client, field in
      let first = try Self.found(client, "ferry", field)
      #expect(first.hits.count == 5 && first.server == .searching)
      #expect(first.serverNote == "Searching the server...")
      try await bench.rest()
      #expect(bench.transport.searchRequests == [SearchRequest("ferry", limit: 5)])
      bench.transport.answerSearch(
        .success(SearchResults([Self.message(20, "ferry 20"), Self.message(3, "the old ferry")])))
      await field.wait()
      let all = try Self.found(client, "ferry", field)
      #expect(all.hits.prefix(5) == first.hits[...])
      #expect(all.hits.dropFirst(5).map(\.id) == ["m3"])
      let hit = try #require(all.hits.last)
      #expect(hit.isOnServer && hit.title == "Trip" && hit.conversation == eg.conversation)
      #expect(hit.excerpt == SearchSnapshot.Excerpt(of: "the old ferry", matches: [8..<13]))
      #expect(all.server == .searched && all.serverNote == nil)
      #expect(bench.transport.searchRequests.count == 1, "The same query is asked once.")
    }
  }

  // B6.6, H5.1
  @Test func `a hit is not shown when it was deleted here, or is of a conversation that is not here`() throws
  {
    try Self.withField { bench, client, field in
      try await client.conversation(eg.conversation).delete()
      var elsewhere = Self.message(4, "zeppelin")
      elsewhere.conversation = "elsewhere"
      var gone = Self.message(6, "zeppelin")
      gone.deletedAt = Date(timeIntervalSince1970: 1)
      _ = try Self.found(client, "zeppelin", field)
      bench.transport.answerSearch(.success(SearchResults([elsewhere, Self.message(5, "zeppelin"), gone])))
      await field.wait()
      let found = try Self.found(client, "zeppelin", field)
      #expect(found.hits == [] && found.note == "Nothing found for “zeppelin”")
    }
  }

  // B6.6
  @Test func `only the last query of a field is asked, and an empty one nothing`() throws {
    try Self.withField { bench, client, field in
      for query in ["z", "ze", "zep"] { _ = try Self.found(client, query, field) }
      try await bench.rest()
      _ = try Self.found(client, "zepp", field)
      bench.transport.answerSearch(.success(SearchResults([])))
      bench.transport.answerSearch(.success(SearchResults([Self.message(3, "zeppelin")])))
      await field.wait()
      #expect(bench.transport.searchRequests.map(\.query) == ["zep", "zepp"])
      #expect(try Self.found(client, "zepp", field).hits.map(\.id) == ["m3"])
      #expect(try Self.found(client, "  ", field).server == nil)
    }
  }

  // B6.6, N3
  @Test func `what is looked for offline is asked on the next connection, and what is lost is asked again`()
    throws
  {
    try Self.withField { bench, client, field in
      _ = try Self.found(client, "zeppelin", field)
      try await bench.rest()
      bench.transport.hangUp()
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.rest()
      let offline = try Self.found(client, "zeppelin", field)
      #expect(offline.server == .offline && offline.note == "Nothing found for “zeppelin”")
      #expect(offline.serverNote == "Only messages on this device are found while you are offline")
      bench.transport.refuse(nil)
      await client.reconnectNow()
      bench.transport.say(.ready)
      bench.transport.answerSearch(.success(SearchResults([Self.message(3, "zeppelin")], hasMore: true)))
      await field.wait()
      let found = try Self.found(client, "zeppelin", field)
      #expect(found.hits.count == 1 && found.hasMore)
    }
  }

  // B6.6
  @Test func `a server that refuses, fails or is silent says so, and is asked again on demand`() throws {
    try Self.withField { bench, client, field in
      let reason = FailureReason(.searchFailed, "The archive is closed.")
      bench.transport.answerSearch(.failure(HistoryPage.Refusal.notNow(after: .seconds(3))))
      bench.transport.answerSearch(.failure(HistoryPage.Refusal.rejected(reason)))
      _ = try Self.found(client, "zeppelin", field)
      await field.wait()
      let refused = try Self.found(client, "zeppelin", field)
      #expect(refused.server == .failed(reason) && refused.serverNote == "The archive is closed.")
      client.sharedStates.searches.forget(field)
      _ = try Self.found(client, "zeppelin", field)
      await field.wait()
      #expect(try Self.found(client, "zeppelin", field).server == .failed(FailureReason(.searchNotMade)))
      #expect(bench.transport.searchRequests.count == 3)
    }
  }

  // B6.6, L5
  @Test func `a conversation of this device, and a transport that declares no search, ask nobody`() throws {
    try Self.withField { bench, client, field in
      let device = try client.createConversation("notes", isOnDevice: true)
      let found = try client.reader.search("ferry", in: device.id, limit: 5, raising: field)
      #expect(found.server == nil)
      try await bench.rest()
      #expect(bench.transport.searchRequests.isEmpty)
    }
    let bench = try Bench()
    #expect(try Self.found(bench.client(), "ferry", Signal()).server == nil)
  }
}
