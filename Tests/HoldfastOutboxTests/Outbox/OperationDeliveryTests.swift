import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Edits, deletions and reactions with a backend that the test plays.
@Suite(.timeLimit(.minutes(10))) struct OperationDeliveryTests {
  // O14.4
  @Test func `operations leave behind their message, each with an ID of its own, in one window`() throws {
    try Bench.simulate(window: 5) { bench in
      let client = try bench.client(isSimulated: true)
      let id = try client.send("one", in: eg.conversation)
      let reaction = try #require(try client.message(id).react("👍"))
      let next = try client.send("two", in: eg.conversation)
      try await bench.running { client in
        bench.transport.say(.ready)
        await bench.transport.transmission(3)
        let sent = bench.transport.sent
        #expect(sent.map(\.id) == [id, reaction, next])
        #expect(sent.map(\.predecessor) == [nil, id, reaction])
        #expect(sent.map(\.operation) == [nil, MessageOperation(.react, of: id), nil])
        #expect(sent.map(\.text) == ["one", "👍", "two"])
      }
    }
  }

  // O14.3
  @Test func `the deletion of a message that may have arrived leaves after the message`() throws {
    try Bench.simulate(window: 5) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        await bench.transport.transmission(1)
        let deletion = try #require(try client.message(id).delete())
        await bench.transport.transmission(2)
        #expect(bench.transport.sent.map(\.id) == [id, deletion])
        #expect(bench.transport.sent[1].operation == MessageOperation(.delete, of: id))
        #expect(bench.transport.sent[1].predecessor == id)
      }
    }
  }

  // O14
  @Test func `an edit and a deletion carry what the server needs, and no text but their own`() throws {
    try Bench.simulate(window: 5) { bench in
      try await bench.running { client in
        let ids = try [1, 2].map { try client.delivered("secret", order: $0) }
        let edit = try client.message(ids[0]).edit(to: "open")
        let deletion = try client.message(ids[1]).delete()
        bench.transport.say(.ready)
        await bench.transport.transmission(2)
        let sent = bench.transport.sent
        #expect(sent.map(\.id) == [edit, deletion])
        #expect(sent.map(\.text) == ["open", ""])
        #expect(
          sent.map(\.operation) == [
            MessageOperation(.edit, of: ids[0]), MessageOperation(.delete, of: ids[1]),
          ])
      }
    }
  }

  // O14
  @Test func `receipt first -> the edit stays over the message until its state comes`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).edit(to: "two"))
        await bench.transport.transmission(1)
        try await bench.rest()
        #expect(try client.row(id).operation?.status.text == "Edit sending...")
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try client.row(id).text == "two")
        #expect(try client.row(id).operation == nil)
        #expect((try? client.message(operation).explain())?.code == .delivered)
        let time = eg.date.addingTimeInterval(9)
        bench.transport.say(
          .items(
            [.message(eg.incoming(id, from: eg.user, "two", revision: 1, editedAt: time))], cursor: nil))
        try await bench.rest()
        #expect(try client.overlays() == 0)
        #expect(try client.row(id).text == "two")
        #expect(try client.row(id).editedAt == time)
      }
    }
  }

  // O6.4, O14
  @Test func `echo first -> the state is there, and the receipt ends the waiting`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).react("👍"))
        await bench.transport.transmission(1)
        bench.transport.say(
          .items(
            [
              .message(
                eg.incoming(
                  id, from: eg.user, "one", revision: 1,
                  reactions: [IncomingMessage.Reaction("👍", from: eg.user)]))
            ], cursor: nil))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 1)
        #expect(try client.row(id).reactions == [MessageRow.Reaction(value: "👍", count: 1, isMine: true)])
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try client.overlays() == 0)
        #expect(try client.row(id).reactions == [MessageRow.Reaction(value: "👍", count: 1, isMine: true)])
      }
    }
  }

  // O14
  @Test func `another device's edit that came after ours wins once our receipt is here`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).edit(to: "ours"))
        await bench.transport.transmission(1)
        bench.transport.say(
          .items([.message(eg.incoming(id, from: eg.user, "theirs", revision: 2))], cursor: nil),
          .receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.row(id).text == "theirs")
        #expect(try client.overlays() == 0)
      }
    }
  }

  // O6.1, O11.3, O14
  @Test func `an operation whose receipt was lost leaves again under its ID, also after a relaunch`() throws {
    try Bench.simulate { bench in
      let sent = Mutexed<MessageID?>(nil)
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).edit(to: "two"))
        sent.withLock { $0 = operation }
        await bench.transport.transmission(1)
        bench.transport.hangUp()
        await bench.transport.transmission(2)
      }
      try await bench.running { client in
        await bench.transport.transmission(3)
        let operation = try #require(sent.withLock { $0 })
        #expect(bench.transport.sent.map(\.id) == [operation, operation, operation])
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try client.bodies() == ["two"])
      }
    }
  }

  // O14
  @Test func `a backend that does not count: the receipt writes it into the message`() throws {
    try Bench.simulate(window: 4) { bench in
      try await bench.running { client in
        let ids = try [1, 2].map { try client.delivered("one", order: $0) }
        bench.transport.say(.ready)
        let operations = [
          try #require(try client.message(ids[0]).edit(to: "two")),
          try #require(try client.message(ids[0]).react("👍")),
          try #require(try client.message(ids[0]).react("🎉")),
          try #require(try client.message(ids[1]).delete()),
        ]
        await bench.transport.transmission(4)
        bench.transport.say(.receipts(operations.map { eg.receipt($0) }))
        try await bench.rest()
        #expect(try client.overlays() == 0)
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try client.row(ids[0]).text == "two")
        #expect(try client.row(ids[0]).editedAt == eg.date)
        #expect(try client.row(ids[0]).reactions.map(\.value) == ["🎉", "👍"])
        #expect(try client.row(ids[1]).isDeleted)
        let removal = try #require(try client.message(ids[0]).unreact("👍"))
        await bench.transport.transmission(5)
        bench.transport.say(.receipts([eg.receipt(removal)]))
        try await bench.rest()
        #expect(try client.row(ids[0]).reactions.map(\.value) == ["🎉"])
      }
    }
  }

  // O6.2, O14
  @Test func `an echo that brings a later state confirms the message and shows it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(
          .items(
            [
              .message(
                eg.incoming(
                  id, from: eg.user, "edited on another phone", revision: 2, editedAt: eg.date,
                  reactions: [
                    IncomingMessage.Reaction("👍", from: eg.other),
                    IncomingMessage.Reaction("\u{7}", from: eg.other),
                  ]))
            ], cursor: nil))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try client.row(id).text == "edited on another phone")
        #expect(try client.row(id).reactions == [MessageRow.Reaction(value: "👍", count: 1, isMine: false)])
      }
    }
  }
}
