import ArgumentParser
import Foundation
import HoldfastTesting

/// Runs simulated worlds: the shipped engine, store and server under a seed, a virtual clock and faults.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the engine and the server in simulated worlds, and check the promises.",
    discussion: """
      Each seed is one world. It is run twice, and both runs must agree on the last number drawn.

        holdfast simulate --seeds 300        seeds 1 to 300
        holdfast simulate --seed 162         one seed, with its story
      """)

  @Option(help: "How many seeds to run, from --from on.") var seeds: Int?
  @Option(help: "The first seed.") var from: UInt64 = 1
  @Option(help: "Run this seed alone, and tell its story.") var seed: UInt64?

  func validate() throws {
    guard (seeds == nil) != (seed == nil) else {
      throw ValidationError("Give either --seeds COUNT or --seed NUMBER.")
    }
    if let seeds, seeds < 1 { throw ValidationError("--seeds must be at least 1.") }
  }

  func run() throws {
    if let seed {
      let report = try World(seed: seed).run()
      print(report.trace.joined(separator: "\n"))
      print("seed \(seed): \(report.faults)")
      print("\(report.messages) messages, survived \(report.counts.summary), last draw \(report.lastDraw)")
      try judge(report)
    } else if let seeds {
      try run(from..<(from + UInt64(seeds)))
    }
  }

  private func run(_ seeds: Range<UInt64>) throws {
    let start = ContinuousClock.now
    var counts = FaultCounts()
    var messages = 0
    var draws: UInt64 = 0
    var failed: [UInt64] = []
    for seed in seeds {
      let report = try World(seed: seed).run()
      let again = try World(seed: seed).run()
      counts.add(report.counts)
      messages += report.messages
      // One number for all worlds: two runs of this command are compared by it.
      draws = (draws &* 31) &+ report.lastDraw
      if !report.violations.isEmpty {
        failed.append(seed)
        describe(report)
      }
      if report.lastDraw != again.lastDraw || report.trace != again.trace {
        failed.append(seed)
        print(
          "seed \(seed): two runs differ, so something in it is not simulated. Replay: make sim SEED=\(seed)")
      }
      if (seed - seeds.lowerBound + 1) % 100 == 0 {
        print("\(seed - seeds.lowerBound + 1) of \(seeds.count) seeds")
      }
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    print("\(seeds.count) seeds, each run twice, in \(Int(seconds)) s; \(messages) messages sent")
    print("survived: \(counts.summary)")
    print("draws: \(String(draws, radix: 16))")
    print("Seeds: \(seeds.count - Set(failed).count) passed, \(Set(failed).count) failed")
    if !failed.isEmpty { throw ExitCode.failure }
  }

  private func judge(_ report: World.Report) throws {
    guard !report.violations.isEmpty else { return print("every promise was kept") }
    describe(report)
    throw ExitCode.failure
  }

  private func describe(_ report: World.Report) {
    print("seed \(report.seed) FAILED with \(report.faults)")
    for violation in report.violations.prefix(5) { print("  \(violation)") }
    print("  the last events:")
    for line in report.trace.suffix(12) { print("    \(line)") }
    print("  replay: make sim SEED=\(report.seed)")
  }
}
