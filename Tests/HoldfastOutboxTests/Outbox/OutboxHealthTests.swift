import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The metrics of the outbox as a whole.
@Suite(.timeLimit(.minutes(10))) struct OutboxHealthTests {
  // O17
  @Test func `a time falls into the bucket whose limit it does not exceed`() {
    #expect(DeliveryTimes.bucket(of: .zero) == 0)
    #expect(DeliveryTimes.bucket(of: .seconds(-5)) == 0)
    #expect(DeliveryTimes.bucket(of: .milliseconds(2)) == 2)
    #expect(DeliveryTimes.bucket(of: .seconds(1)) == 20)
    #expect(DeliveryTimes.bucket(of: .seconds(86_400 * 365)) == 63)
    for milliseconds in [1, 2, 3, 7, 50, 999, 1000, 60_000, 86_400_000] {
      let time = Duration.milliseconds(milliseconds)
      let bucket = DeliveryTimes.bucket(of: time)
      #expect(DeliveryTimes.limit(of: bucket) * 1.0001 >= time)
      #expect(bucket == 0 || DeliveryTimes.limit(of: bucket - 1) < time)
    }
  }

  // O17.3
  @Test func `a percentile is the limit of the bucket that its message is in`() {
    #expect(DeliveryTimes.percentile(0.5, of: [:]) == nil)
    let counts = [4: 94, 10: 1, 20: 5]
    #expect(DeliveryTimes.percentile(0.5, of: counts) == .milliseconds(4))
    #expect(DeliveryTimes.percentile(0.95, of: counts) == .milliseconds(32))
    #expect(DeliveryTimes.percentile(0.96, of: counts) == .milliseconds(1024))
    #expect(DeliveryTimes.percentile(0.5, of: [7: 1]) == DeliveryTimes.limit(of: 7))
  }

  // O17.4
  @Test func `the health of an outbox contains no contents`() throws {
    let client = try Bench().client()
    try client.send("a secret", in: eg.conversation)
    let health = try client.outbox.health()
    #expect(health.waiting == 1)
    #expect(try !String(decoding: JSONEncoder().encode(health), as: UTF8.self).contains("secret"))
  }

  // N1.1, O7.10
  @Test func `the health of an outbox follows the connection`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unauthorized))
      try await bench.running { client in
        var changes = client.outbox.healthChanges().makeAsyncIterator()
        let first = try await changes.next()
        #expect(first?.connectivity == .reconnecting)
        #expect(first?.needsCredentials == false)
        let refused = try await changes.next()
        #expect(refused?.needsCredentials == true)
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        await client.reconnectNow()
        let connected = try await changes.next()
        #expect(connected?.connectivity == .online)
        #expect(connected?.needsCredentials == false)
        #expect(client.connectivity == .online)
      }
    }
  }

  // O14, O17.3
  @Test func `the oldest that waits may be an operation`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      let id = try client.delivered("1")
      let reaction = try #require(try client.message(id).react("👍"))
      #expect(try client.outbox.health().oldest == reaction)
    }
  }

  // O17.3
  @Test func `the outbox says how much waits, how long, and how long messages took`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        #expect(
          try client.outbox.health()
            == OutboxHealth(waiting: 0, held: 0, failed: 0, connectivity: .reconnecting))
        let first = try client.send("1", in: eg.conversation)
        try await bench.pass(.seconds(2))
        let second = try client.send("2", in: eg.conversation)
        bench.transport.say(.ready)
        try await bench.rest()
        var health = try client.outbox.health()
        #expect(health.waiting == 2)
        #expect(try #require(health.oldestWaited) >= .seconds(2))
        #expect(health.timeToDelivered == nil)
        bench.transport.say(.receipts([eg.receipt(first)]))
        let message = await bench.transport.transmission(2)
        bench.transport.say(.refused(second, transmission: message.transmission, .rejected(eg.rejection)))
        try await bench.rest()
        health = try client.outbox.health()
        #expect(health.waiting == 0)
        #expect(health.failed == 1)
        #expect(health.oldestWaited == nil, "A failed message waits for its user, not for the link.")
        let time = try #require(health.timeToDelivered)
        #expect(time.count == 1)
        #expect(time.p50 == DeliveryTimes.limit(of: DeliveryTimes.bucket(of: .milliseconds(2001))))
        // The same receipt again, and an echo, do not count a message twice.
        bench.transport.say(
          .receipts([eg.receipt(first)]),
          .items([.message(eg.incoming(first, from: eg.user, "1"))], cursor: nil))
        try await bench.rest()
        #expect(try client.outbox.health().timeToDelivered?.count == 1)
      }
    }
  }

  // O17.3
  @Test func `an echo counts as a receipt does, and what an earlier launch sent is not measured`() throws {
    try Bench.simulate(window: 2) { bench in
      let earlier = try {
        try bench.client(isSimulated: true).send("earlier", in: eg.conversation)
      }()
      try await bench.running { client in
        let now = try client.send("now", in: eg.conversation)
        bench.transport.say(.ready)
        await bench.transport.transmission(2)
        bench.transport.say(
          .receipts([eg.receipt(earlier)]),
          .items([.message(eg.incoming(now, from: eg.user, "now", order: 2))], cursor: nil))
        try await bench.rest()
        #expect(try client.outbox.health().timeToDelivered?.count == 1)
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }
}
