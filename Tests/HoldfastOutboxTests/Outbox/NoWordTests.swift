import EngineFixtures
import HoldfastTransport
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Refusals that do not say whether the message arrived.
@Suite(.timeLimit(.minutes(10))) struct NoWordTests {
  private func refuse(_ refusal: Refusal, _ bench: Bench) {
    let last = bench.transport.sent.last!
    bench.transport.say(.refused(last.id, transmission: last.transmission, refusal))
  }

  private func running(
    _ idempotency: TransportCapabilities.Idempotency = .forever, window: Int = 1,
    _ body: @escaping @Sendable (Bench, ChatClient, MessageID) async throws -> Void
  ) throws {
    try Bench.simulate(window: window, idempotency: idempotency) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(1)
        try await body(bench, client, id)
      }
    }
  }

  // B4.1, B4.3
  @Test func `not now: a message that the server may have is asked for before it leaves again`() throws {
    try running(.none) { bench, client, id in
      refuse(.notNow(after: .seconds(5)), bench)
      try await bench.pass(.seconds(2))
      #expect(bench.transport.lookUps.isEmpty, "The server asked for patience.")
      #expect(await failureCode { try await client.message(id).cancel() } == .tooLate)
      #expect(await bench.transport.question(1) == [id])
      try await bench.pass(.seconds(3600))
      #expect(bench.transport.sent.count == 1, "It waits for the answer.")
      bench.transport.answer([id: .absent])
      #expect(await bench.transport.transmission(2).id == id)
      #expect(bench.transport.sent.count == 2)
    }
  }

  // B4.1, B4.3
  @Test func `not now: where the server knows IDs, the message leaves again under its own, at no cost`()
    throws
  {
    try running { bench, client, id in
      for attempt in 1...9 {
        refuse(.notNow(after: .seconds(1)), bench)
        #expect(await bench.transport.transmission(attempt + 1).id == id)
      }
      #expect(bench.transport.lookUps.isEmpty)
      bench.transport.say(.receipts([eg.receipt(id)]))
      try await bench.rest()
      #expect(try client.rows().map(\.status.state) == [.delivered])
    }
  }

  // B4.1, O9
  @Test func `not now as a word: a message that the server does not have can be taken back`() throws {
    try running { bench, client, id in
      refuse(.notNow(after: .seconds(60), mayHaveArrived: false), bench)
      try await bench.rest()
      #expect(try await client.message(id).takeBack().text == "hi")
    }
  }

  // B4.2, B4.4
  @Test func `no answer to this one costs an attempt, and ends as an unknown outcome`() throws {
    try running { bench, client, id in
      for attempt in 1...3 {
        refuse(.outcomeUnknown(), bench)
        #expect(await bench.transport.transmission(attempt + 1).id == id)
      }
      refuse(.outcomeUnknown(), bench)
      try await bench.pass(.seconds(60))
      #expect(bench.transport.sent.count == 4)
      #expect(try client.rows().first?.status.failure?.code == .outcomeUnknown)
      #expect(bench.transport.cursors.count == 1, "The connection goes on.")
      try client.send("next", in: eg.conversation)
      #expect(await bench.transport.transmission(5).text == "next")
    }
  }

  // B4.3, B4.4
  @Test func `no answer to this one: where the server forgets IDs, it is asked and not sent again`() throws {
    try running(.none) { bench, client, id in
      refuse(.outcomeUnknown(), bench)
      #expect(await bench.transport.question(1) == [id])
      bench.transport.answer([:])
      try await bench.pass(.seconds(60))
      #expect(bench.transport.sent.count == 1)
      #expect(try client.rows().first?.status.failure?.code == .outcomeUnknown)
    }
  }

  // B4.3, O4.1
  @Test func `no answer to this one in a window: those behind it wait for their own answers`() throws {
    try running(window: 3) { bench, client, id in
      let others = try ["2", "3"].map { try client.send($0, in: eg.conversation) }
      await bench.transport.transmission(3)
      let sent = bench.transport.sent
      bench.transport.say(.refused(id, transmission: sent[0].transmission, .outcomeUnknown()))
      try await bench.pass(.seconds(5))
      #expect(bench.transport.sent.count == 3, "Nothing overtakes what is on its way.")
      bench.transport.say(.receipts([eg.receipt(others[0], order: 2)]))
      bench.transport.say(.refused(others[1], transmission: sent[2].transmission, .predecessorMissing))
      await bench.transport.transmission(5)
      #expect(bench.transport.sent.suffix(2).map(\.id) == [id, others[1]])
    }
  }

  // B4.4, O14
  @Test func `an operation without an answer is carried out again, and nobody is asked about it`() throws {
    try running { bench, client, id in
      bench.transport.say(.receipts([eg.receipt(id)]))
      try await bench.rest()
      let edit = try #require(try client.message(id).edit(to: "better"))
      await bench.transport.transmission(2)
      for attempt in 2...4 {
        refuse(.outcomeUnknown(), bench)
        #expect(await bench.transport.transmission(attempt + 1).id == edit)
      }
      refuse(.outcomeUnknown(), bench)
      try await bench.rest()
      let operation = try #require(try client.rows().first?.operation)
      #expect(operation.status.failure?.code == .attemptsSpent)
      #expect(operation.status.failure?.mayHaveArrived == false)
    }
  }

  // B4.2
  @Test func `one silent message spends an attempt, and the connection goes on for the others`() throws {
    try running { bench, client, silent in
      try client.createConversation("other")
      try await bench.pass(.seconds(1))
      let heard = try client.send("heard", in: "other")
      await bench.transport.transmission(2)
      bench.transport.say(
        .receipts([Receipt(id: heard, conversation: "other", order: 1, createdAt: eg.date)]))
      #expect(await bench.transport.transmission(3).id == silent)
      #expect(bench.transport.cursors.count == 1, "The connection goes on.")
      bench.transport.say(.receipts([eg.receipt(silent)]))
      try await bench.rest()
      #expect(try client.rows().map(\.status.state) == [.delivered])
    }
  }

  // B4.2, N3
  @Test func `a connection that says nothing since the message left is broken, at no cost`() throws {
    try running { bench, client, id in
      try await bench.pass(.seconds(19))
      #expect(bench.transport.cursors.count == 1)
      try await bench.pass(.seconds(300))
      #expect(bench.transport.cursors.count > 5)
      #expect(try client.store.read { try $0.outbox.entry(of: id)?.entry.attempts } == 0)
    }
  }

  // B4.3, O6.8
  @Test func `one silent message, where the server forgets IDs: it is asked on another connection`() throws {
    try running(.none) { bench, client, id in
      try await bench.pass(.seconds(1))
      bench.transport.say(.items([], cursor: nil))
      try await bench.pass(.seconds(18))
      #expect(bench.transport.cursors.count == 1)
      #expect(await bench.transport.question(1) == [id])
      #expect(bench.transport.cursors.count == 2)
      #expect(bench.transport.sent.count == 1)
    }
  }

  // B4.2, N3
  @Test func `a message that gets no answer twice, while none other does, ends the connection too`() throws {
    try running { bench, client, id in
      for second in 1...45 {
        try await bench.pass(.seconds(1))
        if second < 40 { #expect(bench.transport.cursors.count == 1) }
        bench.transport.say(.items([], cursor: nil))
      }
      #expect(bench.transport.cursors.count == 2)
      #expect(bench.transport.sent.map(\.id) == [id, id, id])
      #expect(try client.store.read { try $0.outbox.entry(of: id)?.entry.attempts } == 2)
    }
  }
}
