import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct CostOfAttemptsTests {
  // O7.6, O7.7
  @Test func `each attempt is counted before its bytes leave, and counting costs no sync`() throws {
    try Bench.simulate(inMemory: true) { bench in
      let disk = try FaultyDisk(under: bench.scratch.url)
      let retry = ChatConfiguration.RetryPolicy(delays: [.seconds(1), .seconds(3)])
      try await bench.running(ChatConfiguration(retry: retry)) { client in
        bench.transport.say(.ready)
        try await bench.rest()
        try client.send("hello", in: eg.conversation)
        for attempt in 1...3 {
          let (syncs, writes) = (disk.count(.sync), disk.count(.write))
          let message = await bench.transport.transmission(attempt)
          #expect(try client.queue(of: eg.conversation).map(\.unanswered) == [1])
          #expect(disk.count(.write) > writes, "It is stored.")
          #expect(disk.count(.sync) == syncs)
          bench.transport.say(.refused(message.id, transmission: message.transmission, .failed(after: nil)))
          try await bench.rest()
        }
      }
      withExtendedLifetime(disk) {}
    }
  }
}
