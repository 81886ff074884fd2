import Dispatch
import HoldfastTesting
import Testing

@Suite(.serialized) struct WorldTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a world keeps its promises, twice the same way`(seed: UInt64) async throws {
    let first = try await report(of: seed)
    #expect(first.violations.isEmpty, "\(first)")
    let second = try await report(of: seed)
    #expect(first.lastDraw == second.lastDraw)
    #expect(first.trace == second.trace)
  }
}

/// Runs a world on a thread of its own. A world does not suspend, and on the pool that all tests share it
/// would keep those waiting that talk to real sockets, until their time is over.
func report(of seed: UInt64) async throws -> World.Report {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(with: Result { try World(seed: seed).run() })
    }
  }
}
