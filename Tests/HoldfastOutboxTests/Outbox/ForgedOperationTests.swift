import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Frames of a server about edits, deletions and reactions that cannot be true.
@Suite(.timeLimit(.minutes(10))) struct ForgedOperationTests {
  @Test(arguments: [-1, 1 << 60, Int64.max, Int64.min] as [Int64])
  func `a receipt that cannot be right confirms nothing`(revision: Int64) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        bench.transport.say(.ready)
        let operation = try #require(try client.message(id).edit(to: "two"))
        await bench.transport.transmission(1)
        bench.transport.say(
          .receipts([
            eg.receipt(operation, revision: revision), eg.receipt(operation, in: "elsewhere", revision: 1),
          ]))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 1)
        #expect(bench.transport.sent.count == 1)
        // The same holds for a state.
        bench.transport.say(
          .items([.message(eg.incoming(id, from: eg.user, "forged", revision: revision))], cursor: nil))
        try await bench.rest()
        #expect(try client.row(id).text == "two")
      }
    }
  }

  @Test func `a foreign message under an operation's ID is never sent, and its receipt is still found`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
        let operation = try #require(try client.message(id).edit(to: "two"))
        bench.transport.say(
          .ready, .items([.message(eg.incoming(operation, from: "mallory", "forged", order: 2))], cursor: nil)
        )
        try await bench.rest()
        let away = await bench.transport.transmission(1)
        #expect(away.text == "two")
        #expect(away.operation == MessageOperation(.edit, of: id))
        bench.transport.say(.receipts([eg.receipt(operation, revision: 1)]))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(bench.transport.sent.count == 1)
      }
    }
  }

  @Test func `a state with another sender changes nothing`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.delivered("one")
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
}
