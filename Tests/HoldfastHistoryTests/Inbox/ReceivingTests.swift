import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Items of the backend, and the rows that are stored for them.
@Suite(.timeLimit(.minutes(10))) struct ReceivingTests {
  private func page(_ messages: IncomingMessage..., cursor: String? = nil) -> TransportEvent {
    .items(messages.map { .message($0) }, cursor: cursor.map(SyncCursor.init(rawValue:)))
  }

  // O6.4
  @Test func `the echo before the receipt confirms, and the receipt finds nothing to do`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(page(eg.incoming(id, from: eg.user, order: 7)))
        try await bench.rest()
        #expect(try client.rows().map(\.status.state) == [.delivered])
        bench.transport.say(.receipts([eg.receipt(id, order: 8)]))
        try await bench.rest()
        #expect(try client.rows().map(\.id) == [id])
        #expect(try client.storedMessage(id)?.serverOrder == 7, "What is confirmed is confirmed once.")
        #expect(bench.transport.sent.count == 1)
      }
    }
  }

  // O6.4
  @Test func `the receipt before the echo confirms, and the echo adds no second message`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(
          .receipts([eg.receipt(id, order: 7)]), page(eg.incoming(id, from: eg.user, order: 7)))
        try await bench.rest()
        #expect(try client.rows().map(\.id) == [id])
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }

  // O6.2, O6.4
  @Test func `an echo moves any state to delivered: queued, and failed`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        let queued = try client.send("queued", in: eg.conversation)
        let failed = try client.send("failed", in: eg.conversation)
        try client.fail(failed)
        try client.takeIn(
          eg.incoming(failed, from: eg.user, order: 1), eg.incoming(queued, from: eg.user, order: 2))
        #expect(try client.rows().map(\.status.state) == [.delivered, .delivered])
        #expect(try client.bodies() == ["failed", "queued"])
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }

  // H11.1
  @Test func `a message that comes twice is stored once`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let message = eg.incoming("m", "first")
        bench.transport.say(.ready, page(message, message), page(eg.incoming("m", "changed"), cursor: "2"))
        try await bench.rest()
        #expect(try client.bodies() == ["first"])
        #expect(try client.storedCursor() == "2")
      }
    }
  }

  // O6
  @Test func `a forged ID changes nothing: neither another's, nor in another conversation`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let own = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(
          page(eg.incoming("theirs", "theirs", order: 1)),
          page(
            eg.incoming(own, from: "mallory", "forged", order: 2),
            eg.incoming(own, in: "elsewhere", from: eg.user, "forged", order: 2),
            eg.incoming("theirs", from: "mallory", "forged", order: 3),
            eg.incoming("theirs", in: "elsewhere", "forged", order: 3), cursor: "9"),
          .receipts([eg.receipt(own, in: "elsewhere")]))
        try await bench.rest()
        #expect(try client.bodies() == ["theirs", "mine"])
        #expect(try client.rows().map(\.status.state) == [.delivered, .sending])
        #expect(try client.outbox.unsentCount() == 1)
        #expect(try client.storedCursor() == "9", "What was refused is not asked for again.")
        #expect(bench.transport.sent.count == 1, "It is still on its way.")
      }
    }
  }

  // O6, O16
  @Test func `a receipt for a message that was refused, or has not left, confirms nothing`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let failed = try client.send("failed", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.refused(failed, transmission: 1, .rejected(eg.rejection)))
        try await bench.rest()
        // Nothing can be sent between these two lines.
        let held = try client.send("held", in: eg.conversation)
        try client.hold()
        bench.transport.say(.receipts([eg.receipt(failed, order: 1), eg.receipt(held, order: 2)]))
        try await bench.rest()
        #expect(try client.rows().map(\.status.state) == [.failed, .held])
        #expect(try client.outbox.unsentCount() == 2)
      }
    }
  }

  @Test(arguments: [0, -5, 1 << 60, Int64.max] as [Int64])
  func `a forged order is refused, and confirms nothing`(order: Int64) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let own = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(page(eg.incoming("m", order: order)), .receipts([eg.receipt(own, order: order)]))
        try await bench.rest()
        #expect(try client.bodies() == ["mine"])
        #expect(try client.outbox.unsentCount() == 1)
        #expect(bench.transport.sent.count == 1, "It does not leave again and again.")
      }
    }
  }

  // H11
  @Test func `items and cursor are stored together, or not at all`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, page(eg.incoming("m1", order: 1), cursor: "1"))
        try await bench.rest()
        bench.gate.fail()
        bench.transport.say(page(eg.incoming("m2", order: 2), eg.incoming("m3", order: 3), cursor: "3"))
        try await bench.rest()
        #expect(try client.rows().map(\.id) == ["m1"])
        #expect(try client.storedCursor() == "1")
        // The connection has ended, and the next one requests the same page again.
        bench.gate.heal()
        bench.transport.say(
          .ready, page(eg.incoming("m2", order: 2), eg.incoming("m3", order: 3), cursor: "3"))
        try await bench.pass(.seconds(2))
        #expect(bench.transport.cursors == [nil, SyncCursor(rawValue: "1")])
        #expect(try client.rows().map(\.id) == ["m1", "m2", "m3"])
        #expect(try client.storedCursor() == "3")
      }
    }
  }

  @Test func `texts with U+0000 are stored whole`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(
          .ready, page(eg.incoming("m", "a\0b", reasoning: "c\0d")),
          .items([.conversation(.init(id: "new", title: "e\0f", members: []))], cursor: nil))
        try await bench.rest()
        let row = try #require(try client.rows().first)
        #expect(row.text == "a\u{FFFD}b")
        #expect(row.reasoning == "c\u{FFFD}d")
        #expect(try client.reader.list(limit: 1).rows.first?.title == "e\u{FFFD}f")
      }
    }
  }

  @Test func `a message of an unknown conversation makes it, and it counts as known to the server`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, page(eg.incoming("m", in: "new")))
        try await bench.rest()
        #expect(try client.reader.list(limit: 1).rows.map(\.id) == ["new"])
        try client.send("hi", in: "new")
        #expect(await bench.transport.transmission(1).members == [])
      }
    }
  }

  @Test func `the server's title is taken over, except where the owner gave one`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.createConversation("named", title: "Mine")
        bench.transport.say(
          .ready,
          .items(
            [
              .conversation(.init(id: "named", title: "Theirs", members: ["alice", "bob"])),
              .conversation(.init(id: eg.conversation, title: "Theirs", members: ["alice", "bob", "carol"])),
              .conversation(.init(id: "", title: "Nobody's", members: [])),
            ], cursor: SyncCursor(rawValue: "1")))
        try await bench.rest()
        #expect(try client.reader.list(limit: 10).rows.map(\.title) == ["Mine", "Theirs"])
        #expect(try client.storedConversation(eg.conversation)?.members == ["alice", "bob", "carol"])
      }
    }
  }

  // H11
  @Test func `messages without an order keep the order of arrival`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let own = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(
          page(eg.incoming("m1", "1", order: nil)), .receipts([eg.receipt(own, order: nil)]),
          page(eg.incoming("m2", "2", order: nil)))
        try await bench.rest()
        #expect(try client.bodies() == ["1", "mine", "2"])
      }
    }
  }
}
