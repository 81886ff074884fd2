import Dispatch
import Foundation
import HoldfastTesting
import Synchronization

/// Many worlds, each run twice, on all processors.
struct Campaign: Sendable {
  let seeds: Range<UInt64>
  let world: @Sendable (UInt64) -> World
  /// Whether the first failure ends it. Else every seed is run, and failures are shrunk at the end.
  let stopsAtFailure: Bool

  /// What is kept of a seed: the trace of a world that is well is of no use to anybody.
  private struct Result: Sendable {
    var counts: FaultCounts
    var messages: Int
    var deeds: [String: Int]
    var lastDraw: UInt64
    var failure: World.Report?
    /// Both runs were the same.
    var isRepeatable: Bool
  }

  private struct State {
    var results: [UInt64: Result] = [:]
    var error: (any Error)?
    var hasFailed = false
  }

  /// Runs them, says what they survived, and tells the stories of those that failed. True when none did.
  func run() throws -> Bool {
    let start = ContinuousClock.now
    let state = Mutex(State())
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      let isOver = state.withLock { $0.error != nil || (stopsAtFailure && $0.hasFailed) }
      guard !isOver else { return }
      let seed = seeds.lowerBound + UInt64(index)
      do {
        let result = try runTwice(seed)
        let count = state.withLock { state in
          state.results[seed] = result
          if result.failure != nil || !result.isRepeatable { state.hasFailed = true }
          return state.results.count
        }
        if count.isMultiple(of: 100) {
          print("\(count) of \(seeds.count) seeds")
          // Into a pipe, the line would wait for others.
          fflush(nil)
        }
      } catch {
        state.withLock { $0.error = error }
      }
    }
    let (results, error) = state.withLock { ($0.results, $0.error) }
    if let error { throw error }
    return try conclude(results, seconds: start.duration(to: .now) / .seconds(1))
  }

  private func runTwice(_ seed: UInt64) throws -> Result {
    let first = try world(seed).run()
    let second = try world(seed).run()
    return Result(
      counts: first.counts, messages: first.messages, deeds: first.deeds, lastDraw: first.lastDraw,
      failure: first.violations.isEmpty ? nil : first,
      isRepeatable: first.lastDraw == second.lastDraw && first.trace == second.trace)
  }

  private func conclude(_ results: [UInt64: Result], seconds: Double) throws -> Bool {
    var counts = FaultCounts()
    var messages = 0
    var deeds: [String: Int] = [:]
    var draws: UInt64 = 0
    var failures: [World.Report] = []
    var failed = 0
    for seed in seeds {
      guard let result = results[seed] else { continue }
      counts.add(result.counts)
      messages += result.messages
      deeds.merge(result.deeds, uniquingKeysWith: +)
      // One number for all worlds: two runs of this command are compared by it.
      draws = (draws &* 31) &+ result.lastDraw
      if let failure = result.failure { failures.append(failure) }
      if result.failure != nil || !result.isRepeatable { failed += 1 }
      if !result.isRepeatable {
        print("seed \(seed): two runs differ, so something in it is not simulated")
        print("  replay    make sim SEED=\(seed)")
      }
    }
    try tell(failures)
    let rate = (Double(results.count) / max(seconds, 0.001) * 10).rounded() / 10
    print(
      "\(results.count) seeds, each run twice, in \(Int(seconds)) s (\(rate) a second); \(messages) messages")
    print("survived: \(counts.summary)")
    print("users: \(deeds.summary)")
    print("draws: \(String(draws, radix: 16))")
    print("Seeds: \(results.count - failed) passed, \(failed) failed")
    return failed == 0
  }

  /// The first few failures in full, as small as they can be made, and the others by name.
  private func tell(_ failures: [World.Report]) throws {
    for failure in failures.prefix(stopsAtFailure ? 1 : 3) {
      print(failure.story)
      guard !stopsAtFailure else { continue }
      let smallest = try World(seed: failure.seed, plan: failure.plan).shrunk(from: failure)
      guard smallest.plan != failure.plan else { continue }
      print("a smaller world breaks it too:")
      print(smallest.story)
    }
    for failure in failures.dropFirst(3) {
      print("seed \(failure.seed) broke a promise: \(failure.violations.first?.promise ?? "")")
    }
  }
}

extension [String: Int] {
  /// "31 discard, 12 undo".
  var summary: String {
    isEmpty ? "nothing" : sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
