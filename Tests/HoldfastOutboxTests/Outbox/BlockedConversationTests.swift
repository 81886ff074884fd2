import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Conversations that are blocked: by a failed message, or because the server refuses the whole conversation (rule
/// O8).
@Suite(.timeLimit(.minutes(10))) struct BlockedConversationTests {
  private static let removed = FailureReason(
    .conversationRefused, "You are not a member of this conversation.")

  /// Sends three messages in a window of three. The server rejects the first.
  private func refuse(
    _ reason: FailureReason, afterFailure: ChatConfiguration.RetryPolicy.AfterFailure = .continue,
    _ body: @escaping @Sendable (Bench, ChatClient, [MessageID]) async throws -> Void
  ) throws {
    try Bench.simulate(window: 3) { bench in
      try await bench.running(.init(retry: .init(afterFailure: afterFailure))) { client in
        bench.transport.say(.ready)
        let ids = try ["1", "2", "3"].map { try client.send($0, in: eg.conversation) }
        await bench.transport.transmission(3)
        let first = bench.transport.sent[0]
        bench.transport.say(.refused(first.id, transmission: first.transmission, .rejected(reason)))
        try await bench.rest()
        try await body(bench, client, ids)
      }
    }
  }

  // O8.4, O17.1
  @Test func `strict order: those behind a failed message wait for it, and say so`() throws {
    try refuse(eg.rejection, afterFailure: .block) { bench, client, ids in
      try client.send("4", in: eg.conversation)
      try await bench.pass(.seconds(60))
      #expect(bench.transport.sent.count == 3)
      let rows = try client.rows()
      #expect(rows.map(\.text) == ["1", "2", "3", "4"])
      #expect(rows.map(\.status.state) == [.failed, .queued, .queued, .queued])
      #expect(rows[0].status.failure == eg.rejection)
      #expect(rows[1].status.text == "Queued - Waits for the message that failed")
      let explanation = try client.message(ids[2]).explain()
      #expect(explanation.code == .waitsForFailed)
      #expect(explanation.waitsFor == ids[0])
      #expect(try client.message(ids[0]).explain().code == .failed)
    }
  }

  // O8.4
  @Test func `strict order: retried, a failed message is where it was`() throws {
    try refuse(eg.rejection, afterFailure: .block) { bench, client, ids in
      try await client.message(ids[0]).retry()
      await bench.transport.transmission(6)
      #expect(bench.transport.sent.suffix(3).map(\.id) == ids)
      #expect(try client.bodies() == ["1", "2", "3"])
      #expect(try client.rows().map(\.status.state) == [.sending, .sending, .sending])
    }
  }

  // O8.2, O8.4
  @Test func `strict order: once the failed message is deleted, the others go`() throws {
    try refuse(eg.rejection, afterFailure: .block) { bench, client, ids in
      try await client.message(ids[0]).cancel()
      await bench.transport.transmission(5)
      #expect(bench.transport.sent.suffix(2).map(\.id) == Array(ids.dropFirst()))
    }
  }

  // O4.4, O8.4, O11.1
  @Test
  func `strict order: those behind a failed message wait after a relaunch too, and no other conversation`()
    throws
  {
    try Bench.simulate(window: 3) { bench in
      try {
        let client = try bench.client(isSimulated: true)
        let ids = try ["1", "2"].map { try client.send($0, in: eg.conversation) }
        try client.fail(ids[0])
      }()
      try await bench.running(.init(retry: .init(afterFailure: .block))) { client in
        try client.createConversation("other")
        let other = try client.send("free", in: "other")
        bench.transport.say(.ready)
        try await bench.pass(.seconds(5))
        #expect(bench.transport.sent.map(\.id) == [other])
      }
    }
  }

  // O8.6, O17.1
  @Test func `a conversation that is refused is parked once, with one reason, and keeps its messages queued`()
    throws
  {
    try refuse(Self.removed) { bench, client, ids in
      let late = try client.send("4", in: eg.conversation)
      try await bench.pass(.seconds(600))
      #expect(bench.transport.sent.count == 3, "Nothing is tried.")
      let snapshot = try client.reader.conversation(eg.conversation, limit: 10)
      #expect(snapshot.refusal == Self.removed)
      #expect(snapshot.rows.map(\.status.state) == [.queued, .queued, .queued, .queued])
      #expect(snapshot.rows[0].status.text == "Queued - The conversation takes no messages")
      #expect(try client.reader.list(limit: 1).rows.first?.refusal == Self.removed)
      let explanation = try client.message(late).explain()
      #expect(explanation.code == .conversationRefused)
      #expect(explanation.failure == Self.removed)
      #expect(explanation.sentence == Self.removed.explanation)
      // None of them is on the server, so each can be taken back.
      #expect(try await client.message(ids[1]).takeBack().text == "2")
    }
  }

  // O8.6
  @Test func `refused -> tried again when its user asks for it, for the conversation or for one message`()
    throws
  {
    try refuse(Self.removed) { bench, client, ids in
      try await client.conversation(eg.conversation).retry()
      await bench.transport.transmission(6)
      #expect(bench.transport.sent.suffix(3).map(\.id) == ids)
      let again = bench.transport.sent[3]
      bench.transport.say(.refused(again.id, transmission: again.transmission, .rejected(Self.removed)))
      try await bench.rest()
      #expect(try client.reader.conversation(eg.conversation, limit: 1).refusal == Self.removed)
      try await client.message(ids[2]).retry()
      await bench.transport.transmission(9)
      #expect(bench.transport.sent.suffix(3).map(\.id) == ids, "It keeps its place.")
      #expect(try client.reader.conversation(eg.conversation, limit: 1).refusal == nil)
    }
  }

  // O8.4, O8.6
  @Test(arguments: [ChatConfiguration.RetryPolicy.AfterFailure.continue, .block])
  func `all that has failed is tried again by one call, in its order`(
    afterFailure: ChatConfiguration.RetryPolicy.AfterFailure
  ) throws {
    try refuse(eg.rejection, afterFailure: afterFailure) { bench, client, ids in
      try await bench.rest()
      let refuseLast = { (id: MessageID, reason: FailureReason) in
        let sent = try #require(bench.transport.sent.last { $0.id == id })
        bench.transport.say(.refused(id, transmission: sent.transmission, .rejected(reason)))
        try await bench.rest()
      }
      if afterFailure == .continue { for id in ids.dropFirst() { try await refuseLast(id, eg.rejection) } }
      try client.createConversation("closed")
      let there = try client.send("4", in: "closed")
      try await bench.rest()
      try await refuseLast(there, Self.removed)
      #expect(try client.outbox.health().failed == (afterFailure == .continue ? 3 : 1))
      #expect(try client.reader.conversation("closed", limit: 1).refusal == Self.removed)

      let before = bench.transport.sent.count
      try await client.outbox.retryAll()
      try await bench.rest()
      let again = bench.transport.sent.dropFirst(before).map(\.id)
      #expect(again.filter { $0 != there } == ids)
      #expect(again.filter { $0 == there }.count == 1)
      #expect(try client.outbox.health().failed == 0)
      #expect(try client.reader.conversation("closed", limit: 1).refusal == nil)
    }
  }

  // O16
  @Test func `trying everything again leaves held messages as the question that they are`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      try client.send("old", in: eg.conversation)
      try client.hold()
      try await client.outbox.retryAll()
      #expect(try client.rows().map(\.status.state) == [.held])
    }
  }

  // D15.2, O8.6
  @Test(arguments: [false, true])
  func `a refused conversation that gets another ID is refused still, and asked for under either`(
    isThere: Bool
  ) throws {
    try refuse(Self.removed) { bench, client, ids in
      if isThere { try client.createConversation("renamed") }
      try await client.conversation(eg.conversation).replaceID(with: "renamed")
      try await bench.pass(.seconds(60))
      #expect(bench.transport.sent.count == 3, "Nothing is tried.")
      #expect(try client.reader.conversation("renamed", limit: 1).refusal == Self.removed)
      try await client.conversation(eg.conversation).retry()
      await bench.transport.transmission(6)
      #expect(bench.transport.sent.suffix(3).map(\.id) == ids)
      #expect(try client.reader.conversation("renamed", limit: 1).refusal == nil)
    }
  }

  // O8.6
  @Test func `refused -> tried again when the server announces the conversation`() throws {
    try refuse(Self.removed) { bench, client, ids in
      let item = IncomingConversation(id: eg.conversation, title: nil, members: [eg.user, eg.other])
      bench.transport.say(.items([.conversation(item)], cursor: nil))
      await bench.transport.transmission(6)
      #expect(bench.transport.sent.suffix(3).map(\.id) == ids)
    }
  }

  // O8.6, O11
  @Test func `a refused conversation is not tried after a relaunch, and an unknown one cannot be`() throws {
    try Bench.simulate(window: 3) { bench in
      try {
        let client = try bench.client(isSimulated: true)
        try client.send("1", in: eg.conversation)
        try client.refuse(because: Self.removed)
      }()
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.pass(.seconds(5))
        #expect(bench.transport.sent.isEmpty)
        await #expect(throws: ChatError.self) { try await client.conversation("nowhere").retry() }
      }
    }
  }

  // O8.4, O14
  @Test func `strict order: an operation behind a failed message waits, and one that failed stops nothing`()
    throws
  {
    try Bench.simulate(window: 1) { bench in
      try await bench.running(.init(retry: .init(afterFailure: .block))) { client in
        bench.transport.say(.ready)
        let first = try client.send("1", in: eg.conversation)
        await bench.transport.transmission(1)
        try await bench.rest()
        bench.transport.say(.receipts([eg.receipt(first, order: 1)]))
        let failing = try client.send("2", in: eg.conversation)
        let refused = await bench.transport.transmission(2)
        bench.transport.say(.refused(failing, transmission: refused.transmission, .rejected(eg.rejection)))
        try await bench.rest()
        let reaction = try #require(try client.message(first).react("👍"))
        try await bench.pass(.seconds(60))
        #expect(bench.transport.sent.count == 2)
        #expect(
          try client.rows()[0].operation?.status.text == "Reaction queued - Waits for the message that failed"
        )
        #expect(try client.message(reaction).explain().waitsFor == failing)
        try await client.message(failing).cancel()
        let left = await bench.transport.transmission(3)
        #expect(left.id == reaction)
        let third = try client.send("3", in: eg.conversation)
        bench.transport.say(.refused(reaction, transmission: left.transmission, .rejected(eg.rejection)))
        #expect(await bench.transport.transmission(4).text == "3")
        try await client.message(reaction).retry()
        #expect(try client.queue() == [third, reaction], "At the end.")
      }
    }
  }

  // O8.6, O14
  @Test func `operations in a refused conversation wait, and go with the next try`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("1", in: eg.conversation)
        await bench.transport.transmission(1)
        try await bench.rest()
        bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
        let edit = try #require(try client.message(id).edit(to: "2"))
        let left = await bench.transport.transmission(2)
        bench.transport.say(.refused(edit, transmission: left.transmission, .rejected(Self.removed)))
        try await bench.pass(.seconds(60))
        #expect(bench.transport.sent.count == 2)
        let snapshot = try client.reader.conversation(eg.conversation, limit: 10)
        #expect(snapshot.refusal == Self.removed)
        #expect(snapshot.rows[0].text == "2")
        #expect(snapshot.rows[0].operation?.status.state == .queued)
        #expect(snapshot.rows[0].operation?.status.text == "Edit queued - The conversation takes no messages")
        #expect(try client.message(edit).explain().code == .conversationRefused)
        try await client.message(edit).retry()
        #expect(await bench.transport.transmission(3).id == edit)
      }
    }
  }

  /// The number of messages that a drain sends.
  private func leaving(
    _ client: ChatClient, _ afterFailure: ChatConfiguration.RetryPolicy.AfterFailure
  ) throws -> Int {
    try client.store.read {
      try $0.outbox.leavingCount(ofWaiting: try $0.outbox.queuedCount(), afterFailure: afterFailure)
    }
  }

  // O5.7, O8, O14
  @Test func `operations are no part of a drain, and failed ones stop none`() throws {
    let client = try Bench().client()
    let id = try client.send("1", in: eg.conversation)
    let reaction = try #require(try client.message(id).react("👍"))
    try client.send("2", in: eg.conversation)
    try client.createConversation("other")
    try client.refuse("other", because: Self.removed)
    #expect(try leaving(client, .block) == 2)
    #expect(try client.reader.list(limit: 2).rows.map(\.unsentCount).sorted() == [0, 2])
    try client.fail(reaction)
    #expect(try leaving(client, .block) == 2)
    #expect(try client.reader.list(limit: 2).rows.map(\.unsentCount).sorted() == [0, 2])
  }

  // O5.7, O8
  @Test func `a stopped conversation is no part of a drain`() throws {
    let client = try Bench().client()
    let ids = try ["1", "2"].map { try client.send($0, in: eg.conversation) }
    try client.createConversation("other")
    try client.send("3", in: "other")
    #expect(try leaving(client, .continue) == 3)
    try client.fail(ids[0])
    #expect(try leaving(client, .continue) == 2)
    #expect(try leaving(client, .block) == 1)
    try client.refuse("other", because: Self.removed)
    #expect(try leaving(client, .continue) == 1)
    #expect(try leaving(client, .block) == 0)
  }
}
