import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The link in a world where time passes only when no task has anything left to do.
@Suite(.timeLimit(.minutes(10))) struct LinkingTests {
  // N1.1, N1.5
  @Test func `the link is online only once the server answers`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try await bench.rest()
        #expect(client.connectivity == .reconnecting)
        bench.transport.say(.ready)
        try await bench.rest()
        #expect(client.connectivity == .online)
      }
    }
  }

  // N1.1, N3.2
  @Test func `no network -> offline, and back at once when it returns`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        bench.path.set(isUp: false)
        try await bench.pass(.milliseconds(110))
        #expect(client.connectivity == .offline)
        try await bench.pass(.seconds(3600))
        #expect(bench.transport.cursors.count == 1, "Without a path nobody connects.")
        bench.path.set(isUp: true)
        bench.transport.say(.ready)
        try await bench.pass(.milliseconds(110))
        #expect(client.connectivity == .online)
      }
    }
  }

  // N1.2
  @Test func `the interface is shown while there is a path, and follows it`() throws {
    try Bench.simulate { bench in
      bench.path.set(isUp: true, interface: .wifi)
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        #expect(client.sharedStates.link.interface == .wifi)
        bench.path.set(isUp: true, interface: .cellular)
        try await bench.rest()
        #expect(client.sharedStates.link.interface == .cellular)
        #expect(client.connectivity == .online, "The connection stays for as long as it works.")
        bench.path.set(isUp: false)
        try await bench.pass(.milliseconds(50))
        #expect(client.sharedStates.link.interface == .cellular, "Flicker is not followed.")
        try await bench.pass(.milliseconds(60))
        #expect(client.sharedStates.link.interface == nil)
      }
    }
  }

  // N3
  @Test func `another interface ends the wait for the server`() throws {
    try Bench.simulate { bench in
      bench.path.set(isUp: true, interface: .wifi)
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        try await bench.pass(.seconds(16))
        #expect(bench.transport.cursors.count == 6)
        bench.path.set(isUp: true, interface: .cellular)
        try await bench.rest()
        #expect(bench.transport.cursors.count == 7)
      }
    }
  }

  // O10.2
  @Test func `flicker does not break the connection`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.rest()
        for _ in 1...10 {
          bench.path.set(isUp: false)
          try await bench.pass(.milliseconds(50))
          bench.path.set(isUp: true)
          try await bench.pass(.milliseconds(50))
        }
        #expect(client.connectivity == .online)
        #expect(bench.transport.cursors.count == 1)
      }
    }
  }

  // N3.1, N3.3
  @Test func `a server that is down is asked less and less often, and at once on reconnectNow`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unavailable))
      try await bench.running { client in
        // 0, 0.5, 1.5, 3.5, 7.5 and 15.5 s.
        try await bench.pass(.seconds(16))
        #expect(bench.transport.cursors.count == 6)
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        await client.reconnectNow()
        try await bench.rest()
        #expect(client.connectivity == .online)
      }
    }
  }

  // O7.5
  @Test func `a server that is down for a minute costs no message an attempt`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unreachable))
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await bench.pass(.seconds(60))
        #expect(try client.rows().first?.status.state == .queued)
        #expect(try client.attempts(of: id) == 0)
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == id)
      }
    }
  }

  // H11
  @Test func `a connection resumes after the last page that was stored`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, .items([], cursor: SyncCursor(rawValue: "7")))
        try await bench.rest()
        bench.transport.hangUp()
        try await bench.pass(.seconds(1))
        #expect(bench.transport.cursors == [nil, SyncCursor(rawValue: "7")])
      }
    }
  }

  // O7.10, O17.1, O17.2
  @Test func `refused credentials wait for new ones, lose nothing, and are not knocked with`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unauthorized))
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await bench.pass(.seconds(600))
        #expect(bench.transport.cursors.count == 2)
        #expect(client.needsCredentials)
        let explanation = try client.message(id).explain()
        #expect(explanation.code == .signedOut)
        #expect(try #require(explanation.nextAttempt) > bench.environment.now())
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        await client.reconnectNow()
        #expect(await bench.transport.transmission(1).id == id)
        try await bench.rest()
        #expect(!client.needsCredentials)
        #expect(try client.attempts(of: id) == 0)
      }
    }
  }

  // O7.10
  @Test(arguments: [
    (ConnectionFailure.Reason.unauthorized, 1), (.incompatible, 4), (.insecure, 4), (.unreachable, 0),
    (.unavailable, 0),
  ])
  func `a link that waiting does not mend is warned of from the second time on`(
    reason: ConnectionFailure.Reason, warnings: Int
  ) throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(reason, detail: "why"))
      try await bench.running { _ in
        try await bench.rest()
        func warned() -> [String] { bench.log.lines.filter { $0.hasPrefix("warning link lost") } }
        #expect(warned().isEmpty, "Credentials that have expired are renewed by the next attempt.")
        try await bench.pass(.seconds(600))
        #expect(warned().isEmpty == (warnings == 0))
        #expect(warned().count >= warnings)
        #expect(warned().allSatisfy { $0.contains("why") })
      }
    }
  }

  // O7.10
  @Test func `with the credentials of another account nothing leaves and nothing is stored`() throws {
    try Bench.simulate { bench in
      bench.transport.take(userFor: "mallory")
      bench.transport.say(.ready, .items([.message(eg.incoming("m", "for mallory"))], cursor: nil))
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await bench.pass(.seconds(600))
        #expect(bench.transport.sent.isEmpty)
        #expect(try client.bodies() == ["hi"])
        #expect(client.needsCredentials)
        #expect(try client.message(id).explain().code == .signedOut)
        bench.transport.take(userFor: eg.user)
        await client.reconnectNow()
        #expect(await bench.transport.transmission(1).id == id)
      }
    }
  }

  // O7.10
  @Test func `a server that was wrong about the credentials is asked again by itself`() throws {
    try Bench.simulate { bench in
      bench.transport.refuse(ConnectionFailure(.unauthorized))
      try await bench.running { client in
        let id = try client.send("hi", in: eg.conversation)
        try await bench.pass(.seconds(60))
        bench.transport.refuse(nil)
        bench.transport.say(.ready)
        #expect(await bench.transport.transmission(1).id == id)
        #expect(bench.scheduler.now < .seconds(1000))
      }
    }
  }
}
