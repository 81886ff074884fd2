import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// One test for each transition of the drain lock.
@Suite(.timeLimit(.minutes(10))) struct DrainingTests {
  // O15.1, O15.2
  @Test(arguments: [true, false])
  func `another client drains -> is on standby, stores, and says so`(isShared: Bool) throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      try await shared.running(try shared.client(shared.app, isShared: isShared)) {
        shared.app.say(.ready)
        let second = try shared.client(shared.other, isShared: isShared)
        try await shared.running(second) {
          let id = try second.send("hello", in: eg.conversation)
          #expect(second.connectivity == .otherProcess)
          #expect(try second.message(id).explain().code == .anotherProcessSends)
          #expect(try second.rows().map(\.status.state) == [.queued])
          #expect(shared.other.cursors.isEmpty, "It must not connect.")
          #expect(shared.app.cursors.count == 1)
        }
      }
    }
  }

  // O15.1, O15.2
  @Test func `standby -> connects when the one that drained has ended`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let second = try shared.client(shared.other)
      let first = try shared.client(shared.app)
      try await withThrowingTaskGroup(of: Void.self) { group in
        try await shared.running(first) {
          group.addTask { await second.run() }
          try await bench.rest()
          #expect(second.connectivity == .otherProcess)
          try second.send("hello", in: eg.conversation)
        }
        shared.watcher.notify(FileLock.drain)
        #expect(await shared.other.transmission(1).text == "hello")
        shared.other.say(.ready)
        try await bench.rest()
        #expect(second.connectivity == .online)
        group.cancelAll()
      }
    }
  }

  // O15.2
  @Test func `a run that ends lets the next one drain, in this client and in others`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      for count in 1...2 {
        try await shared.running(first) { #expect(shared.app.cursors.count == count) }
        try await shared.running(second) { #expect(shared.other.cursors.count == count) }
        // After the end of a connection, the next one waits.
        try await bench.pass(.seconds(1))
      }
    }
  }

  // O15.2
  @Test func `one that is no longer on standby connects on its next run`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      try await shared.running(first) {
        try await shared.running(second) { #expect(shared.other.cursors.isEmpty) }
      }
      try await shared.running(second) { #expect(shared.other.cursors.count == 1) }
    }
  }

  // O15.3
  @Test func `a lock that is let go a moment after it was announced is found within a second`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      try await withThrowingTaskGroup(of: Void.self) { group in
        try await shared.running(first) {
          group.addTask { await second.run() }
          // The repeated attempts at the beginning of its standby have ended.
          try await bench.pass(.seconds(5))
          shared.watcher.notify(FileLock.drain)
          try await bench.rest()
          #expect(shared.other.cursors.isEmpty)
        }
        try await bench.pass(.seconds(1))
        #expect(shared.other.cursors.count == 1)
        group.cancelAll()
      }
    }
  }

  // O15.2, N1.1
  @Test func `standby without a network is offline, and stays standby with one`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      try await shared.running(first) {
        try await shared.running(second) {
          bench.path.set(isUp: false)
          try await bench.pass(.seconds(1))
          #expect(second.connectivity == .offline)
          bench.path.set(isUp: true)
          try await bench.pass(.seconds(1))
          #expect(second.connectivity == .otherProcess)
          #expect(shared.other.cursors.isEmpty)
        }
      }
    }
  }

  // O15, H3.2
  @Test func `a launch beside a running client leaves its streams alone, and marks them once it has ended`()
    throws
  {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let first = try shared.client(shared.app)
      let second = try shared.client(shared.other)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await first.run() }
        try await bench.rest()
        shared.app.say(.ready, .piece(eg.piece(0, "half of it")))
        try await bench.pass(.seconds(1))
        let launched = try shared.client(shared.other)
        let row = try #require(try launched.rows().first)
        #expect(row.status.state == .streaming)
        #expect(row.text == "half of it")
        // A process that is killed marks nothing.
        bench.gate.fail()
        group.cancelAll()
      }
      bench.gate.heal()
      #expect(try second.rows().map(\.status.state) == [.streaming])
      try await shared.running(second) {
        let row = try #require(try second.rows().first)
        #expect(row.status.state == .interrupted)
      }
    }
  }

  // O15
  @Test func `each attempt waits twice as long, over a second, until the watcher reports`() {
    var patience = Backoff()
    var now = Duration.zero
    var looks: [Duration] = []
    while let next = patience.next(now: now) {
      looks.append(next - now)
      now = next
    }
    #expect(looks == (0..<10).map { .milliseconds(1 << $0) })
    #expect(patience.next(now: now + .seconds(60)) == now + .seconds(60) + .milliseconds(1))
    #expect(
      patience.next(now: now + .seconds(60)) == now + .seconds(60) + .milliseconds(1), "Notified again.")
  }
}
