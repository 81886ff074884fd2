import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Edits, deletions and reactions that fail, wait for their message, or are held, with a backend that the test
/// plays.
@Suite(.timeLimit(.minutes(10))) struct StoppedOperationTests {
  // O8.5
  @Test func `operations of a message that is rejected wait for it, and those behind go on`() throws {
    try Bench.simulate(window: 3) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        let reaction = try #require(try client.message(id).react("👍"))
        let next = try client.send("two", in: eg.conversation)
        await bench.transport.transmission(3)
        let first = bench.transport.sent
        bench.transport.say(
          .refused(id, transmission: first[0].transmission, .rejected(eg.rejection)),
          .refused(reaction, transmission: first[1].transmission, .predecessorMissing),
          .refused(next, transmission: first[2].transmission, .predecessorMissing))
        #expect(await bench.transport.transmission(4).id == next)
        bench.transport.say(.receipts([eg.receipt(next, order: 1)]))
        try await bench.rest()
        #expect(bench.transport.sent.count == 4)
        let explanation = try client.message(reaction).explain()
        #expect(explanation.code == .waitsForItsMessage)
        #expect(explanation.waitsFor == id)
        try await client.message(id).retry()
        await bench.transport.transmission(6)
        #expect(bench.transport.sent.suffix(2).map(\.id) == [id, reaction])
        #expect(bench.transport.sent.last?.predecessor == id)
      }
    }
  }

  // O7.9, O8.2, O8.3
  @Test
  func `a rejected edit fails with its reason, the message behind it leaves, and a retry sends it again`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).edit(to: "two"))
        let next = try client.send("three", in: eg.conversation)
        let away = await bench.transport.transmission(1)
        bench.transport.say(.refused(operation, transmission: away.transmission, .rejected(eg.rejection)))
        #expect(await bench.transport.transmission(2).id == next)
        #expect(try client.row(id).text == "one")
        #expect(try client.row(id).operation?.status.failure == eg.rejection)
        #expect(try client.message(operation).explain().code == .failed)
        bench.transport.say(.receipts([eg.receipt(next, order: 2)]))
        try await bench.rest()
        try await client.message(operation).retry()
        #expect(await bench.transport.transmission(3).id == operation)
      }
    }
  }

  // O7.1
  @Test func `four faults of its own stop an operation`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).react("👍"))
        for attempt in 1...4 {
          let away = await bench.transport.transmission(attempt)
          bench.transport.say(.refused(operation, transmission: away.transmission, .failed(after: nil)))
        }
        try await bench.rest()
        #expect(try client.row(id).operation?.status.failure?.code == .attemptsSpent)
        #expect(try client.row(id).reactions.isEmpty)
      }
    }
  }

  // O7.6, O8
  @Test func `a message that ended the process too often takes its operations out of the same window`() throws
  {
    try Bench.simulate(window: 5) { bench in
      let client = try bench.client(isSimulated: true)
      let id = try client.send("poison", in: eg.conversation)
      try client.message(id).react("👍")
      let next = try client.send("good", in: eg.conversation)
      for _ in 1...3 { try client.transmit(id) }
      try await bench.running(.init(retry: .init(interruptionLimit: 3))) { client in
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == next)
        try await bench.rest()
        #expect(bench.transport.sent.count == 1)
      }
    }
  }

  // O16.1, O16.3
  @Test func `operations of held messages wait with them, and follow them when they are sent`() throws {
    try Bench.simulate(window: 5) { bench in
      let client = try bench.client(isSimulated: true)
      let old = try client.delivered("delivered")
      let ids = try ["one", "two"].map { try client.send($0, in: eg.conversation) }
      let reaction = try #require(try client.message(ids[0]).react("👍"))
      let edit = try #require(try client.message(old).edit(to: "edited"))
      try await bench.pass(.seconds(90_000))
      try await bench.running { client in
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == edit, "Nothing of it waits for an answer.")
        bench.transport.say(.receipts([eg.receipt(edit, revision: 1)]))
        try await bench.rest()
        #expect(try client.held.snapshot().count == 2)
        #expect(try client.row(ids[0]).operation?.status.text == "Reaction waits for its message")
        #expect(try client.message(reaction).explain().waitsFor == ids[0])
        let new = try client.send("new", in: eg.conversation)
        await bench.transport.transmission(2)
        bench.transport.say(.receipts([eg.receipt(new, order: 2)]))
        try await bench.rest()
        try client.outbox.answerHeld(.send)
        await bench.transport.transmission(5)
        #expect(bench.transport.sent.map(\.id) == [edit, new, ids[0], ids[1], reaction])
      }
    }
  }

  // O17.1
  @Test func `an operation is explained by its message while that waits too`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        let reaction = try #require(try client.message(id).react("👍"))
        await bench.transport.transmission(1)
        try await bench.rest()
        let explanation = try client.message(reaction).explain()
        #expect(explanation.code == .waitsForAnother)
        #expect(explanation.waitsFor == id)
        bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
        await bench.transport.transmission(2)
        #expect(try client.message(reaction).explain().code == .awaitingAnswer)
      }
    }
  }

  @Test func `contents of operations never appear in the log`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).edit(to: "secret"))
        let away = await bench.transport.transmission(1)
        bench.transport.say(.refused(operation, transmission: away.transmission, .rejected(eg.rejection)))
        bench.gate.fail()
        try await bench.pass(.seconds(30))
        #expect(bench.log.lines.count > 1)
        #expect(!bench.log.lines.contains { $0.contains("secret") })
      }
    }
  }
}
