import HoldfastTesting
import Testing

/// Seeds that failed once, each with what it taught. They are kept for ever.
@Suite struct PastFailures {
  struct Failure: CustomTestStringConvertible, Sendable {
    var seed: UInt64
    var lesson: String
    var testDescription: String { "seed \(seed): \(lesson)" }
  }

  static let all = [
    Failure(
      seed: 162,
      lesson: "The last page before a rest was lost and nothing told of it: a pong now carries its end."),
    Failure(
      seed: 53,
      lesson: """
        An answer stopped with the connection while the disk was full, and no screen was told: what readers \
        look at beside the store is announced whether or not the store could be written.
        """),
  ]

  @Test(arguments: all) func `a past failure stays mended`(failure: Failure) async throws {
    let result = try await report(of: World(seed: failure.seed))
    #expect(result.violations.isEmpty, "\(result.story)")
  }
}
