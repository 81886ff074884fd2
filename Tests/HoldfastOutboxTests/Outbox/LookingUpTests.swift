import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Messages that were sent and not answered, with a backend that does not remember IDs forever (rule O6).
@Suite(.timeLimit(.minutes(10))) struct LookingUpTests {
  private typealias Body = @Sendable (Bench, ChatClient, MessageID) async throws -> Void

  /// Sends a message. The connection ends without an answer, and the next connection begins.
  private func simulate(
    _ idempotency: TransportCapabilities.Idempotency, after pause: Duration? = nil, window: Int = 1,
    _ body: @escaping Body
  ) throws {
    try Bench.simulate(window: window, idempotency: idempotency) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(1)
        if let pause {
          bench.path.set(isUp: false)
          try await bench.pass(pause)
          bench.path.set(isUp: true)
        } else {
          bench.transport.hangUp()
        }
        // Without this rest, the old connection would get the event.
        try await bench.rest()
        bench.transport.say(.ready)
        try await body(bench, client, id)
      }
    }
  }

  private func failure(_ client: ChatClient) throws -> FailureReason? {
    try client.rows().first?.status.failure
  }

  // O6.6
  @Test func `in doubt -> delivered when the server has it, and it does not leave again`() throws {
    try simulate(.none) { bench, client, id in
      #expect(await bench.transport.question(1) == [id])
      try await bench.rest()
      #expect(try client.message(id).explain().code == .checking)
      bench.transport.answer([id: .accepted(eg.receipt(id, order: 4))])
      try await bench.rest()
      #expect(try client.rows().map(\.status.state) == [.delivered])
      #expect(bench.transport.sent.count == 1)
      #expect(try client.outbox.unsentCount() == 0)
    }
  }

  // O6.6
  @Test func `in doubt -> queued when the server does not have it, and it leaves again`() throws {
    try simulate(.none) { bench, _, id in
      bench.transport.answer([id: .absent])
      #expect(await bench.transport.transmission(2).id == id)
      #expect(bench.transport.lookUps == [[id]])
    }
  }

  // O6.7, O6.8
  @Test func `in doubt -> the user is asked when the server does not know, and retry sends it again`() throws
  {
    try simulate(.none) { bench, client, id in
      bench.transport.answer([:])
      try await bench.pass(.seconds(60))
      #expect(bench.transport.sent.count == 1)
      let reason = try #require(try failure(client))
      #expect(reason.code == .outcomeUnknown)
      #expect(reason.mayHaveArrived)
      #expect(reason.explanation == "It may have been delivered. Send it again?")
      #expect(try client.rows().first?.status.text == "Unknown - Tap to decide")
      try await client.message(id).retry()
      #expect(await bench.transport.transmission(2).id == id)
      #expect(bench.transport.lookUps.count == 1, "Its user has decided.")
      bench.transport.hangUp()
      bench.transport.say(.ready)
      #expect(await bench.transport.question(2) == [id], "It has left once more.")
    }
  }

  // O4.1, O6
  @Test func `a message in doubt that is retried behind others lets none overtake them`() throws {
    try simulate(.none, window: 8) { bench, client, id in
      bench.transport.answer([:])
      try await bench.pass(.seconds(1))
      #expect(try failure(client)?.code == .outcomeUnknown)
      let second = try client.send("second", in: eg.conversation)
      try await client.message(id).retry()
      let third = try client.send("third", in: eg.conversation)
      try await bench.rest()
      #expect(bench.transport.sent.map(\.id) == [id, second])
      bench.transport.say(.receipts([eg.receipt(second, order: 2)]))
      await bench.transport.transmission(4)
      #expect(bench.transport.sent.map(\.id) == [id, second, id, third])
      #expect(bench.transport.sent[3].predecessor == id)
    }
  }

  // O4.3, O6.1
  @Test func `messages that were in flight when the connection ended leave again as a window`() throws {
    try simulate(.forever, window: 8) { bench, client, id in
      let second = try client.send("second", in: eg.conversation)
      await bench.transport.transmission(3)
      bench.transport.hangUp()
      try await bench.rest()
      bench.transport.say(.ready)
      await bench.transport.transmission(5)
      #expect(bench.transport.sent.map(\.id) == [id, id, second, id, second])
      #expect(bench.transport.sent[4].predecessor == id)
    }
  }

  // O6.2, O9.2
  @Test func `a message in doubt can be deleted here, and comes back if the server has it`() throws {
    try simulate(.none) { bench, client, id in
      bench.transport.answer([:])
      try await bench.rest()
      try await bench.pass(.seconds(1))
      try await client.message(id).cancel()
      #expect(try client.rows().isEmpty)
      bench.transport.say(.items([.message(eg.incoming(id, from: eg.user, "hi"))], cursor: nil))
      try await bench.rest()
      #expect(try client.rows().map(\.status.state) == [.delivered])
    }
  }

  // O6.2, O9.2, O14.2, O14.3, O14.4
  @Test(arguments: [MessageOperation.Kind.edit, .delete, .react])
  func `what was done to a message in doubt that is cancelled is done to the server's copy`(
    _ kind: MessageOperation.Kind
  ) throws {
    try simulate(.none) { bench, client, id in
      await bench.transport.question(1)
      let message = client.message(id)
      let operation =
        switch kind {
        case .edit: try message.edit(to: "hello")
        case .delete: try message.delete()
        case .react, .unreact: try message.react("👍")
        }
      bench.transport.answer([:])
      try await bench.pass(.seconds(1))
      try await message.cancel()
      #expect(try client.rows().isEmpty)
      #expect(bench.transport.sent.count == 1)
      bench.transport.say(.items([.message(eg.incoming(id, from: eg.user, "hi"))], cursor: nil))
      let left = await bench.transport.transmission(2)
      #expect(left.id == operation)
      #expect(left.operation == MessageOperation(kind, of: id))
      #expect(left.text == (kind == .edit ? "hello" : kind == .react ? "👍" : ""))
      if kind != .delete { #expect(try client.rows().map(\.status.state) == [.delivered]) }
    }
  }

  // O6.2, O9.2
  @Test func `what was done to a message that has not left is gone with it`() throws {
    try Bench.simulate(window: 1, idempotency: .none) { bench in
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try client.message(id).react("👍")
        try await client.message(id).cancel()
        bench.transport.say(.ready)
        bench.transport.say(.items([.message(eg.incoming(id, from: eg.user, "hi"))], cursor: nil))
        try await bench.pass(.seconds(60))
        #expect(bench.transport.sent.isEmpty)
      }
    }
  }

  // O6, O9.3
  @Test func `a message in doubt can be taken back into the composer`() throws {
    try simulate(.none) { bench, client, id in
      bench.transport.answer([id: .unknown])
      try await bench.pass(.seconds(1))
      #expect(try await client.message(id).takeBack().text == "hi")
      #expect(try client.rows().isEmpty)
    }
  }

  // O6, O9.3, O14.2
  @Test func `operations on a message in doubt wait for it, and are taken back with it`() throws {
    try simulate(.none) { bench, client, id in
      await bench.transport.question(1)
      let edit = try #require(try client.message(id).edit(to: "hello"))
      bench.transport.answer([:])
      try await bench.pass(.seconds(60))
      #expect(bench.transport.sent.count == 1)
      #expect(try client.rows().first?.operation?.status.text == "Edit waits for its message")
      #expect(try client.message(edit).explain().waitsFor == id)
      #expect(try await client.message(id).takeBack().text == "hello")
      #expect(try client.rows().isEmpty)
      #expect(try client.outbox.unsentCount() == 0)
      #expect(try client.message(edit).explain().code == .unknown)
    }
  }

  // O6, O14.2
  @Test func `operations on a message in doubt follow it, once its user sends it again`() throws {
    try simulate(.none) { bench, client, id in
      await bench.transport.question(1)
      let edit = try client.message(id).edit(to: "hello")
      bench.transport.answer([:])
      try await bench.pass(.seconds(1))
      try await client.message(id).retry()
      #expect(await bench.transport.transmission(2).text == "hi", "The server may have it with this text.")
      try await bench.rest()
      bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
      #expect(await bench.transport.transmission(3).id == edit)
    }
  }

  // O6, O14
  @Test func `an operation in doubt leaves again without a question, with every kind of guarantee`() throws {
    for idempotency in [TransportCapabilities.Idempotency.none, .window(.seconds(60), scope: .connection)] {
      try Bench.simulate(window: 1, idempotency: idempotency) { bench in
        try await bench.running { client in
          bench.transport.say(.ready)
          let id = try client.send("hi", in: eg.conversation)
          await bench.transport.transmission(1)
          try await bench.rest()
          bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
          try await bench.rest()
          let edit = try #require(try client.message(id).edit(to: "hello"))
          #expect(await bench.transport.transmission(2).id == edit)
          bench.transport.hangUp()
          try await bench.rest()
          bench.transport.say(.ready)
          #expect(await bench.transport.transmission(3).id == edit)
          #expect(bench.transport.lookUps.isEmpty)
        }
      }
    }
  }

  // O6.7
  @Test func `a receipt that cannot be right has no effect`() throws {
    try simulate(.none) { bench, client, id in
      bench.transport.answer([id: .accepted(eg.receipt(id, in: "other"))])
      try await bench.pass(.seconds(1))
      #expect(try failure(client)?.code == .outcomeUnknown)
    }
  }

  // O4.1, O4.4, O6.8
  @Test func `the order of a conversation holds while the server is asked, and the others go on`() throws {
    try simulate(.none) { bench, client, id in
      await bench.transport.question(1)
      let second = try client.send("second", in: eg.conversation)
      try client.createConversation("other")
      let elsewhere = try client.send("elsewhere", in: "other")
      #expect(await bench.transport.transmission(2).id == elsewhere)
      try await bench.rest()
      #expect(bench.transport.sent.count == 2)
      bench.transport.answer([id: .absent])
      await bench.transport.transmission(3)
      try await bench.rest()
      bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
      await bench.transport.transmission(4)
      #expect(bench.transport.sent.map(\.id) == [id, elsewhere, id, second])
    }
  }

  // D15.2, O6.6
  @Test func `the answer finds a conversation that was renamed after the question`() throws {
    try simulate(.none) { bench, client, id in
      #expect(await bench.transport.question(1) == [id])
      try await client.conversation(eg.conversation).replaceID(with: "server-1")
      bench.transport.answer([id: .absent])
      #expect(await bench.transport.transmission(2).id == id)
      #expect(bench.transport.lookUps == [[id]])
    }
  }

  // O6.6
  @Test func `a question that is not answered ends the connection, and is asked again on the next`() throws {
    try simulate(.none) { bench, client, id in
      let before = bench.scheduler.now
      await bench.transport.question(2)
      #expect(bench.scheduler.now - before >= .seconds(20))
      bench.transport.say(.items([.message(eg.incoming(id, from: eg.user, "hi"))], cursor: nil))
      try await bench.rest()
      bench.transport.answer([:])
      try await bench.rest()
      #expect(
        try client.rows().map(\.status.state) == [.delivered], "The echo came while the server was asked.")
    }
  }

  // O6.5
  @Test func `for ever, and within the window, a message is sent again without a question`() throws {
    for idempotency in [TransportCapabilities.Idempotency.forever, .window(.seconds(3600), scope: .account)] {
      try simulate(idempotency, after: .seconds(3500)) { bench, _, id in
        #expect(await bench.transport.transmission(2).id == id)
        #expect(bench.transport.lookUps.isEmpty)
      }
    }
  }

  // O6.5, O6.6, O6.8
  @Test func `beyond the window, or its scope, the server is asked`() throws {
    // The second copy takes time as well. A message that is just inside the window may arrive outside it.
    try simulate(.window(.seconds(3600), scope: .account), after: .seconds(3590)) { bench, _, id in
      #expect(await bench.transport.question(1) == [id])
      #expect(bench.transport.sent.count == 1)
    }
    try simulate(.window(.seconds(3600), scope: .connection), after: .seconds(1)) { bench, _, id in
      #expect(await bench.transport.question(1) == [id])
    }
  }

  // O6.6
  @Test func `a refused message is not on the server, and leaves again without a question`() throws {
    try Bench.simulate(window: 1, idempotency: .none) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        let message = await bench.transport.transmission(1)
        bench.transport.say(
          .refused(id, transmission: message.transmission, .notNow(after: nil, mayHaveArrived: false)))
        try await bench.rest()
        bench.transport.hangUp()
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(2).id == id)
        #expect(bench.transport.lookUps.isEmpty)
      }
    }
  }

  // O6.6, O6.8, O11
  @Test func `a process that ended with a message on its way leaves it in doubt`() throws {
    try Bench.simulate(window: 1, idempotency: .window(.seconds(3600), scope: .account)) { bench in
      let id = try {
        let client = try bench.client(isSimulated: true)
        let id = try client.send("hi", in: eg.conversation)
        try client.transmit(id, at: 1_767_225_600_000_000)
        return id
      }()
      bench.dateError.withLock { $0 = 3 * 3600 }
      try await bench.running { _ in
        bench.transport.say(.ready)
        #expect(await bench.transport.question(1) == [id])
        bench.transport.answer([id: .absent])
        await bench.transport.transmission(1)
      }
    }
  }

  // O7.6
  @Test func `a message that ends the process is stopped, regardless of the server's answers`() throws {
    try Bench.simulate(window: 1, idempotency: .none) { bench in
      let id = try {
        let client = try bench.client(isSimulated: true)
        let id = try client.send("hi", in: eg.conversation)
        for _ in 1...10 {
          try client.transmit(id, at: 1)
          try client.store.write { try $0.outbox.noteAbsent([id]) }
        }
        return id
      }()
      bench.transport.answer([id: .absent])
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        #expect(bench.transport.sent.isEmpty)
        #expect(try failure(client)?.code == .interruptedTooOften)
        try await client.message(id).cancel()
        #expect(try client.rows().isEmpty, "Its user can delete it, although it may have arrived.")
      }
    }
  }

  @Test func `each connection names the same device, and so does the next launch`() throws {
    try Bench.simulate { bench in
      try await bench.running { _ in
        bench.transport.say(.ready)
        try await bench.rest()
        bench.transport.hangUp()
        try await bench.pass(.seconds(2))
      }
      try await bench.running { _ in
        bench.transport.say(.ready)
        try await bench.rest()
      }
      #expect(bench.transport.devices.count == 3)
      #expect(Set(bench.transport.devices).count == 1)
    }
  }
}
