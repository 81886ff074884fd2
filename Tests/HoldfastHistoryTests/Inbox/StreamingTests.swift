import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Messages that arrive, or are written, piece by piece.
@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
  private func say(_ pieces: StreamPiece..., to bench: Bench) async throws {
    for piece in pieces { bench.transport.say(.piece(piece)) }
    try await bench.rest()
  }

  // H3.1
  @Test func `pieces are on the screen at once, and on disk 250 ms later`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel", reasoning: "hm"), eg.piece(1, "lo"), to: bench)
        let row = try #require(try client.rows().first)
        #expect(row.text == "Hello")
        #expect(row.reasoning == "hm")
        #expect(row.status.state == .streaming)
        #expect(row.role == .assistant)
        #expect(try client.storedPieces() == "")
        try await bench.pass(.milliseconds(250))
        #expect(try client.storedPieces() == "Hello")
      }
    }
  }

  // H3
  @Test func `a piece that comes twice, or does not follow, is passed over`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "a"), eg.piece(0, "a"), eg.piece(2, "c"), eg.piece(1, "b"), to: bench)
        #expect(try client.bodies() == ["ab"])
        try await say(eg.piece(2, "c"), to: bench)
        #expect(try client.bodies() == ["abc"])
      }
    }
  }

  // L4.3
  @Test func `a stream of somebody else of which nothing was stored leaves no empty row behind`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel"), to: bench)
        #expect(try client.bodies() == ["Hel"])
        bench.gate.fail()
      }
      bench.gate.heal()
      try await bench.running { client in
        #expect(try client.rows().isEmpty)
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel"), eg.piece(1, "lo"), to: bench)
        #expect(try client.bodies() == ["Hello"])
        try await bench.pass(.milliseconds(250))
        bench.gate.fail()
      }
      bench.gate.heal()
      #expect(try bench.client().bodies() == ["Hello"])
    }
  }

  // H3
  @Test func `a stream whose beginning was missed is not shown`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(3, "late"), eg.piece(-1, "early"), to: bench)
        #expect(try client.rows().isEmpty)
        bench.transport.say(.items([.message(eg.incoming("answer", "the whole"))], cursor: nil))
        try await bench.rest()
        #expect(try client.bodies() == ["the whole"])
      }
    }
  }

  @Test func `a piece of another sender or conversation, or of a finished message, is passed over`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.createConversation("other")
        bench.transport.say(.ready)
        try await say(
          eg.piece(0, "a"), eg.piece(1, "forged", from: "mallory"), eg.piece(1, "forged", in: "other"),
          eg.piece(0, "unknown", of: "b", in: "nowhere"), to: bench)
        #expect(try client.bodies() == ["a"])
        bench.transport.say(.items([.message(eg.incoming("answer", "done"))], cursor: nil))
        try await say(eg.piece(1, "late"), to: bench)
        #expect(try client.bodies() == ["done"])
        #expect(try client.rows().first?.status.isComplete == true)
      }
    }
  }

  // O6
  @Test func `a stream makes room for a message of another sender with its ID`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel", from: "mallory"), to: bench)
        try await bench.pass(.milliseconds(300))
        bench.transport.say(.items([.message(eg.incoming("answer", "Hello", order: 3))], cursor: nil))
        try await say(eg.piece(1, "late", from: "mallory"), to: bench)
        try await bench.pass(.milliseconds(300))
        #expect(try client.bodies() == ["Hello"])
        #expect(try client.rows().first?.status.isComplete == true)
        #expect(try client.storedPieces() == "")
      }
    }
  }

  // H3
  @Test func `the final text replaces what was streamed, and nothing of it stays behind`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel", reasoning: "h"), to: bench)
        try await bench.pass(.milliseconds(300))
        bench.transport.say(
          .items([.message(eg.incoming("answer", "Hello", reasoning: "hm", order: 3))], cursor: nil))
        try await bench.rest()
        let row = try #require(try client.rows().first)
        #expect(row.text == "Hello")
        #expect(row.reasoning == "hm")
        #expect(row.status.isComplete)
        #expect(row.status.state == .delivered)
        #expect(try client.rows().count == 1)
        #expect(try client.storedPieces() == "")
      }
    }
  }

  // H3.2
  @Test func `after a relaunch the stored prefix is there, interrupted, and goes on where it stopped`() throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel", reasoning: "hm"), to: bench)
        try await bench.pass(.milliseconds(300))
      }
      try await bench.running { client in
        let row = try #require(try client.rows().first)
        #expect(row.text == "Hel")
        #expect(row.reasoning == "hm")
        #expect(row.status.state == .interrupted)
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel", reasoning: "hm"), eg.piece(1, "lo"), to: bench)
        #expect(try client.bodies() == ["Hello"])
        #expect(try client.rows().first?.status.state == .streaming)
        try await bench.pass(.milliseconds(300))
        #expect(try client.storedPieces() == "Hello")
      }
    }
  }

  // H3.2
  @Test func `when the connection ends, what arrived is stored and marked interrupted`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "Hel"), to: bench)
        bench.transport.hangUp()
        try await bench.rest()
        #expect(try client.rows().first?.status.state == .interrupted)
        #expect(try client.storedPieces() == "Hel")
        bench.transport.say(.ready)
        try await bench.pass(.seconds(1))
        try await say(eg.piece(0, "Hel"), eg.piece(1, "lo"), to: bench)
        #expect(try client.bodies() == ["Hello"])
        #expect(try client.rows().first?.status.state == .streaming)
      }
    }
  }

  // H3.1, S4.3
  @Test func `pieces that could not be stored are stored once there is room`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await say(eg.piece(0, "a"), to: bench)
        bench.gate.fail()
        try await say(eg.piece(1, "b"), to: bench)
        try await bench.pass(.seconds(5))
        #expect(try client.bodies() == ["ab"])
        #expect(try client.storedPieces() == "")
        bench.gate.heal()
        try await bench.pass(.seconds(2))
        #expect(try client.storedPieces() == "ab")
      }
    }
  }

  // H3
  @Test func `a message that is written here goes out piece by piece, and whole once it is finished`() throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        let id = try await client.conversation(eg.conversation).beginReply().id
        #expect(try client.rows().map(\.status.state) == [.streaming])
        try await client.reply(id).append("Hel", reasoning: "hm")
        try await client.reply(id).append("lo\0")
        try await bench.rest()
        #expect(bench.transport.pieces.map(\.sequence) == [0, 1])
        #expect(bench.transport.sent.isEmpty)
        try await client.reply(id).finish()
        let message = await bench.transport.transmission(1)
        #expect(message.id == id)
        #expect(message.text == "Hello\u{FFFD}")
        #expect(message.reasoning == "hm")
        #expect(message.role == .assistant)
        #expect(try client.rows().first?.status.isComplete == true)
        bench.transport.say(.receipts([eg.receipt(id)]))
        try await bench.rest()
        #expect(try client.rows().map(\.status.state) == [.delivered])
      }
    }
  }

  // H3
  @Test func `a reply that is written here continues when the connection ends`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        let id = try await client.conversation(eg.conversation).beginReply().id
        try await client.reply(id).append("a")
        bench.transport.hangUp()
        try await bench.pass(.seconds(1))
        try await client.reply(id).append("b")
        #expect(try client.rows().first?.status.state == .streaming)
        try await client.reply(id).finish()
        #expect(try client.bodies() == ["ab"])
        #expect(try client.outbox.unsentCount() == 1)
      }
    }
  }

  @Test func `a stream that is not begun, or is finished, cannot be written to`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      #expect(await failureCode { try await client.reply("stranger").append("x") } == .unknownMessage)
      #expect(await failureCode { try await client.reply("stranger").finish() } == .unknownMessage)
      #expect(
        await failureCode { _ = try await client.conversation("nowhere").beginReply().id }
          == .unknownConversation)
      let id = try await client.conversation(eg.conversation).beginReply().id
      #expect(await failureCode { try await client.reply(id).finish() } == .emptyMessage)
      try await client.reply(id).append("x")
      bench.gate.fail()
      #expect(await failureCode { try await client.reply(id).finish() } == .storageFull)
      bench.gate.heal()
      try await client.reply(id).finish()
      #expect(await failureCode { try await client.reply(id).append("y") } == .unknownMessage)
      #expect(try client.bodies() == ["x"])
    }
  }

  // O2.2, O7.11, O8.2
  @Test
  func `a stream that is longer than the backend accepts is finished as a failed message, with its text`()
    throws
  {
    try Bench.simulate(maximumMessageBytes: 10) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try await client.conversation(eg.conversation).beginReply().id
        try await client.reply(id).append("0123456789x")
        try await client.reply(id).finish()
        try await bench.rest()
        let row = try #require(try client.rows().first)
        #expect(row.text == "0123456789x")
        #expect(row.status.isComplete)
        guard let reason = row.status.failure else {
          Issue.record("it did not fail")
          return
        }
        #expect(reason.code == .tooLong)
        #expect(bench.transport.sent.isEmpty)
        #expect(try await client.message(id).takeBack().text == "0123456789x")
      }
    }
  }

  // O12.1, O12.2
  @Test func `a stream that is finished enters a full outbox, and the next message does not`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(.init(outbox: .init(perConversation: 1, total: 1)), isSimulated: true)
      let id = try await client.conversation(eg.conversation).beginReply().id
      try await client.reply(id).append("whole")
      try client.send("fills it", in: eg.conversation)
      try await client.reply(id).finish()
      #expect(try client.outbox.unsentCount() == 2)
      #expect(throws: ChatError.self) { try client.send("too many", in: eg.conversation) }
      #expect(try bench.client(isSimulated: true).bodies() == ["whole", "fills it"])
    }
  }

  // O9.2, O9.3, H3
  @Test
  func `a reply that was taken back or deleted does not begin again with the pieces that the server has`()
    throws
  {
    try Bench.simulate { bench in
      let gone = Mutexed<[MessageID]>([])
      try await bench.running { client in
        for text in ["taken back", "cancelled"] {
          let id = try await client.conversation(eg.conversation).beginReply().id
          try await client.reply(id).append(text)
          try await client.reply(id).finish()
          gone.withLock { $0.append(id) }
        }
        let (takenBack, cancelled) = gone.withLock { ($0[0], $0[1]) }
        try await client.message(takenBack).takeBack()
        try await client.message(cancelled).cancel()
        try Trip.make(client)
        let deleted = try await client.conversation(Trip.id).beginReply().id
        try await client.reply(deleted).append("deleted")
        try await client.conversation(Trip.id).delete()
        gone.withLock { $0.append(deleted) }
        try await bench.pass(.seconds(20))
        try Trip.make(client)
      }
      // At the next launch, the server sends the replies of this account that it has.
      try await bench.running { client in
        bench.transport.say(.ready)
        let ids = gone.withLock { $0 }
        for (id, conversation) in zip(ids, [eg.conversation, eg.conversation, Trip.id]) {
          bench.transport.say(.piece(eg.piece(0, "again", of: id, in: conversation, from: eg.user)))
        }
        // A reply that another device of the account writes begins here as well.
        bench.transport.say(.piece(eg.piece(0, "elsewhere", from: eg.user)))
        try await bench.rest()
        #expect(ids.count == 3)
        #expect(try client.bodies() == ["elsewhere"])
        #expect(try Trip.bodies(client) == [])
      }
    }
  }

  // O12, H3
  @Test func `pieces that wait for a link are bounded, and the whole text goes all the same`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        let id = try await client.conversation(eg.conversation).beginReply().id
        let text = String(repeating: "x", count: 100_000)
        for _ in 1...30 { try await client.reply(id).append(text) }
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        await client.reconnectNow()
        try await bench.rest()
        #expect(bench.transport.pieces.isEmpty, "One that lacks its beginning is of no use.")
        try await client.reply(id).finish()
        #expect(await bench.transport.transmission(1).text.utf8.count == 3_000_000)
      }
    }
  }
}
