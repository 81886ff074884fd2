import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// What an Info sheet says, and that it says the new thing when something changes.
@Suite(.timeLimit(.minutes(1))) struct ExplanationModelTests {
  /// Runs the client and a model of one message, and hands both to `body`.
  private func explaining(
    _ body: @escaping @Sendable (Bench, ExplanationModel, MessageID) async throws -> Void
  ) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let model = await ExplanationModel(client)
        let id = try client.send("secret", in: eg.conversation)
        await model.show(id)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await model.run() }
          defer { group.cancelAll() }
          try await body(bench, model, id)
        }
      }
    }
  }

  // O9, O17
  @Test func `the answer follows the network, the server and the message, without being asked for`() throws {
    try explaining { bench, model, id in
      bench.path.set(isUp: false)
      try await bench.pass(.milliseconds(150))
      #expect(await model.explanation?.code == .offline)
      #expect(
        await model.explanation?.sentence == "This message will send automatically when you're back online.")
      bench.transport.refuse(LinkFailure(.unavailable))
      bench.path.set(isUp: true)
      try await bench.pass(.milliseconds(150))
      let first = try #require(await model.explanation?.nextAttempt)
      try await bench.pass(.milliseconds(600))
      #expect(try #require(await model.explanation?.nextAttempt) > first, "Another attempt has failed since.")
      bench.transport.refuse(nil)
      bench.transport.say(.ready)
      let message = await bench.transport.departure(1)
      try await bench.rest()
      #expect(await model.explanation?.code == .onItsWay)
      bench.transport.say(.refused(id, handover: message.handover, .busy(after: .seconds(7))))
      try await bench.rest()
      #expect(await model.explanation?.code == .waitsForRetry)
      await bench.transport.departure(2)
      bench.transport.say(.receipts([eg.receipt(id)]))
      try await bench.rest()
      #expect(await model.explanation?.code == .delivered)
    }
  }

  // O17
  @Test func `another message has another answer, and none has none`() throws {
    try explaining { bench, model, _ in
      try await bench.rest()
      #expect(await model.explanation != nil)
      await model.show("nobody")
      #expect(await model.explanation == nil, "What was said of the other one is not said of this one.")
      try await bench.rest()
      #expect(await model.explanation?.code == .unknown)
      await model.show(nil)
      try await bench.rest()
      #expect(await model.explanation == nil)
    }
  }

  // O17
  @Test func `the outbox tells how it is doing after each change`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        var changes = client.outboxHealthChanges().makeAsyncIterator()
        #expect(await changes.next()?.waiting == 0)
        let first = try client.send("1", in: eg.conversation)
        try await bench.pass(.seconds(1))
        _ = try client.send("2", in: eg.conversation)
        let health = try #require(await changes.next())
        #expect(health.waiting == 2)
        #expect(health.oldest == first)
        bench.transport.say(.ready)
        await bench.transport.departure(1)
        bench.transport.say(.receipts([eg.receipt(first)]))
        try await bench.rest()
        let next = try #require(await changes.next())
        #expect(next.waiting == 1)
        #expect(next.oldest != first)
      }
    }
  }
}
