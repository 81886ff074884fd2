import Foundation
import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// Edits, deletions and reactions with a backend that is played by hand.
@Suite(.timeLimit(.minutes(10))) struct OperationDeliveryTests {
  private func row(_ id: MessageID, _ client: ChatClient) throws -> MessageRow {
    try #require(try client.rows().first { $0.id == id })
  }

  /// A message of ours that the server has.
  private func delivered(_ text: String, _ client: ChatClient, order: Int64 = 1) throws -> MessageID {
    let id = try client.send(text, in: eg.conversation)
    try client.store.write {
      try $0.confirmMessage(id, in: eg.conversation, order: order, createdAt: eg.date)
    }
    return id
  }

  private func overlays(_ client: ChatClient) throws -> Int {
    try client.store.read { try $0.row("SELECT count(*) FROM operation")![0] }
  }

  // O14
  @Test func `operations leave behind their message, each with an ID of its own, in one window`() throws {
    try Bench.simulate(window: 5) { bench in
      let client = try bench.client(isSimulated: true)
      let id = try client.send("one", in: eg.conversation)
      let reaction = try #require(try client.react("👍", to: id))
      let next = try client.send("two", in: eg.conversation)
      try await bench.running { client in
        bench.transport.say(.ready)
        await bench.transport.departure(3)
        let sent = bench.transport.sent
        #expect(sent.map(\.id) == [id, reaction, next])
        #expect(sent.map(\.predecessor) == [nil, id, reaction])
        #expect(sent.map(\.operation) == [nil, MessageOperation(.react, of: id), nil])
        #expect(sent.map(\.body) == ["one", "👍", "two"])
      }
    }
  }

  // O14
  @Test func `an edit and a deletion carry what the server needs, and no text but their own`() throws {
    try Bench.simulate(window: 5) { bench in
      try await bench.running { client in
        let ids = try [1, 2].map { try delivered("secret", client, order: $0) }
        let edit = try client.editMessage(ids[0], to: "open")
        let deletion = try client.deleteMessage(ids[1])
        bench.transport.say(.ready)
        await bench.transport.departure(2)
        let sent = bench.transport.sent
        #expect(sent.map(\.id) == [edit, deletion])
        #expect(sent.map(\.body) == ["open", ""])
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
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.editMessage(id, to: "two"))
        await bench.transport.departure(1)
        try await bench.rest()
        #expect(try row(id, client).change?.status == "Edit sending...")
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.unsentCount() == 0)
        #expect(try row(id, client).body == "two")
        #expect(try row(id, client).change == nil)
        #expect(await (try? client.explain(operation))?.code == .delivered)
        let time = eg.date.addingTimeInterval(9)
        bench.transport.say(
          .items(
            [.message(eg.incoming(id, from: eg.user, "two", revision: 1, editedAt: time))], cursor: nil))
        try await bench.rest()
        #expect(try overlays(client) == 0)
        #expect(try row(id, client).body == "two")
        #expect(try row(id, client).editedAt == time)
      }
    }
  }

  // O6, O14
  @Test func `echo first -> the state is there, and the receipt ends the waiting`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.react("👍", to: id))
        await bench.transport.departure(1)
        bench.transport.say(
          .items(
            [
              .message(
                eg.incoming(
                  id, from: eg.user, "one", revision: 1, reactions: [SentReaction("👍", from: eg.user)]))
            ], cursor: nil))
        try await bench.rest()
        #expect(try client.unsentCount() == 1)
        #expect(try row(id, client).reactions == [Reaction(value: "👍", count: 1, isMine: true)])
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.unsentCount() == 0)
        #expect(try overlays(client) == 0)
        #expect(try row(id, client).reactions == [Reaction(value: "👍", count: 1, isMine: true)])
      }
    }
  }

  // O14
  @Test func `another device's edit that came after ours wins once our receipt is here`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.editMessage(id, to: "ours"))
        await bench.transport.departure(1)
        bench.transport.say(
          .items([.message(eg.incoming(id, from: eg.user, "theirs", revision: 2))], cursor: nil),
          .receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try row(id, client).body == "theirs")
        #expect(try overlays(client) == 0)
      }
    }
  }

  // O6, O11, O14
  @Test func `an operation whose receipt was lost leaves again under its ID, also after a relaunch`() throws {
    try Bench.simulate { bench in
      let sent = Mutexed<MessageID?>(nil)
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.editMessage(id, to: "two"))
        sent.withLock { $0 = operation }
        await bench.transport.departure(1)
        bench.transport.hangUp()
        await bench.transport.departure(2)
      }
      try await bench.running { client in
        await bench.transport.departure(3)
        let operation = try #require(sent.withLock { $0 })
        #expect(bench.transport.sent.map(\.id) == [operation, operation, operation])
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.unsentCount() == 0)
        #expect(try client.bodies() == ["two"])
      }
    }
  }

  // O14
  @Test func `a backend that does not count: the receipt writes it into the message`() throws {
    try Bench.simulate(window: 4) { bench in
      try await bench.running { client in
        let ids = try [1, 2].map { try delivered("one", client, order: $0) }
        bench.transport.say(.ready)
        let operations = [
          try #require(try client.editMessage(ids[0], to: "two")),
          try #require(try client.react("👍", to: ids[0])),
          try #require(try client.react("🎉", to: ids[0])),
          try #require(try client.deleteMessage(ids[1])),
        ]
        await bench.transport.departure(4)
        bench.transport.say(.receipts(operations.map { eg.receipt($0) }))
        try await bench.rest()
        #expect(try overlays(client) == 0)
        #expect(try client.unsentCount() == 0)
        #expect(try row(ids[0], client).body == "two")
        #expect(try row(ids[0], client).editedAt == eg.date)
        #expect(try row(ids[0], client).reactions.map(\.value) == ["🎉", "👍"])
        #expect(try row(ids[1], client).isDeleted)
        let removal = try #require(try client.unreact("👍", from: ids[0]))
        await bench.transport.departure(5)
        bench.transport.say(.receipts([eg.receipt(removal)]))
        try await bench.rest()
        #expect(try row(ids[0], client).reactions.map(\.value) == ["🎉"])
      }
    }
  }

  // O8
  @Test func `operations of a message that is rejected wait for it, and those behind go on`() throws {
    try Bench.simulate(window: 3) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        let reaction = try #require(try client.react("👍", to: id))
        let next = try client.send("two", in: eg.conversation)
        await bench.transport.departure(3)
        let first = bench.transport.sent
        bench.transport.say(
          .refused(id, handover: first[0].handover, .rejected(eg.rejection)),
          .refused(reaction, handover: first[1].handover, .gap),
          .refused(next, handover: first[2].handover, .gap))
        #expect(await bench.transport.departure(4).id == next)
        bench.transport.say(.receipts([eg.receipt(next, order: 1)]))
        try await bench.rest()
        #expect(bench.transport.sent.count == 4)
        let explanation = try await client.explain(reaction)
        #expect(explanation.code == .waitsForAnother)
        #expect(explanation.waitsFor == id)
        try await client.retry(id)
        await bench.transport.departure(6)
        #expect(bench.transport.sent.suffix(2).map(\.id) == [id, reaction])
        #expect(bench.transport.sent.last?.predecessor == id)
      }
    }
  }

  // O7, O8
  @Test
  func `a rejected edit fails with its reason, the message behind it leaves, and a retry sends it again`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.editMessage(id, to: "two"))
        let next = try client.send("three", in: eg.conversation)
        let away = await bench.transport.departure(1)
        bench.transport.say(.refused(operation, handover: away.handover, .rejected(eg.rejection)))
        #expect(await bench.transport.departure(2).id == next)
        #expect(try row(id, client).body == "one")
        #expect(try row(id, client).change?.failure == eg.rejection)
        #expect(try await client.explain(operation).code == .failed)
        bench.transport.say(.receipts([eg.receipt(next, order: 2)]))
        try await bench.rest()
        try await client.retry(operation)
        #expect(await bench.transport.departure(3).id == operation)
      }
    }
  }

  // O7
  @Test func `three faults of its own stop an operation`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.react("👍", to: id))
        for attempt in 1...3 {
          let away = await bench.transport.departure(attempt)
          bench.transport.say(.refused(operation, handover: away.handover, .transient(after: nil)))
        }
        try await bench.rest()
        #expect(try row(id, client).change?.failure?.code == .attemptsSpent)
        #expect(try row(id, client).reactions.isEmpty)
      }
    }
  }

  // O7, O8
  @Test func `a message that ended the process too often takes its operations out of the same window`() throws
  {
    try Bench.simulate(window: 5) { bench in
      let client = try bench.client(isSimulated: true)
      let id = try client.send("poison", in: eg.conversation)
      try client.react("👍", to: id)
      let next = try client.send("good", in: eg.conversation)
      for _ in 1...3 { try client.store.writeUnsynced { try $0.countDeparture(of: id) } }
      try await bench.running(policy: RetryPolicy(interruptionLimit: 3)) { client in
        bench.transport.say(.ready)
        #expect(await bench.transport.departure(1).id == next)
        try await bench.rest()
        #expect(bench.transport.sent.count == 1)
      }
    }
  }

  // O16
  @Test func `operations of held messages wait with them, and follow them when they are sent`() throws {
    try Bench.simulate(window: 5) { bench in
      let client = try bench.client(isSimulated: true)
      let old = try delivered("delivered", client)
      let ids = try ["one", "two"].map { try client.send($0, in: eg.conversation) }
      let reaction = try #require(try client.react("👍", to: ids[0]))
      let edit = try #require(try client.editMessage(old, to: "edited"))
      try await bench.pass(.seconds(90_000))
      try await bench.running { client in
        bench.transport.say(.ready)
        #expect(await bench.transport.departure(1).id == edit, "Nothing of it waits for an answer.")
        bench.transport.say(.receipts([eg.receipt(edit, revision: 1)]))
        try await bench.rest()
        #expect(try client.heldSnapshot().count == 2)
        #expect(try row(ids[0], client).change?.status == "Reaction waits for its message")
        #expect(try await client.explain(reaction).waitsFor == ids[0])
        let new = try client.send("new", in: eg.conversation)
        await bench.transport.departure(2)
        bench.transport.say(.receipts([eg.receipt(new, order: 2)]))
        try await bench.rest()
        try client.answerHeld(.send)
        await bench.transport.departure(5)
        #expect(bench.transport.sent.map(\.id) == [edit, new, ids[0], ids[1], reaction])
      }
    }
  }

  // O17
  @Test func `an operation is explained by its message while that waits too`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        let reaction = try #require(try client.react("👍", to: id))
        await bench.transport.departure(1)
        try await bench.rest()
        let explanation = try await client.explain(reaction)
        #expect(explanation.code == .waitsForAnother)
        #expect(explanation.waitsFor == id)
        bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
        await bench.transport.departure(2)
        #expect(try await client.explain(reaction).code == .onItsWay)
      }
    }
  }

  @Test(arguments: [-1, 1 << 60, Int64.max, Int64.min] as [Int64])
  func `a receipt that cannot be right settles nothing`(revision: Int64) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.editMessage(id, to: "two"))
        await bench.transport.departure(1)
        bench.transport.say(
          .receipts([
            eg.receipt(operation, revision: revision), eg.receipt(operation, in: "elsewhere", revision: 1),
          ]))
        try await bench.rest()
        #expect(try client.unsentCount() == 1)
        #expect(bench.transport.sent.count == 1)
        // The same of a state.
        bench.transport.say(
          .items([.message(eg.incoming(id, from: eg.user, "forged", revision: revision))], cursor: nil))
        try await bench.rest()
        #expect(try row(id, client).body == "two")
      }
    }
  }

  @Test func `a foreign message under an operation's ID is never sent, and its receipt is still found`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        let operation = try #require(try client.editMessage(id, to: "two"))
        bench.transport.say(
          .ready, .items([.message(eg.incoming(operation, from: "mallory", "forged", order: 2))], cursor: nil)
        )
        try await bench.rest()
        let away = await bench.transport.departure(1)
        #expect(away.body == "two")
        #expect(away.operation == MessageOperation(.edit, of: id))
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.unsentCount() == 0)
        #expect(bench.transport.sent.count == 1)
      }
    }
  }

  @Test func `a state of somebody else's making changes nothing`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(
          .ready,
          .items(
            [
              .message(eg.incoming(id, from: "mallory", "forged", revision: 5)),
              .message(eg.incoming(id, in: "elsewhere", from: eg.user, "forged", revision: 5)),
            ], cursor: nil))
        try await bench.rest()
        #expect(try client.bodies() == ["one"])
      }
    }
  }

  // O6, O14
  @Test func `an echo that brings a later state confirms the message and shows it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("one", in: eg.conversation)
        await bench.transport.departure(1)
        bench.transport.say(
          .items(
            [
              .message(
                eg.incoming(
                  id, from: eg.user, "edited on another phone", revision: 2, editedAt: eg.date,
                  reactions: [SentReaction("👍", from: eg.other), SentReaction("\u{7}", from: eg.other)]))
            ], cursor: nil))
        try await bench.rest()
        #expect(try client.unsentCount() == 0)
        #expect(try row(id, client).body == "edited on another phone")
        #expect(try row(id, client).reactions == [Reaction(value: "👍", count: 1, isMine: false)])
      }
    }
  }

  @Test func `contents of operations never appear in the log`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try delivered("one", client)
        bench.transport.say(.ready)
        let operation = try #require(try client.editMessage(id, to: "secret"))
        let away = await bench.transport.departure(1)
        bench.transport.say(.refused(operation, handover: away.handover, .rejected(eg.rejection)))
        bench.gate.fail()
        try await bench.pass(.seconds(30))
        #expect(bench.log.lines.count > 1)
        #expect(!bench.log.lines.contains { $0.contains("secret") })
      }
    }
  }
}
