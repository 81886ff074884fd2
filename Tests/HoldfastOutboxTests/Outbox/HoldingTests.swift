import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Messages that wait too long, on a device that is offline for days.
@Suite(.timeLimit(.minutes(10))) struct HoldingTests {
  private static let other: ConversationID = "other"

  /// Goes offline for `time`, and then online again.
  private func stayOffline(_ time: Duration, _ bench: Bench) async throws {
    bench.path.set(isUp: false)
    try await bench.pass(time)
    bench.path.set(isUp: true)
    bench.transport.say(.ready)
    try await bench.pass(.milliseconds(110))
  }

  /// A client with one held message, and the link up.
  private func holding(
    _ texts: [String] = ["old"],
    _ body: @escaping @Sendable (Bench, ChatClient, [MessageID]) async throws -> Void
  ) throws {
    try Bench.simulate(window: 4) { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        let held = try texts.map { try client.send($0, in: eg.conversation) }
        try await stayOffline(.seconds(25 * 3600), bench)
        try await body(bench, client, held)
      }
    }
  }

  // O16.1, O16.2, O17.1
  @Test func `a message that has waited for a day is held on reconnect, with all messages behind it`() throws
  {
    try Bench.simulate(window: 4) { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        try client.createConversation(Self.other)
        let old = try client.send("At six?", in: eg.conversation)
        try await bench.pass(.seconds(24 * 3600))
        let young = try client.send("At the station.", in: eg.conversation)
        let elsewhere = try client.send("hi", in: Self.other)
        try await stayOffline(.seconds(1), bench)
        #expect(bench.transport.sent.map(\.id) == [elsewhere])
        #expect(try client.rows().map(\.id) == [old, young])
        #expect(try client.rows().map(\.status.state) == [.held, .held])
        #expect(try client.rows().first?.status.text == "Held - Tap to decide")
        #expect(
          try client.held.snapshot()
            == HeldMessages(count: 2, conversations: 1, oldest: eg.date, age: .yesterday, isAsked: true))
        #expect(try client.outbox.unsentCount() == 3)
        #expect(try client.outbox.health().held == 2)
        let explanation = try client.message(young).explain()
        #expect(explanation.code == .held)
      }
    }
  }

  // O16.1
  @Test func `a message that has waited for less than a day leaves by itself`() throws {
    try Bench.simulate(window: 4) { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await stayOffline(.seconds(23 * 3600), bench)
        #expect(bench.transport.sent.map(\.id) == [id])
        #expect(try !client.held.snapshot().isAsked)
      }
    }
  }

  // O4, O16.3
  @Test func `a message after the question passes the held ones, and sent ones follow it`() throws {
    try holding(["1", "2"]) { bench, client, held in
      let later = try client.send("3", in: eg.conversation)
      #expect(await bench.transport.transmission(1).id == later)
      try client.outbox.answerHeld(.send)
      await bench.transport.transmission(3)
      #expect(bench.transport.sent.map(\.id) == [later] + held)
      #expect(bench.transport.sent.map(\.predecessor) == [nil, later, held[0]])
      bench.transport.say(
        .receipts(([later] + held).enumerated().map { eg.receipt($1, order: Int64($0 + 1)) }))
      try await bench.rest()
      #expect(try client.bodies() == ["3", "1", "2"])
      #expect(try client.outbox.unsentCount() == 0)
      #expect(
        try client.held.snapshot() == HeldMessages(count: 0, conversations: 0, oldest: nil, isAsked: false))
    }
  }

  // O16.3
  @Test func `sent -> not asked about again, even if the link goes before they have left`() throws {
    try holding { bench, client, held in
      bench.path.set(isUp: false)
      try await bench.pass(.milliseconds(110))
      try client.outbox.answerHeld(.send)
      #expect(try client.rows().first?.status.text == "Queued - Will send when online")
      try await stayOffline(.seconds(3600), bench)
      #expect(bench.transport.sent.map(\.id) == held)
    }
  }

  // O7.1, O16.3
  @Test func `sent -> with all its attempts, also those that were spent before it was held`() throws {
    try holding { bench, client, held in
      try client.spend(3, of: held[0])
      try client.outbox.answerHeld(.send)
      await bench.transport.transmission(1)
      bench.transport.say(.refused(held[0], transmission: 1, .failed(after: nil)))
      try await bench.rest()
      #expect(try client.rows().map(\.status.state) == [.sending], "The first retry leaves at once.")
      #expect(try client.attempts(of: held[0]) == 1)
    }
  }

  // O16.3, O16.4
  @Test func `keep waiting -> asked again at the next reconnect, and nothing has left`() throws {
    try holding { bench, client, held in
      try client.outbox.answerHeld(.keepWaiting)
      #expect(try !client.held.snapshot().isAsked)
      #expect(try client.held.snapshot().count == 1)
      try await bench.pass(.seconds(100 * 24 * 3600))
      #expect(try client.rows().map(\.id) == held, "Nothing expires.")
      try await stayOffline(.seconds(1), bench)
      #expect(try client.held.snapshot().isAsked)
      #expect(bench.transport.sent.isEmpty)
    }
  }

  // O16.3
  @Test func `back to the composer -> joined in order, in front of what is there`() throws {
    try holding(["1", "2"]) { bench, client, _ in
      try client.createConversation(Self.other)
      client.drafts.edit("typed", in: eg.conversation)
      try client.outbox.answerHeld(.backToComposer)
      #expect(client.draft().buffer.content.text == "1\n2\ntyped")
      #expect(try client.drafts.stored(in: eg.conversation) == ["1\n2\ntyped"])
      #expect(try client.rows().isEmpty)
      #expect(try client.outbox.unsentCount() == 0)
      #expect(try client.held.snapshot().count == 0)
      #expect(bench.transport.sent.isEmpty)
    }
  }

  // O16.4
  @Test func `an answer that cannot be stored changes nothing, and is asked again`() throws {
    try holding(["1", "2"]) { bench, client, held in
      bench.gate.fail()
      for answer in [HeldMessages.Answer.send, .backToComposer] {
        #expect(throws: ChatError.self) { try client.outbox.answerHeld(answer) }
      }
      bench.gate.heal()
      let rows = try client.rows()
      let asked = try client.held.snapshot()
      #expect(rows.map(\.id) == held)
      #expect(asked.isAsked)
      #expect(client.draft().buffer.content.text == "")
    }
  }

  // O16.3
  @Test func `one held message alone can be sent, or taken back`() throws {
    try holding(["1", "2", "3"]) { bench, client, held in
      try await client.message(held[1]).retry()
      #expect(await bench.transport.transmission(1).id == held[1])
      try await client.message(held[0]).takeBack()
      #expect(client.draft().buffer.content.text == "1")
      #expect(try client.held.snapshot().count == 1)
    }
  }

  // O16.1
  @Test func `without an age nothing is held`() throws {
    try Bench.simulate { bench in
      bench.path.set(isUp: false)
      try await bench.running(.init(outbox: .init(heldAfter: nil))) { client in
        let id = try client.send("hi", in: eg.conversation)
        try await stayOffline(.seconds(1000 * 24 * 3600), bench)
        #expect(bench.transport.sent.map(\.id) == [id])
      }
    }
  }

  // O6.1, O16.1
  @Test func `a message that may have arrived is not held`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let left = try client.send("left", in: eg.conversation)
        let waits = try client.send("waits", in: eg.conversation)
        await bench.transport.transmission(1)
        try await stayOffline(.seconds(25 * 3600), bench)
        #expect(bench.transport.sent.map(\.id) == [left, left])
        #expect(try client.rows().map(\.status.state) == [.sending, .held])
        bench.transport.say(.receipts([eg.receipt(left)]))
        try await bench.rest()
        #expect(try client.rows().map(\.id) == [left, waits])
        #expect(bench.transport.sent.count == 2)
      }
    }
  }

  // O11.1, O16.1, O16.2
  @Test func `the age survives a relaunch, and so does what is held`() throws {
    try Bench.simulate(window: 4) { bench in
      let id = try { try bench.client(isSimulated: true).send("old", in: eg.conversation) }()
      try await bench.pass(.seconds(25 * 3600))
      for _ in 1...2 {
        try await bench.running { client in
          bench.transport.say(.ready)
          try await bench.rest()
          #expect(try client.rows().map(\.status.state) == [.held])
          #expect(try client.held.snapshot().isAsked)
          try client.outbox.answerHeld(.keepWaiting)
        }
      }
      #expect(bench.transport.sent.isEmpty)
      #expect(id.isWellFormed)
    }
  }

  // O16.1
  @Test func `a date that is turned back hides the time the app was away, and no other`() throws {
    try Bench.simulate(window: 4) { bench in
      let old = try {
        let client = try bench.client(isSimulated: true)
        return try client.send("old", in: eg.conversation)
      }()
      try await bench.pass(.seconds(20 * 3600))
      // The device's date restarts in 1970.
      bench.dateError.withLock { $0 = -eg.date.timeIntervalSince1970 }
      bench.path.set(isUp: false)
      try await bench.running { client in
        try client.createConversation(Self.other)
        let young = try client.send("young", in: Self.other)
        try await stayOffline(.seconds(23 * 3600), bench)
        #expect(Set(bench.transport.sent.map(\.id)) == [old, young], "Neither has seen a day pass.")
      }
    }
    try Bench.simulate(window: 4) { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        let old = try client.send("old", in: eg.conversation)
        try await bench.pass(.seconds(20 * 3600))
        bench.dateError.withLock { $0 = -eg.date.timeIntervalSince1970 }
        try await bench.pass(.seconds(5 * 3600))
        let young = try client.send("young", in: eg.conversation)
        try await stayOffline(.seconds(1), bench)
        #expect(bench.transport.sent.isEmpty, "The date that went back does not make it young.")
        #expect(try client.rows().map(\.id) == [old, young])
      }
    }
  }

  // O16.2
  @Test func `an observer of the held messages gets the question and its answer`() throws {
    try Bench.simulate(window: 4) { bench in
      bench.path.set(isUp: false)
      try await bench.running { client in
        try client.send("old", in: eg.conversation)
        let seen = Mutexed<[Bool]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for await held in client.outbox.heldMessages() { seen.withLock { $0.append(held.isAsked) } }
          }
          defer { group.cancelAll() }
          try await stayOffline(.seconds(25 * 3600), bench)
          try client.outbox.answerHeld(.keepWaiting)
          try await bench.rest()
        }
        #expect(seen.withLock { $0 }.last == false)
        #expect(seen.withLock { $0 }.contains(true))
      }
    }
  }
}
