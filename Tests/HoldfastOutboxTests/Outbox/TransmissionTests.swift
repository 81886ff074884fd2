import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The outbox with a backend that the test plays.
@Suite(.timeLimit(.minutes(10))) struct TransmissionTests {
  private func send(_ texts: [String], _ client: ChatClient) throws -> [MessageID] {
    try texts.map { try client.send($0, in: eg.conversation) }
  }

  private func ids(_ bench: Bench) -> [MessageID] { bench.transport.sent.map(\.id) }

  // O4.1, O5.1, O5.6, O11.1, O11.2
  @Test func `queued -> sending -> delivered, one at a time where the window is one`() throws {
    try Bench.simulate(window: 1) { bench in
      let queued = try send(["1", "2", "3"], try bench.client(isSimulated: true))
      try await bench.running { client in
        #expect(try client.rows().map(\.status.state) == [.queued, .queued, .queued])
        bench.transport.say(.ready)
        for (index, id) in queued.enumerated() {
          let message = await bench.transport.transmission(index + 1)
          #expect(message.id == id)
          #expect(message.predecessor == nil)
          try await bench.rest()
          #expect(ids(bench).count == index + 1)
          let expected: [MessageStatus.State] = (0..<3).map {
            $0 < index ? .delivered : $0 == index ? .sending : .queued
          }
          #expect(try client.rows().map(\.status.state) == expected)
          bench.transport.say(.receipts([eg.receipt(id, order: Int64(index + 1))]))
        }
        try await bench.rest()
        #expect(try client.rows().map(\.status.state) == [.delivered, .delivered, .delivered])
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }

  // O5.4
  @Test func `a window of messages leaves together, each behind the one before it`() throws {
    try Bench.simulate(window: 3) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        let queued = try send(["1", "2", "3", "4"], client)
        await bench.transport.transmission(3)
        try await bench.rest()
        #expect(ids(bench) == Array(queued.prefix(3)))
        #expect(bench.transport.sent.map(\.predecessor) == [nil, queued[0], queued[1]])
        bench.transport.say(.receipts([eg.receipt(queued[0], order: 1)]))
        #expect(await bench.transport.transmission(4).predecessor == queued[2])
      }
    }
  }

  // O4.4
  @Test func `conversations do not block each other`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        try client.createConversation("other")
        bench.transport.say(.ready)
        try client.send("stuck", in: eg.conversation)
        await bench.transport.transmission(1)
        let id = try client.send("free", in: "other")
        #expect(await bench.transport.transmission(2).id == id)
      }
    }
  }

  // O4.3, O5.5
  @Test func `after a refusal the window goes back, and leaves again in order`() throws {
    try Bench.simulate(window: 3) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let queued = try send(["1", "2", "3"], client)
        await bench.transport.transmission(3)
        let first = bench.transport.sent
        bench.transport.say(
          .refused(queued[0], transmission: first[0].transmission, .failed(after: .seconds(1))),
          .refused(queued[1], transmission: first[1].transmission, .predecessorMissing),
          .refused(queued[2], transmission: first[2].transmission, .predecessorMissing))
        await bench.transport.transmission(6)
        #expect(bench.scheduler.now >= .seconds(1), "The whole lane waits.")
        #expect(ids(bench) == queued + queued)
        #expect(Array(bench.transport.sent.suffix(3)).map(\.predecessor) == [nil, queued[0], queued[1]])
        #expect(try client.attempts(of: queued[0]) == 1)
        #expect(try client.attempts(of: queued[1]) == 0)
      }
    }
  }

  // O3.4, O7.1, O7.4, O8.3
  @Test func `a message is retried at once, after 1 s and after 3 s, then it fails and the next one leaves`()
    throws
  {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let queued = try send(["bad", "good"], client)
        var times: [Duration] = []
        for attempt in 1...4 {
          let message = await bench.transport.transmission(attempt)
          #expect(message.id == queued[0])
          times.append(bench.scheduler.now)
          bench.transport.say(.refused(message.id, transmission: message.transmission, .failed(after: nil)))
        }
        #expect(await bench.transport.transmission(5).id == queued[1])
        #expect(times[1] - times[0] == .zero)
        #expect(times[2] - times[1] == .seconds(1))
        #expect(times[3] - times[2] == .seconds(3))
        let row = try #require(try client.rows().first)
        #expect(row.status.text == "Failed - Tap to retry")
        guard let reason = row.status.failure else {
          Issue.record("it did not fail")
          return
        }
        #expect(reason.code == .attemptsSpent)
      }
    }
  }

  // O7.9, O8.2, O8.3
  @Test func `a rejection fails at once and says why, and a retry leaves at once`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let queued = try send(["bad", "good"], client)
        let message = await bench.transport.transmission(1)
        bench.transport.say(.refused(message.id, transmission: message.transmission, .rejected(eg.rejection)))
        #expect(await bench.transport.transmission(2).id == queued[1])
        #expect(try client.rows().first?.status.failure == eg.rejection)
        bench.transport.say(.receipts([eg.receipt(queued[1], order: 1)]))
        try await bench.rest()
        try await client.message(queued[0]).retry()
        #expect(await bench.transport.transmission(3).id == queued[0])
        bench.transport.say(.receipts([eg.receipt(queued[0], order: 2)]))
        try await bench.rest()
        #expect(try client.bodies() == ["good", "bad"])
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }

  // O6.1, O11
  @Test func `a message whose receipt was lost leaves again under its ID on the next connection`() throws {
    try Bench.simulate(window: 2) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let queued = try send(["1", "2"], client)
        await bench.transport.transmission(2)
        bench.transport.hangUp()
        await bench.transport.transmission(4)
        #expect(ids(bench) == queued + queued)
        #expect(Set(bench.transport.sent.map(\.transmission)).count == 4)
        // A late response to the first transmission says nothing about the second.
        bench.transport.say(
          .refused(queued[0], transmission: bench.transport.sent[0].transmission, .predecessorMissing))
        try await bench.rest()
        #expect(ids(bench).count == 4)
      }
    }
  }

  // O7.5
  @Test func `a server that never answers is held to be gone, and no message is blamed`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        await bench.transport.transmission(2)
        #expect(bench.scheduler.now >= .seconds(20))
        #expect(bench.transport.cursors.count == 2)
        #expect(try client.attempts(of: id) == 0)
      }
    }
  }

  // O7.6
  @Test func `a message that ended the process too often is stopped, and the next one leaves`() throws {
    try Bench.simulate(window: 1) { bench in
      let queued = try {
        let client = try bench.client(isSimulated: true)
        let queued = try send(["poison", "good"], client)
        // The message was sent, and the process ended each time.
        for _ in 1...3 { try client.transmit(queued[0]) }
        return queued
      }()
      try await bench.running(.init(retry: .init(interruptionLimit: 3))) { client in
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == queued[1])
        guard let reason = try client.rows().first?.status.failure else {
          Issue.record("it did not fail")
          return
        }
        #expect(reason.code == .interruptedTooOften)
      }
    }
  }

  // O7.6
  @Test func `a transmission is counted before its bytes leave, and given back when the connection ends`()
    throws
  {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        // The count cannot be stored, so nothing is sent.
        bench.gate.fail()
        bench.transport.say(.ready)
        try await bench.pass(.seconds(60))
        #expect(ids(bench) == [])
        #expect(bench.transport.cursors.count > 0, "There was a connection.")
        bench.gate.heal()
        bench.transport.say(.ready)
        await bench.transport.transmission(1)
        #expect(try client.queue(of: eg.conversation).map(\.unanswered) == [1])
        bench.transport.refuse(ConnectionFailure(.unreachable))
        bench.transport.hangUp()
        try await bench.rest()
        #expect(try client.queue(of: eg.conversation).map(\.unanswered) == [0])
        await #expect(throws: ChatError.self, "It may have arrived.") {
          try await client.message(id).cancel()
        }
      }
    }
  }

  @Test func `the first message carries what the server needs to make the conversation, later ones do not`()
    throws
  {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let queued = try send(["1", "2"], client)
        #expect(await bench.transport.transmission(1).members == [eg.user, eg.other])
        bench.transport.say(.receipts([eg.receipt(queued[0], order: 1)]))
        #expect(await bench.transport.transmission(2).members == [])
      }
    }
  }

  // O5.3
  @Test func `a queue of fifty leaves in batches of one window, and in under a second`() throws {
    try Bench.simulate(window: 10) { bench in
      try await bench.running { client in
        let queued = try send((1...50).map { "\($0)" }, client)
        bench.transport.say(.ready)
        var batches: [Int] = []
        while batches.reduce(0, +) < queued.count {
          let answered = batches.reduce(0, +)
          await bench.transport.transmission(answered + 1)
          // The server is a tenth of a second away. The messages that were sent before its answer were in flight
          // together.
          try await bench.pass(.milliseconds(100))
          let batch = ids(bench).dropFirst(answered)
          batches.append(batch.count)
          bench.transport.say(
            .receipts(batch.enumerated().map { eg.receipt($1, order: Int64(answered + $0 + 1)) }))
        }
        try await bench.rest()
        #expect(batches == [10, 10, 10, 10, 10])
        #expect(try client.outbox.unsentCount() == 0)
        #expect(ids(bench) == queued)
        #expect(bench.scheduler.now < .seconds(1))
      }
    }
  }

  // O5.1, O5.2
  // An answer takes 300 ms. Ten messages that are sent one at a time would take three seconds.
  @Test(arguments: [(10, Duration.seconds(2)), (20, .seconds(5))])
  func `over an ordinary link a queue drains within seconds of a reconnect`(count: Int, limit: Duration)
    throws
  {
    try RelayBench.simulate { bench in
      bench.setTravelTime(.milliseconds(150))
      try await bench.running("alice") { alice in
        try await bench.until { alice.connectivity == .online }
        bench.setLine(isUp: false)
        try await bench.until { alice.connectivity != .online }
        let queued = try send((1...count).map { "\($0)" }, alice)
        try await bench.pass(.seconds(60))
        #expect(try alice.outbox.unsentCount() == count)
        bench.setLine(isUp: true)
        try await bench.until { try alice.isDelivered() }
        let drained = bench.scheduler.now - bench.connectedAt
        #expect(drained < limit)
        #expect(drained >= .milliseconds(900), "Connecting, greeting and sending take a round trip each.")
        #expect(try alice.rows().map(\.id) == queued)
      }
    }
  }

  @Test func `contents never appear in the log`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("secret", in: eg.conversation)
        client.drafts.edit("secret", in: eg.conversation)
        let message = await bench.transport.transmission(1)
        bench.transport.say(
          .refused(id, transmission: message.transmission, .rejected(eg.rejection)),
          .items([.message(eg.incoming(id, from: "mallory", "secret"))], cursor: nil))
        bench.gate.fail()
        try await bench.pass(.seconds(30))
        #expect(bench.log.lines.count > 2)
        #expect(!bench.log.lines.contains { $0.contains("secret") })
      }
    }
  }

  // O7.3, O7.8
  @Test func `coming to the foreground ends a message's wait, unless the server asked for it`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        var message = await bench.transport.transmission(1)
        bench.transport.say(.refused(id, transmission: message.transmission, .failed(after: nil)))
        try await bench.rest()
        let tapped = bench.scheduler.now
        await client.reconnectNow()
        message = await bench.transport.transmission(2)
        #expect(bench.scheduler.now == tapped)
        bench.transport.say(.refused(id, transmission: message.transmission, .notNow(after: .seconds(60))))
        try await bench.rest()
        await client.reconnectNow()
        try await bench.pass(.seconds(59))
        #expect(bench.transport.sent.count == 2)
        await bench.transport.transmission(3)
        #expect(try client.attempts(of: id) == 1)
      }
    }
  }

  // O7.3
  @Test func `a tap on retry ends the wait of its conversation, and that of the link`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("hi", in: eg.conversation)
        let message = await bench.transport.transmission(1)
        bench.transport.say(.refused(id, transmission: message.transmission, .failed(after: nil)))
        try await bench.rest()
        let tapped = bench.scheduler.now
        try await client.message(id).retry()
        await bench.transport.transmission(2)
        #expect(bench.scheduler.now == tapped)
        bench.transport.refuse(ConnectionFailure(.unavailable, retryAfter: .seconds(600)))
        bench.transport.hangUp(ConnectionFailure(.unavailable, retryAfter: .seconds(600)))
        try await bench.pass(.seconds(1))
        bench.transport.refuse(nil)
        try await client.message(id).retry()
        await bench.transport.transmission(3)
        #expect(bench.scheduler.now < tapped + .seconds(2))
      }
    }
  }
}
