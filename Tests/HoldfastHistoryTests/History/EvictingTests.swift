import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct EvictingTests {
  /// Stores messages 1 to `count` of a conversation, as the server has them.
  private static func fill(_ client: ChatClient, _ conversation: ConversationID, _ count: Int) throws {
    try fill(client, conversation, 1...count)
  }

  private static func fill(
    _ client: ChatClient, _ conversation: ConversationID, _ numbers: ClosedRange<Int>
  ) throws {
    try client.takeIn(
      numbers.map { number in
        eg.incoming(
          MessageID(rawValue: "\(conversation) \(number)"), in: conversation, "text \(number)",
          order: Int64(number))
      })
  }

  private static func bodies(_ client: ChatClient, _ conversation: ConversationID) throws -> [String] {
    try client.reader.conversation(conversation, limit: 10_000).rows.map(\.text)
  }

  // H11.4
  @Test func `the oldest messages make room, and the timeline says so`() throws {
    try Bench.simulate(inMemory: true) { bench in
      try await bench.running(.init(history: .init(perConversation: 250))) { client in
        try Self.fill(client, eg.conversation, 700)
        let before = try client.reader.conversation(eg.conversation, limit: 10)
        guard !before.hasEvicted else { throw Missed("all are here") }
        try await bench.pass(.seconds(120))
        let after = try client.reader.conversation(eg.conversation, limit: 10_000)
        guard after.rows.map(\.text) == (451...700).map({ "text \($0)" }) else {
          throw Missed("\(after.rows.count) rows")
        }
        guard after.hasEvicted, !after.hasOlder else { throw Missed("it says so") }
        guard try client.search("text 450").hits.isEmpty, try client.search("451").hits.count == 1 else {
          throw Missed("the search knows")
        }
        // The server sends a change of an evicted message.
        bench.transport.say(
          .items([.message(eg.incoming("alice-bob 3", "edited", order: 3, revision: 1))], cursor: nil))
        try await bench.rest()
        guard try Self.bodies(client, eg.conversation).first == "text 451" else {
          throw Missed("it stays gone")
        }
      }
    }
  }

  // H11.3
  @Test func `a hundred of each conversation stay, however low the limit`() throws {
    try Bench.simulate(inMemory: true) { bench in
      try await bench.running(.init(history: .init(perConversation: .min, total: .min))) {
        client in
        try client.createConversation("trip")
        try Self.fill(client, eg.conversation, 150)
        try Self.fill(client, "trip", 40)
        try await bench.pass(.seconds(120))
        guard try Self.bodies(client, eg.conversation) == (51...150).map({ "text \($0)" }) else {
          throw Missed("a hundred")
        }
        guard try Self.bodies(client, "trip").count == 40 else { throw Missed("all of the other") }
      }
    }
  }

  // H11.4, L1.2
  @Test func `messages on this device alone take no room from those that the server has`() throws {
    try Bench.simulate(inMemory: true) { bench in
      try await bench.running(.init(history: .init(total: 300))) { client in
        let notes = try client.createConversation("notes", isOnDevice: true)
        try notes.store(
          contentsOf: (1...200).lazy.map { number in
            FinishedMessage(
              id: MessageID(rawValue: "note \(number)"), sender: eg.user,
              content: MessageContent("\(number)"),
              createdAt: eg.date)
          })
        try Self.fill(client, eg.conversation, 290)
        try await bench.pass(.seconds(120))
        guard try Self.bodies(client, eg.conversation).count == 290 else { throw Missed("all are here") }
        try Self.fill(client, eg.conversation, 291...310)
        try await bench.pass(.seconds(120))
        guard try Self.bodies(client, eg.conversation).count == 300 else { throw Missed("the oldest went") }
        guard try Self.bodies(client, "notes").count == 200 else { throw Missed("nobody else has these") }
      }
    }
  }

  // H11.4
  @Test func `in all, the oldest go first, whichever conversation they are of`() throws {
    try Bench.simulate(inMemory: true) { bench in
      try await bench.running(.init(history: .init(total: 500))) { client in
        try client.createConversation("trip")
        try Self.fill(client, "trip", 300)
        try Self.fill(client, eg.conversation, 350)
        try await bench.pass(.seconds(120))
        guard try Self.bodies(client, "trip").first == "text 151" else {
          throw Missed("150 went: \(try Self.bodies(client, "trip").count)")
        }
        guard try Self.bodies(client, eg.conversation).count == 350 else { throw Missed("none of the newer") }
      }
    }
  }

  // H11.5
  @Test func `nothing goes that is unsent, nor what something unsent refers to`() throws {
    try Bench.simulate(inMemory: true) { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running(.init(history: .init(perConversation: 100))) { client in
        let failed = try client.send("failed", in: eg.conversation)
        try client.fail(failed)
        try Self.fill(client, eg.conversation, 300)
        try client.send("answer", in: eg.conversation, replyTo: "alice-bob 10")
        try client.message("alice-bob 20").react("👍")
        client.drafts.edit(eg.key, DraftContent("typed", replyTo: "alice-bob 30"))
        try client.drafts.save(in: eg.conversation)
        try await bench.pass(.seconds(120))
        let bodies = try Self.bodies(client, eg.conversation)
        for kept in ["failed", "answer", "text 10", "text 20", "text 30", "text 300"]
        where !bodies.contains(kept) {
          throw Missed(kept)
        }
        guard !bodies.contains("text 11"), bodies.count < 110 else { throw Missed("\(bodies.count) rows") }
      }
    }
  }

  // H11.5
  @Test(arguments: [
    ChatConfiguration.HistoryLimits(perConversation: 100), ChatConfiguration.HistoryLimits(total: 0),
  ])
  func `waiting messages take no room from those that the server has`(limits: ChatConfiguration.HistoryLimits)
    throws
  {
    try Bench.simulate(inMemory: true) { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running(.init(history: limits)) { client in
        try Self.fill(client, eg.conversation, 150)
        for number in 1...120 { try client.send("mine \(number)", in: eg.conversation) }
        try await bench.pass(.seconds(120))
        let expected = (51...150).map { "text \($0)" } + (1...120).map { "mine \($0)" }
        guard try Self.bodies(client, eg.conversation) == expected else {
          throw Missed("\(try Self.bodies(client, eg.conversation).count) rows")
        }
      }
    }
  }

  // H11
  @Test func `of all that is counted, what waits to be sent is not`() throws {
    try Bench.simulate(inMemory: true) { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running(.init(history: .init(total: 200))) { client in
        try Self.fill(client, eg.conversation, 150)
        for number in 1...120 { try client.send("mine \(number)", in: eg.conversation) }
        try await bench.pass(.seconds(120))
        guard try Self.bodies(client, eg.conversation).count == 270 else { throw Missed("all of it") }
      }
    }
  }

  // H11.4
  @Test func `in all, what was sent long before it was delivered goes when its place has come`() throws {
    try Bench.simulate(inMemory: true) { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running(.init(history: .init(total: 150))) { client in
        let early = try client.send("early", in: eg.conversation)
        try Self.fill(client, eg.conversation, 1...50)
        try client.confirm(early, order: 51)
        try Self.fill(client, eg.conversation, 52...200)
        try await bench.pass(.seconds(120))
        let expected = ["early"] + (52...200).map { "text \($0)" }
        guard try Self.bodies(client, eg.conversation) == expected else {
          throw Missed("\(try Self.bodies(client, eg.conversation).prefix(3))")
        }
      }
    }
  }
}
