import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Older messages, which the server sends on request (rule B6).
@Suite(.timeLimit(.minutes(10))) struct OlderMessagesTests {
  private static func message(_ number: Int, text: String? = nil, revision: Int64 = 0) -> IncomingItem {
    .message(
      eg.incoming(
        MessageID(rawValue: "m\(number)"), text ?? "text \(number)", order: Int64(number), revision: revision)
    )
  }

  private static func messages(_ numbers: ClosedRange<Int>) -> [IncomingItem] { numbers.map { message($0) } }

  private static func unnumbered(_ numbers: ClosedRange<Int>) -> [IncomingItem] {
    numbers.map {
      .message(eg.incoming(MessageID(rawValue: "m\($0)"), "text \($0)", order: nil))
    }
  }

  private static func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "text \($0)" } }

  private static func page(_ items: [IncomingItem], before place: String?) -> Result<HistoryPage, any Error> {
    .success(HistoryPage(items: items, before: place.map(HistoryPlace.init(rawValue:))))
  }

  private static func conversation(_ place: String?) -> IncomingItem {
    .conversation(
      IncomingConversation(
        id: eg.conversation, title: nil, members: [eg.user, eg.other],
        history: place.map(HistoryPlace.init(rawValue:))))
  }

  private static func shown(_ client: ChatClient) throws -> [String] {
    try client.reader.conversation(eg.conversation, limit: 10_000).rows.map(\.text)
  }

  private static func older(_ client: ChatClient) throws -> ConversationSnapshot.OlderMessages {
    try client.reader.conversation(eg.conversation, limit: 10_000).older
  }

  /// A phone whose first connection delivered messages 11 to 20 and reported older ones before them.
  private static func withNewest(
    _ configuration: ChatConfiguration = ChatConfiguration(),
    _ body: @escaping @Sendable (Bench, ChatClient) async throws -> Void
  ) throws {
    try Bench.simulate(carriesHistory: true) { bench in
      try await bench.running(configuration) { client in
        bench.transport.say(
          .ready, .items([conversation("p11")] + messages(11...20), cursor: SyncCursor(rawValue: "1")))
        try await bench.rest()
        try await body(bench, client)
      }
    }
  }

  // H18.3, B6.1
  @Test(arguments: [true, false])
  func `a conversation that was made here begins here, before and after it was sent`(isNumbered: Bool) throws
  {
    try Bench.simulate(carriesHistory: true, placesByEvents: !isNumbered) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        // A server that numbers messages reports whether an ID chosen by the app is that of a new conversation.
        let made = try client.createConversation(isNumbered ? "chosen" : nil, members: [eg.other]).id
        let id = try client.send("first", in: made)
        func older() throws -> ConversationSnapshot.OlderMessages {
          try client.reader.conversation(made, limit: 10).older
        }
        #expect(try older() == .none)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(id, in: made, order: isNumbered ? 1 : nil)]))
        try await bench.rest()
        #expect(try older() == .none)
        let answer = eg.incoming("answer", in: made, "second", order: isNumbered ? 2 : nil)
        bench.transport.say(.items([.message(answer)], cursor: nil))
        try await bench.rest()
        #expect(try older() == .none)
      }
    }
  }

  // H18.3, B6.1
  @Test(arguments: [(Int64(2), nil), (nil, nil), (1, "p1")] as [(Int64?, String?)])
  func `what a server may have had before is offered`(order: Int64?, place: String?) throws {
    try Bench.simulate(carriesHistory: true, placesByEvents: order == nil) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("joins", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(id, order: order)]))
        if place != nil {
          bench.transport.say(.items([Self.conversation(place), Self.message(300)], cursor: nil))
        }
        try await bench.rest()
        #expect(try Self.older(client) == .onServer)
      }
    }
  }

  // B6.1, B6.4
  @Test func `pages come before what is here, from the place that came last, until the beginning`() throws {
    try Self.withNewest { bench, client in
      #expect(try Self.older(client) == .onServer)
      #expect(client.conversation(eg.conversation).fetchOlder())
      try await bench.rest()
      #expect(try Self.older(client) == .loading)
      bench.transport.answerHistory(Self.page(Self.messages(6...10), before: "p6"))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(6...20))
      #expect(try Self.older(client) == .onServer)
      bench.transport.answerHistory(Self.page(Self.messages(1...5), before: nil))
      client.conversation(eg.conversation).fetchOlder()
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(1...20))
      #expect(try Self.older(client) == .none)
      #expect(!client.conversation(eg.conversation).fetchOlder())
      #expect(bench.transport.historyRequests.map(\.before?.rawValue) == ["p11", "p6"])
      #expect(bench.transport.historyRequests.map(\.oldest?.order) == [11, 6])
    }
  }

  // B6.1
  @Test func `what is asked for twice is asked once, and live messages come meanwhile`() throws {
    try Self.withNewest { bench, client in
      client.conversation(eg.conversation).fetchOlder()
      client.conversation(eg.conversation).fetchOlder()
      try await bench.rest()
      bench.transport.say(.items(Self.messages(21...22), cursor: SyncCursor(rawValue: "2")))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(11...22))
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(1...22))
      #expect(bench.transport.historyRequests.count == 1)
    }
  }

  // B6.4, B6.5, B3.1
  @Test func `without numbers, a page that came before the first connection was through stays`() throws {
    try Bench.simulate(carriesHistory: true, placesByEvents: true) { bench in
      try await bench.running { client in
        try client.createConversation(eg.conversation, members: [eg.user, eg.other])
        bench.transport.say(.ready, .items([Self.conversation(nil)], cursor: nil))
        try await bench.rest()
        client.conversation(eg.conversation).fetchOlder()
        bench.transport.answerHistory(
          .success(
            HistoryPage(
              items: Self.unnumbered(1...20), before: HistoryPlace(rawValue: "p1"), beginsWithNewest: true)))
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(1...20))
        bench.transport.say(
          .items([Self.conversation("p16")] + Self.unnumbered(16...20), cursor: SyncCursor(rawValue: "1")))
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(1...20))
        client.conversation(eg.conversation).fetchOlder()
        try await bench.rest()
        #expect(bench.transport.historyRequests.last?.before?.rawValue == "p1")
      }
    }
  }

  // B6.1
  @Test func `whoever asks again when the page has just been stored gets the next one`() throws {
    let sharedState = HistoryFetches.SharedState(try Bench().client().context)
    let chat = ConversationKey(rawValue: "c")
    sharedState.ask(for: chat, upTo: nil)
    sharedState.ask(for: chat, upTo: nil)
    sharedState.answer(chat)
    sharedState.finish(chat, sought: [])
    #expect(sharedState.next() == nil, "Both asked for one page.")
    sharedState.ask(for: chat, upTo: nil)
    sharedState.answer(chat)
    sharedState.ask(for: chat, upTo: nil)
    sharedState.finish(chat, sought: [])
    #expect(sharedState.next()?.conversation == chat)
  }

  // B6.1, B3.1
  @Test func `without numbers, a page is before all that is here, in its order`() throws {
    try Bench.simulate(carriesHistory: true, placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready, .items(Self.unnumbered(11...20), cursor: nil))
        try await bench.rest()
        for (numbers, place) in [(6...10, "p6"), (1...6, nil)] as [(ClosedRange<Int>, String?)] {
          client.conversation(eg.conversation).fetchOlder()
          bench.transport.answerHistory(Self.page(Self.unnumbered(numbers), before: place))
          try await bench.rest()
        }
        bench.transport.say(.items(Self.unnumbered(21...22), cursor: nil))
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(1...22))
        #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "text 22")
      }
    }
  }

  // B6.1, B3.2
  @Test func `without numbers, a page from the newest message on counts as far as it is older`() throws {
    try Bench.simulate(carriesHistory: true, placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready, .items(Self.unnumbered(11...12), cursor: nil))
        try await bench.rest()
        // The first page is newer than all messages of the events.
        for (numbers, place) in [(21...22, "p21"), (10...20, "p10"), (1...9, nil)]
          as [(ClosedRange<Int>, String?)]
        {
          bench.transport.answerHistory(
            .success(
              HistoryPage(
                items: Self.unnumbered(numbers), before: place.map(HistoryPlace.init(rawValue:)),
                beginsWithNewest: numbers.upperBound > 12)))
        }
        client.conversation(eg.conversation).fetchOlder()
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(10...12))
        bench.transport.say(.items(Self.unnumbered(13...22), cursor: nil))
        client.conversation(eg.conversation).fetchOlder()
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(1...22))
      }
    }
  }

  // B6.1, B3.2
  @Test func `without numbers, the change of an older message is with its page once that comes`() throws {
    try Bench.simulate(carriesHistory: true, placesByEvents: true) { bench in
      try await bench.running { client in
        let edited = eg.incoming("m4", "text 4", order: nil, revision: 1)
        bench.transport.say(.ready, .items(Self.unnumbered(11...12) + [.message(edited)], cursor: nil))
        try await bench.rest()
        bench.transport.answerHistory(Self.page(Self.unnumbered(1...11), before: nil))
        client.conversation(eg.conversation).fetchOlder()
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(1...12))
      }
    }
  }

  // B6.1
  @Test func `a page does not move its conversation in the list`() throws {
    try Self.withNewest { bench, client in
      try client.createConversation("trip")
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      try await bench.rest()
      #expect(try Self.shown(client).count == 20)
      #expect(try client.reader.list(limit: 10).rows.map(\.id) == ["trip", eg.conversation])
    }
  }

  // B6.2, H11.4
  @Test func `what made room comes back when it is asked for, and stays until the next launch`() throws {
    try Bench.simulate(carriesHistory: true, inMemory: true) { bench in
      try await bench.running(.init(history: .init(perConversation: 100))) { client in
        try client.takeIn(
          (1...150).map { eg.incoming(MessageID(rawValue: "m\($0)"), "text \($0)", order: Int64($0)) })
        bench.transport.say(.ready)
        try await bench.pass(.seconds(120))
        #expect(try Self.shown(client) == Self.texts(51...150))
        // A change of a message that is not on the device leaves no gap.
        bench.transport.say(.items([Self.message(3, text: "edited", revision: 1)], cursor: nil))
        try await bench.rest()
        #expect(try Self.shown(client).first == "text 51")
        client.conversation(eg.conversation).fetchOlder()
        bench.transport.answerHistory(
          Self.page(
            Self.messages(1...2) + [Self.message(3, text: "edited", revision: 1)] + Self.messages(4...50),
            before: nil))
        try await bench.pass(.seconds(300))
        #expect(bench.transport.historyRequests.map(\.oldest?.order) == [51])
        #expect(try Self.shown(client).count == 150 && Self.shown(client)[2] == "edited")
        #expect(try Self.older(client) == .none)
      }
      try await bench.running(.init(history: .init(perConversation: 100))) { client in
        bench.transport.say(.items(Self.messages(151...151), cursor: nil))
        try await bench.pass(.seconds(240))
        #expect(try Self.shown(client) == Self.texts(52...151))
        bench.transport.say(.ready)
        try await bench.rest()
        #expect(try Self.older(client) == .onServer)
      }
    }
  }

  // B6.2, B6.5
  @Test func `a page that was overtaken by an eviction is asked for again, and leaves no gap`() throws {
    try Self.withNewest { bench, client in
      client.conversation(eg.conversation).fetchOlder()
      try await bench.rest()
      try client.store.write { transaction in
        _ = try transaction.history.evict(
          transaction.history.evictable(in: eg.conversation.key, keeping: 5, limit: 5))
      }
      #expect(try Self.shown(client) == Self.texts(16...20))
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      bench.transport.answerHistory(Self.page(Self.messages(6...15), before: "p6"))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(6...20))
      #expect(bench.transport.historyRequests.map(\.before?.rawValue) == ["p11", nil])
      #expect(bench.transport.historyRequests.last?.oldest?.order == 16)
    }
  }

  // B6.5
  @Test func `a change that comes while a page is on its way is in the page that is stored`() throws {
    try Self.withNewest { bench, client in
      client.conversation(eg.conversation).fetchOlder()
      try await bench.rest()
      bench.transport.say(.items([Self.message(5, text: "edited", revision: 1)], cursor: nil))
      try await bench.rest()
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      bench.transport.answerHistory(
        Self.page(
          Self.messages(1...4) + [Self.message(5, text: "edited", revision: 1)] + Self.messages(6...10),
          before: nil))
      try await bench.rest()
      #expect(try Self.shown(client).count == 20 && Self.shown(client)[4] == "edited")
    }
  }

  // B6.1, L7.1, H5.1
  @Test(arguments: [true, false])
  func `what its user has deleted or emptied is not fetched again`(_ isEmptied: Bool) throws {
    try Self.withNewest { bench, client in
      client.conversation(eg.conversation).fetchOlder()
      try await bench.rest()
      if isEmptied {
        try await client.conversation(eg.conversation).empty()
      } else {
        try await client.conversation(eg.conversation).delete()
      }
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      try await bench.pass(.seconds(60))
      bench.transport.say(.items(Self.messages(21...22), cursor: nil))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(21...22))
      #expect(try Self.older(client) == .none)
      #expect(!client.conversation(eg.conversation).fetchOlder())
    }
  }

  // B6.1
  @Test func `emptying that is undone goes on where it was`() throws {
    try Self.withNewest { bench, client in
      try await client.conversation(eg.conversation).empty()
      #expect(!client.conversation(eg.conversation).fetchOlder())
      try await client.conversation(eg.conversation).undoEmptying()
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(1...20))
    }
  }

  // B6.3
  @Test func `a message that is sought is fetched with all between, and one that the server lacks ends it`()
    throws
  {
    try Self.withNewest { bench, client in
      client.conversation(eg.conversation).fetchOlder(upTo: "m2")
      for (numbers, place) in [(8...10, "p8"), (4...7, "p4"), (1...3, "p1")] {
        bench.transport.answerHistory(Self.page(Self.messages(numbers), before: place))
      }
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(1...20))
      #expect(bench.transport.historyRequests.map(\.sought) == ["m2", "m2", "m2"])
      client.conversation(eg.conversation).fetchOlder(upTo: "nowhere")
      bench.transport.answerHistory(
        .success(HistoryPage(items: [], before: HistoryPlace(rawValue: "p0"), isSoughtMissing: true)))
      bench.transport.answerHistory(Self.page([], before: nil))
      try await bench.rest()
      #expect(try Self.older(client) == .none)
      #expect(bench.transport.historyRequests.count == 5)
    }
  }

  // B6.1, V5.1
  @Test func `a refusal says why, and is asked again by its user alone`() throws {
    try Self.withNewest { bench, client in
      let reason = FailureReason(.historyFailed, "The archive is closed.")
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(.failure(HistoryPage.Refusal.rejected(reason)))
      try await bench.pass(.seconds(600))
      let snapshot = try client.reader.conversation(eg.conversation, limit: 100)
      #expect(snapshot.older == .failed(reason) && snapshot.noteAbove == "The archive is closed.")
      #expect(bench.transport.historyRequests.count == 1)
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(.failure(Missed("nobody knows this error")))
      try await bench.rest()
      #expect(try Self.older(client) == .failed(FailureReason(.historyNotLoaded)))
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(.failure(HistoryPage.Refusal.notNow(after: .seconds(30))))
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      try await bench.pass(.seconds(29))
      #expect(try Self.older(client) == .loading)
      try await bench.pass(.seconds(10))
      #expect(try Self.shown(client) == Self.texts(1...20))
    }
  }

  // B6.1
  @Test
  func `no answer ends the wait and leaves the connection, and a page that does not go on is a failure`()
    throws
  {
    try Self.withNewest { bench, client in
      client.conversation(eg.conversation).fetchOlder()
      try await bench.pass(.seconds(120))
      #expect(try Self.older(client) == .failed(FailureReason(.historyNotLoaded)))
      #expect(bench.transport.cursors.count == 1)
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(Self.page([], before: "p11"))
      try await bench.rest()
      #expect(try Self.older(client) == .failed(FailureReason(.historyNotLoaded)))
    }
  }

  // B6.4, B6.5
  @Test
  func `a server that sends only what is new says so, and the change of an older message leaves no gap`()
    throws
  {
    try Bench.simulate(carriesHistory: true) { bench in
      try await bench.running { client in
        bench.transport.say(
          .ready,
          .items(
            [
              .conversation(
                IncomingConversation(
                  id: eg.conversation, title: nil, members: [eg.user, eg.other], hasOlder: true))
            ], cursor: nil),
          .items([Self.message(4, text: "edited", revision: 1)], cursor: nil),
          .items(Self.messages(9...10), cursor: nil),
          .items([Self.message(5, text: "edited", revision: 1)], cursor: nil))
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(9...10))
        client.conversation(eg.conversation).fetchOlder()
        bench.transport.answerHistory(Self.page(Self.messages(1...8), before: nil))
        try await bench.rest()
        #expect(bench.transport.historyRequests.map(\.oldest?.order) == [9])
        #expect(try Self.shown(client) == Self.texts(1...10))
      }
    }
  }

  // B6.4: a first connection was cut, and the messages that it delivered are here.
  @Test(arguments: [(3, true), (2, false)])
  func `a first connection that sends the newest alone leaves nothing out of what is here`(
    last: Int, isWhole: Bool
  ) throws {
    try Bench.simulate(carriesHistory: true) { bench in
      try await bench.running { client in
        bench.transport.say(
          .ready, .items([Self.conversation(nil)] + Self.messages(1...last), cursor: nil),
          .items([Self.conversation("p4")] + Self.messages(4...5), cursor: nil))
        try await bench.rest()
        #expect(try Self.shown(client) == Self.texts(1...last) + Self.texts(4...5))
        #expect(try Self.older(client) == (isWhole ? .none : .onServer))
        let snapshot = try client.reader.conversation(eg.conversation, limit: 100)
        #expect(snapshot.hasEvicted == !isWhole)
      }
    }
  }

  // B6.1
  @Test func `what is asked for offline comes on the next connection`() throws {
    try Self.withNewest { bench, client in
      bench.path.set(isUp: false)
      try await bench.pass(.seconds(5))
      let offline = try client.reader.conversation(eg.conversation, limit: 100)
      #expect(offline.older == .offline)
      #expect(offline.noteAbove == ChatConfiguration.ShownText.historyOffline.english)
      client.conversation(eg.conversation).fetchOlder()
      try await bench.pass(.seconds(60))
      bench.path.set(isUp: true)
      bench.transport.say(.ready)
      bench.transport.answerHistory(Self.page(Self.messages(1...10), before: nil))
      try await bench.pass(.seconds(5))
      #expect(try Self.shown(client) == Self.texts(1...20))
    }
  }

  // B6.5
  @Test func `a page with another conversation's message stores nothing, and a forged number neither`() throws
  {
    try Self.withNewest { bench, client in
      try client.createConversation("trip")
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(
        Self.page(
          [.message(eg.incoming("x1", in: "trip", "hi", order: 1))] + Self.messages(9...10), before: "p9"))
      try await bench.rest()
      #expect(try Self.older(client) == .failed(FailureReason(.historyNotLoaded)))
      #expect(try Self.shown(client) == Self.texts(11...20))
      client.conversation(eg.conversation).fetchOlder()
      bench.transport.answerHistory(
        Self.page(
          [
            .message(eg.incoming("x2", "hi", order: -7)),
            .message(eg.incoming("m8", in: "later", "text 8", order: 8)),
          ]
            + Self.messages(9...10), before: "p9"))
      try await bench.rest()
      #expect(try Self.shown(client) == Self.texts(8...20))
      #expect(try client.reader.list(limit: 10).rows.count == 2)
      #expect(
        try client.store.read { try $0.history.state(of: eg.conversation.key, .init()) }?.place?.rawValue
          == "p9")
    }
  }
}
