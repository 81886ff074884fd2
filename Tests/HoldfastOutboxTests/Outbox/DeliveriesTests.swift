import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Deliveries and failures as events, for an app that stores its messages itself.
@Suite(.timeLimit(.minutes(10))) struct DeliveriesTests {
  private static let recording = ChatConfiguration(recordsDeliveries: true)

  private let bench: Bench

  init() throws { bench = try Bench() }

  private func recorder() throws -> ChatClient { try bench.client(Self.recording) }

  private func deliveries(_ client: ChatClient) throws -> [OutboxOutcome] {
    try client.outbox.storedDeliveries(after: 0)
  }

  // L8.2
  @Test func `a receipt and its echo are one delivery, with the server's order and date`() throws {
    try Bench.simulate { bench in
      try await bench.running(Self.recording) { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(1)
        let date = eg.date.addingTimeInterval(60)
        bench.transport.say(
          .receipts([eg.receipt(id, order: 4, at: date)]), .receipts([eg.receipt(id, order: 4, at: date)]),
          .items([.message(eg.incoming(id, from: eg.user, order: 4, at: date))], cursor: nil))
        try await bench.rest()
        let deliveries = try client.outbox.storedDeliveries(after: 0)
        let only = try #require(deliveries.first)
        #expect(
          deliveries == [
            OutboxOutcome(
              number: only.number, message: id, conversation: eg.conversation, order: 4, deliveredAt: date)
          ])
        #expect(only.number > 0)
        #expect(try client.outbox.storedDeliveries(after: only.number).isEmpty)
      }
    }
  }

  // L8.2, B1.1
  @Test func `a delivery has the server's name, also one that an event brings later`() throws {
    try Bench.simulate { bench in
      try await bench.running(Self.recording) { client in
        bench.transport.say(.ready)
        let ids = try ["1", "2"].map { try client.send($0, in: eg.conversation) }
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(ids[0], order: nil, serverID: "$1")]))
        await bench.transport.transmission(2)
        bench.transport.say(.receipts([eg.receipt(ids[1], order: nil)]))
        try await bench.rest()
        func names() throws -> [String?] { try client.outbox.storedDeliveries(after: 0).map(\.serverID) }
        #expect(try names() == ["$1", nil])
        let echo = eg.incoming(ids[1], from: eg.user, order: nil, serverID: "$2")
        bench.transport.say(.items([.message(echo)], cursor: nil))
        try await bench.rest()
        #expect(try names() == ["$1", "$2"])
      }
    }
  }

  // L8.2
  @Test func `a loop gets each delivery once, and begins again behind the stored number`() throws {
    try Bench.simulate { bench in
      try await bench.running(Self.recording) { client in
        bench.transport.say(.ready)
        let ids = try ["1", "2", "3"].map { try client.send($0, in: eg.conversation) }
        for (index, id) in ids.enumerated() {
          await bench.transport.transmission(index + 1)
          bench.transport.say(.receipts([eg.receipt(id, order: Int64(index + 1))]))
        }
        try await bench.rest()
        var deliveries: [MessageID] = []
        for try await news in client.outbox.deliveries(after: 0, limit: 2) {
          deliveries += news.map(\.message)
          if deliveries.count == 2 { try client.outbox.acknowledge(upTo: try #require(news.last).number) }
          if deliveries.count == 3 { break }
        }
        #expect(deliveries == ids)
        #expect(try client.outbox.storedDeliveries(after: 0).map(\.message) == [ids[2]])
        for try await news in client.outbox.deliveries(after: 0) {
          #expect(news.map(\.message) == [ids[2]])
          break
        }
      }
    }
  }

  // L8.2
  @Test func `a loop over deliveries says that the store is suspended`() async throws {
    let client = try recorder()
    try await client.suspend()
    var deliveries = client.outbox.deliveries(after: 0).makeAsyncIterator()
    let error = await #expect(throws: ChatError.self) { try await deliveries.next(isolation: nil) }
    #expect(error?.code == .suspended)
  }

  // L8.2
  @Test func `an echo before the receipt is the delivery`() throws {
    try Bench.simulate { bench in
      try await bench.running(Self.recording) { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(
          .items([.message(eg.incoming(id, from: eg.user, order: 4))], cursor: nil),
          .receipts([eg.receipt(id, order: 4)]))
        try await bench.rest()
        #expect(try client.outbox.storedDeliveries(after: 0).map(\.message) == [id])
      }
    }
  }

  // L8.2
  @Test func `a server's answer to a question is the delivery, or the failure`() throws {
    try Bench.simulate(window: 2, idempotency: .none) { bench in
      try await bench.running(Self.recording) { client in
        bench.transport.say(.ready)
        let ids = try ["1", "2"].map { try client.send($0, in: eg.conversation) }
        await bench.transport.transmission(2)
        bench.transport.hangUp()
        try await bench.rest()
        bench.transport.say(.ready)
        bench.transport.answer([ids[0]: .accepted(eg.receipt(ids[0], order: 4))])
        try await bench.pass(.seconds(60))
        let deliveries = try client.outbox.storedDeliveries(after: 0)
        #expect(deliveries.map(\.message) == ids)
        #expect(deliveries.map(\.failure?.code) == [nil, .outcomeUnknown])
      }
    }
  }

  // L8.2
  @Test func `a rejection is a failure once, and so is the refusal of a conversation`() throws {
    let removed = FailureReason(.conversationRefused, "You are not a member of this conversation.")
    for reason in [eg.rejection, removed] {
      try Bench.simulate(window: 2) { bench in
        try await bench.running(Self.recording) { client in
          bench.transport.say(.ready)
          let ids = try ["1", "2"].map { try client.send($0, in: eg.conversation) }
          await bench.transport.transmission(2)
          let first = bench.transport.sent[0]
          bench.transport.say(
            .refused(first.id, transmission: first.transmission, .rejected(reason)),
            .refused(first.id, transmission: first.transmission, .rejected(reason)))
          try await bench.rest()
          let deliveries = try client.outbox.storedDeliveries(after: 0)
          #expect(deliveries.map(\.message) == [ids[0]])
          #expect(deliveries.map(\.failure) == [reason])
          #expect(deliveries.map(\.deliveredAt) == [nil])
        }
      }
    }
  }

  // L8.2
  @Test func `a message that failed, and is sent again, is reported twice, in order`() async throws {
    let client = try recorder()
    let id = try client.send("hi", in: eg.conversation)
    try client.fail(id)
    try client.fail(id)
    try await client.message(id).retry()
    try client.confirm(id, order: 3)
    try client.confirm(id, order: 3)
    let deliveries = try deliveries(client)
    #expect(deliveries.map(\.failure) == [eg.rejection, nil])
    #expect(deliveries.map(\.order) == [nil, 3])
    #expect(deliveries[0].number < deliveries[1].number)
    #expect(try client.outbox.storedDeliveries(after: 0, limit: 1) == [deliveries[0]])
    #expect(try client.outbox.storedDeliveries(after: deliveries[0].number) == [deliveries[1]])
  }

  // L8.2
  @Test func `a crash leaves the delivery and its event, or neither`() throws {
    let client = try recorder()
    let id = try client.send("hi", in: eg.conversation)
    bench.gate.fail()
    #expect(refusal { try client.confirm(id) } == .storageFull)
    bench.gate.heal()
    #expect(try deliveries(client).isEmpty)
    #expect(try client.row(id).status.state == .queued)
    // The setting is stored: a later launch that does not repeat it also records deliveries.
    let later = try bench.client()
    try later.confirm(id)
    #expect(try deliveries(later).map(\.message) == [id])
    #expect(try deliveries(bench.client()) == deliveries(later))
  }

  // L8.2
  @Test func `nothing is recorded unless the app asks, and no more once it says no`() throws {
    let client = try bench.client()
    _ = try client.delivered("before", order: 1)
    #expect(try deliveries(client).isEmpty)
    let unsent = try client.send("unsent", in: eg.conversation)
    let recorder = try recorder()
    try recorder.confirm(unsent, order: 2)
    #expect(try deliveries(recorder).map(\.message) == [unsent])
    let quiet = try bench.client(ChatConfiguration(recordsDeliveries: false))
    _ = try quiet.delivered("after", order: 3)
    #expect(try deliveries(quiet).map(\.message) == [unsent])
  }

  // L8.2
  @Test func `what the user takes back, what others write and what is done to messages is not reported`()
    throws
  {
    let client = try recorder()
    let cancelled = try client.send("cancelled", in: eg.conversation)
    try client.sharedStates.unsent.cancel(cancelled)
    try client.takeIn(eg.incoming("theirs", order: 1))
    _ = try client.sharedStates.editor.setReaction("👍", .react, of: "theirs")
    let reaction = try #require(try client.queue().first)
    try client.fail(reaction)
    // The message is deleted while it is in flight, and the server then refuses it.
    let deleted = try client.send("deleted", in: eg.conversation)
    try client.transmit(deleted)
    _ = try client.sharedStates.editor.delete(deleted)
    try client.comeBack(deleted, isRefused: true)
    try client.fail(deleted)
    #expect(try !client.rows().contains { $0.id == deleted })
    #expect(try deliveries(client).isEmpty)
  }

  // L1.1, L8.2
  @Test func `a message on this device alone is delivered when it is sent`() throws {
    let client = try recorder()
    let notes = try client.createConversation("notes", isOnDevice: true)
    let id = try notes.send("here")
    #expect(try deliveries(client).map(\.message) == [id])
    #expect(try deliveries(client).map(\.deliveredAt) == [client.environment.now()])
  }

  // L1.1, L2.4, L8.2
  @Test
  func `a reply on this device alone is delivered when it is finished, and a recorded one is not reported`()
    async throws
  {
    let client = try recorder()
    let notes = try client.createConversation("notes", isOnDevice: true)
    try notes.store(
      FinishedMessage(id: "r", sender: eg.user, content: MessageContent("here"), createdAt: eg.date))
    let reply = try await notes.beginReply()
    try await reply.append("Hello")
    #expect(try deliveries(client).isEmpty)
    try await reply.finish()
    #expect(try deliveries(client).map(\.message) == [reply.id])
  }

  // D15.1, L8.2
  @Test func `an event names its conversation by its present ID`() async throws {
    let client = try recorder()
    _ = try client.delivered("hi")
    try await client.conversation(eg.conversation).replaceID(with: "server-17")
    #expect(try deliveries(client).map(\.conversation) == ["server-17"])
  }

  // L8.2
  @Test func `an app waits for the next event, and gets it at once`() throws {
    try Bench.simulate { bench in
      try await bench.running(Self.recording) { client in
        let notes = try client.createConversation("notes", isOnDevice: true)
        try await withThrowingTaskGroup(of: [OutboxOutcome].self) { group in
          group.addTask { try await client.outbox.nextDeliveries(after: 0) }
          try await bench.rest()
          let first = try notes.send("1")
          let news = try #require(try await group.next())
          #expect(news.map(\.message) == [first])
          let second = try notes.send("2")
          #expect(
            try await client.outbox.nextDeliveries(after: news[0].number).map(\.message) == [second])
          #expect(try await client.outbox.nextDeliveries(after: 0, limit: 1) == news)
          group.addTask { try await client.outbox.nextDeliveries(after: .max) }
          try await bench.rest()
          group.cancelAll()
          #expect(try await group.next() == [])
        }
      }
    }
  }

  // L8.3
  @Test func `a forgotten event is not delivered again, and its message stays unless it is to go`() throws {
    let client = try recorder()
    let ids = try (1...3).map { try client.delivered("\($0)", order: Int64($0)) }
    let deliveries = try deliveries(client)
    try client.outbox.acknowledge(upTo: deliveries[1].number)
    #expect(try self.deliveries(client) == [deliveries[2]])
    #expect(try client.rows().map(\.id) == ids)
    // A number is not used again.
    try client.outbox.acknowledge(upTo: .max)
    let next = try client.delivered("4", order: 4)
    #expect(try client.outbox.storedDeliveries(after: deliveries[2].number).map(\.message) == [next])
  }

  // H8, L8.3, S9
  @Test func `a forgotten message is gone from timeline and search, and no echo brings it back`() throws {
    let client = try recorder()
    let id = try client.delivered("lighthouse", order: 1)
    let failed = try client.send("to be decided", in: eg.conversation)
    try client.fail(failed)
    try client.index()
    #expect(try client.search("lighthouse").hits.map(\.id) == [id])
    try client.outbox.acknowledge(upTo: .max, forgettingMessages: true)
    #expect(try deliveries(client).isEmpty)
    #expect(try client.rows().map(\.id) == [failed], "The user decides about a failed message.")
    #expect(try client.search("lighthouse").hits.isEmpty)
    #expect(try bench.scratch.bytes(of: "store.sqlite-wal").range(of: Data("lighthouse".utf8)) == nil)
    try client.takeIn(eg.incoming(id, from: eg.user, "lighthouse", order: 1))
    try bench.client().takeIn(eg.incoming(id, from: eg.user, "lighthouse", order: 1))
    #expect(try client.rows().map(\.id) == [failed])
    try client.takeIn(eg.incoming("theirs", "hi", order: 2))
    #expect(Set(try client.rows().map(\.id)) == ["theirs", failed], "Messages of others are not forgotten.")
  }

  // L8.3
  @Test func `a message that an unsent change or a draft needs stays, with its event, until later`() throws {
    let client = try recorder()
    let edited = try client.delivered("edited", order: 1)
    let answered = try client.delivered("answered", order: 2)
    let edit = try #require(try client.sharedStates.editor.edit(edited, to: "edited anew"))
    client.drafts.edit("an answer", answering: answered, in: eg.conversation)
    try client.hardSave()
    try client.outbox.acknowledge(upTo: .max, forgettingMessages: true)
    #expect(try client.rows().map(\.id) == [edited, answered])
    #expect(try deliveries(client).map(\.message) == [edited, answered])
    try client.sharedStates.unsent.cancel(edit)
    _ = try client.drafts.discard(in: eg.conversation)
    try client.outbox.acknowledge(upTo: .max, forgettingMessages: true)
    #expect(try client.rows().isEmpty)
    #expect(try deliveries(client).isEmpty)
  }

  // L8.3
  @Test func `a file goes with the last message that is forgotten`() throws {
    let bench = try Bench(carriesAttachments: true)
    let client = try bench.client(Self.recording)
    let chat = client.conversation(eg.conversation)
    let file = try chat.attach(Data("a map".utf8), name: "map.txt")
    let id = try chat.sendDraft()
    try client.confirm(id)
    #expect(client.attachmentFile(file.checksum) != nil)
    try client.outbox.acknowledge(upTo: .max, forgettingMessages: true)
    #expect(client.attachmentFile(file.checksum) == nil)
  }

  // L8.1
  @Test func `drafts and the outbox are enough: a draft is sent, reported and forgotten`() async throws {
    let client = try recorder()
    client.drafts.edit("half a thought", in: eg.conversation)
    try client.hardSave()
    let later = try bench.client(Self.recording)
    #expect(later.drafts.text(in: eg.conversation) == "half a thought")
    let id = try later.conversation(eg.conversation).sendDraft()
    try later.confirm(id)
    let deliveries = try deliveries(later)
    #expect(deliveries.map(\.message) == [id])
    try later.outbox.acknowledge(upTo: deliveries[0].number, forgettingMessages: true)
    #expect(try bench.client().rows().isEmpty)
    #expect(bench.log.lines.allSatisfy { !$0.contains("half a thought") })
  }
}
