import Foundation
import Holdfast

/// What a history of a million messages costs, beside histories of 10,000 and 100,000: to bring it in, to open it, to
/// search it, and to go on writing in it.
///
/// It runs only when it is named: it takes minutes, and some gigabytes of disk while it runs.
struct MillionTrial: Trial {
  static let name = "million"
  static let sizes = [10_000, 100_000, 1_000_000]
  /// What is as expensive in a history of a million messages as in a small one: at most that many times.
  private static let flat = 1.5

  private static let measured: [any Benchmark.Type] = [
    ColdOpenBenchmark.self, LastHundredBenchmark.self, SearchRareBenchmark.self, SearchCommonBenchmark.self,
    SearchLetterBenchmark.self, AppendBenchmark.self, SendBenchmark.self,
  ]

  static func run(on bench: Workbench) async throws -> Findings {
    var (making, starting, streaming): ([Outcome], [Outcome], [Outcome]) = ([], [], [])
    var found: [[Outcome]] = measured.map { _ in [] }
    for size in sizes {
      let history = ImportedHistory(PastMessages(count: size), on: bench)
      defer { history.remove() }
      making += try await history.make()
      for (index, benchmark) in measured.enumerated() {
        bench.report("\(grouped(size)): \(benchmark.name)")
        found[index].append(
          try await Runner(bench: bench).run(
            benchmark, named: "\(title(benchmark)), \(grouped(size))", over: history.store, history: size,
            samples: 300, isChecked: size != sizes[0]))
      }
      bench.report("\(grouped(size)): process start")
      starting += try ProcessStart.measure(
        history.store, named: grouped(size), samples: min(bench.samples ?? 60, 60))
      guard size == sizes.last else { continue }
      bench.report("\(grouped(size)): streamed reply")
      streaming += try await StreamTrial.run(
        on: bench, named: "streamed reply, \(grouped(size))", over: history.store, samples: (3, 1)
      ).outcomes
    }
    return Findings(outcomes: found.flatMap { $0 + [growth($0)] } + starting + streaming + making)
  }

  private static func title(_ benchmark: any Benchmark.Type) -> String {
    benchmark == LastHundredBenchmark.self ? "last 100" : benchmark.name
  }

  /// How many times as much the longest history costs as the shortest.
  private static func growth(_ outcomes: [Outcome]) -> Outcome {
    func times(_ figure: (Outcome) -> Double?) -> Samples {
      var samples = Samples()
      if let first = outcomes.first.flatMap(figure), let last = outcomes.last.flatMap(figure) {
        samples.append(last / first)
      }
      return samples
    }
    return Outcome(
      name: "  growth", summary: "the median with the longest history, as many times that with the shortest",
      unit: "x", engine: times { $0.engine.p50 }, raw: times { $0.raw?.p50 }, aim: .value(flat))
  }
}
