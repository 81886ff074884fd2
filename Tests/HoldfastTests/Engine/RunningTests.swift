import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A client that several windows run.
@Suite(.timeLimit(.minutes(10))) struct RunningTests {
  // O5
  @Test func `the client goes on when the first window closes, and is still when the last one has closed`()
    throws
  {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (first, firstWindow) = AsyncStream.makeStream(of: Void.self)
        let (second, secondWindow) = AsyncStream.makeStream(of: Void.self)
        for window in [first, second] {
          group.addTask {
            await withTaskGroup(of: Void.self) { tasks in
              tasks.addTask { await client.run() }
              tasks.addTask { for await _ in window {} }
              await tasks.next()
              tasks.cancelAll()
            }
          }
          // The windows open one after the other.
          try await bench.rest()
        }
        bench.transport.say(.ready)
        let one = try client.send("one", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(one)]))
        try await bench.rest()

        firstWindow.finish()
        try await bench.pass(.seconds(2))
        #expect(client.isRunning)
        bench.transport.say(.ready)
        let two = try client.send("two", in: eg.conversation)
        await bench.transport.transmission(2)
        bench.transport.say(.receipts([eg.receipt(two, order: 2)]))
        try await bench.rest()
        #expect(try client.rows().map(\.status.state) == [.delivered, .delivered])

        secondWindow.finish()
        try await bench.pass(.seconds(2))
        #expect(!client.isRunning)
        try client.send("three", in: eg.conversation)
        try await bench.pass(.seconds(60))
        #expect(bench.transport.sent.count == 2)
        try await group.waitForAll()
      }
    }
  }

  // S7
  @Test func `windows that run a suspended client go on together after it is resumed`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1...3 { group.addTask { await client.run() } }
        try await bench.rest()
        try await client.suspend()
        try await client.resume()
        try await bench.rest()
        bench.transport.say(.ready)
        try client.send("one", in: eg.conversation)
        await bench.transport.transmission(1)
        group.cancelAll()
      }
    }
  }

  // O6
  @Test func `a transport that promises nothing is not believed to remember IDs`() {
    #expect(TransportCapabilities().idempotency == .none)
  }

  // O7.1
  @Test func `there are three retries: at once, after a second and after three`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let start = client.environment.uptime()
        let id = try client.send("one", in: eg.conversation)
        var times: [Int] = []
        for attempt in 1...4 {
          let message = await bench.transport.transmission(attempt)
          times.append(Int((client.environment.uptime() - start) / .seconds(1)))
          bench.transport.say(.refused(message.id, transmission: message.transmission, .failed(after: nil)))
          try await bench.rest()
        }
        #expect(times == [0, 0, 1, 4])
        #expect(try client.rows().first?.id == id)
        guard let reason = try client.rows().first?.status.failure else {
          Issue.record("not failed")
          return
        }
        #expect(reason.code == .attemptsSpent)
        #expect(bench.transport.sent.count == 4)
      }
    }
  }
}
