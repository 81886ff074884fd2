import Dispatch
import Foundation
import Simulator
import Synchronization

/// Runs many simulated worlds, each twice, on all processors.
final class Campaign: Sendable {
  /// The outcome of one seed. The trace of a world without violations is not kept.
  private struct Result: Sendable {
    var counts: FaultCounts
    var messages: Int
    var deeds: [String: Int]
    var lastDraw: UInt64
    /// The first run, when a promise was broken or the second run differs. Nil otherwise.
    var failure: World.Report?
    var isRepeatable: Bool
  }

  private struct State {
    var results: [UInt64: Result] = [:]
    var failed = 0
    var error: (any Error)?
  }

  private let seeds: Range<UInt64>
  private let world: @Sendable (UInt64) -> World
  private let stopsAtFailure: Bool
  private let state = Mutex(State())
  private let interruption = Atomic(false)

  /// - Parameters:
  ///   - seeds: one world for each.
  ///   - stopsAtFailure: whether the first failure ends the campaign. Otherwise every seed is run, and failures are
  ///     shrunk at the end.
  ///   - world: makes the world of a seed.
  init(seeds: Range<UInt64>, stopsAtFailure: Bool, world: @escaping @Sendable (UInt64) -> World) {
    self.seeds = seeds
    self.stopsAtFailure = stopsAtFailure
    self.world = world
  }

  /// Stops the worlds that are being run. ``run()`` then prints the results so far, and returns.
  func interrupt() { interruption.store(true, ordering: .relaxed) }

  private var isInterrupted: Bool { interruption.load(ordering: .relaxed) }

  /// Runs the worlds, prints the story of each failure when it happens, and prints a summary at the end.
  func run() throws -> Outcome {
    let start = ContinuousClock.now
    say("Seeds \(seeds.lowerBound) to \(seeds.upperBound - 1), each run twice.")
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      let isOver = state.withLock { $0.error != nil || (stopsAtFailure && $0.failed > 0) }
      guard !isOver, !isInterrupted else { return }
      let seed = seeds.lowerBound + UInt64(index)
      do {
        record(try runTwice(seed), of: seed)
      } catch is CancellationError {
      } catch {
        state.withLock { $0.error = error }
      }
    }
    let (results, error) = state.withLock { ($0.results, $0.error) }
    if let error { throw error }
    if !stopsAtFailure { try shrink(results) }
    return conclude(results, seconds: start.duration(to: .now) / .seconds(1))
  }

  enum Outcome { case passed, failed, interrupted }

  private func runTwice(_ seed: UInt64) throws -> Result {
    let first = try world(seed).run { isInterrupted }
    let second = try world(seed).run { isInterrupted }
    let isRepeatable = first.lastDraw == second.lastDraw && first.trace == second.trace
    let isWell = isRepeatable && first.violations.isEmpty
    return Result(
      counts: first.counts, messages: first.messages, deeds: first.deeds, lastDraw: first.lastDraw,
      failure: isWell ? nil : first, isRepeatable: isRepeatable)
  }

  private func record(_ result: Result, of seed: UInt64) {
    let (count, failed) = state.withLock { state in
      state.results[seed] = result
      if result.failure != nil { state.failed += 1 }
      return (state.results.count, state.failed)
    }
    if let failure = result.failure, !stopsAtFailure || failed == 1 {
      if !failure.violations.isEmpty { say(failure.story) }
      if !result.isRepeatable { say(Self.difference(failure)) }
    }
    if count.isMultiple(of: 20) {
      say("\(count) of \(seeds.count) seeds\(failed > 0 ? ", \(failed) failed" : "")")
    }
  }

  private static func difference(_ failure: World.Report) -> String {
    "seed \(failure.seed): two runs differ, so something in it is not simulated\n  replay    \(failure.replay)"
  }

  /// Prints a short description of a failure, with the command that replays it.
  private func report(_ result: Result, _ failure: World.Report) {
    if let violation = failure.violations.first {
      say("seed \(failure.seed) broke a promise: \(violation.promise)\n  replay    \(failure.replay)")
    }
    if !result.isRepeatable { say(Self.difference(failure)) }
  }

  /// Looks for smaller worlds that break the promises of the first few failures.
  private func shrink(_ results: [UInt64: Result]) throws {
    let failures = results.sorted { $0.key < $1.key }.compactMap(\.value.failure)
      .filter { !$0.violations.isEmpty }
    for failure in failures.prefix(3) {
      guard !isInterrupted else { return }
      say("looking for a smaller world that breaks the promise of seed \(failure.seed)")
      let smallest: World.Report
      do {
        smallest = try World(seed: failure.seed, plan: failure.plan)
          .shrunk(from: failure, isInterrupted: { [self] in isInterrupted })
      } catch is CancellationError {
        return
      }
      say(
        smallest.plan == failure.plan ? "there is none" : "a smaller world breaks it too:\n\(smallest.story)")
    }
  }

  private func conclude(_ results: [UInt64: Result], seconds: Double) -> Outcome {
    var counts = FaultCounts()
    var messages = 0
    var deeds: [String: Int] = [:]
    var draws: UInt64 = 0
    let ordered = results.sorted { $0.key < $1.key }.map(\.value)
    let failures = ordered.compactMap { result in result.failure.map { (result, $0) } }
    for result in ordered {
      counts.add(result.counts)
      messages += result.messages
      deeds.merge(result.deeds, uniquingKeysWith: +)
      // One number for all worlds, to compare two runs of this command.
      draws = (draws &* 31) &+ result.lastDraw
    }
    let rate = (Double(results.count) / max(seconds, 0.001) * 10).rounded() / 10
    if isInterrupted { say("Interrupted: \(results.count) of \(seeds.count) seeds were run.") }
    say(
      "\(results.count) seeds, each run twice, in \(Int(seconds)) s (\(rate) a second); \(messages) messages")
    say("survived: \(counts.summary)")
    say("users: \(deeds.summary)")
    say("draws: \(String(draws, radix: 16))")
    if !stopsAtFailure { for (result, failure) in failures { report(result, failure) } }
    say("Seeds: \(results.count - failures.count) passed, \(failures.count) failed")
    return isInterrupted ? .interrupted : failures.isEmpty ? .passed : .failed
  }

  /// Prints at once. In a pipe, a buffered line would wait for others.
  private func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}

extension [String: Int] {
  /// A summary such as "31 discard, 12 undo".
  var summary: String {
    isEmpty ? "nothing" : sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
