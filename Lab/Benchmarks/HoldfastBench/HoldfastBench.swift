import Foundation

/// The command.
@main struct HoldfastBench {
  static let usage = """
    holdfast-bench [NAME ...] [--samples COUNT] [--folder PATH] [--json] [--keep RESULTS.json]
    holdfast-bench picture cost|screen --from RESULTS.json --to PICTURE.svg
    holdfast-bench syncs send|draft COUNT [--folder PATH]
    holdfast-bench statements [--folder PATH]

    The first measures, everything or what is named, in a folder of its own below the current one. It
    prints a table, or with --json what programs read; --keep writes that to a file as well.
    The second draws how the cost of a message grows with the history, or that of a screen with its rows, from such a file.
    The third does one intent COUNT times and nothing else: Benchmarks/syncs.sh counts its syncs.
    The fourth compares the statements of the engine and of C, and measures nothing.
    """

  @MainActor static func main() async {
    do {
      try await run(try Options(Array(CommandLine.arguments.dropFirst())))
    } catch {
      say("holdfast-bench: \(error)")
      exit(1)
    }
  }

  @MainActor private static func run(_ options: Options) async throws {
    switch try options.task() {
    case .help: print(usage)
    case .draw(let picture, let from, let to):
      let report = try Report(json: from)
      let chart = try picture == .cost ? report.costChart() : report.screenChart()
      try chart.svg().write(to: to, atomically: true, encoding: .utf8)
    case .countSyncs(let intent, let count):
      try await inWorkFolder(options) { folder in
        try SyncCount.run(intent, count: count, in: folder.url.appendingPathComponent("store"))
      }
    case .compareStatements:
      let differing = try await inWorkFolder(options) { folder in
        try await Self.differingStatements(
          on: Workbench(folder: folder.url, samples: 1) { line in say(line) })
      }
      guard differing.isEmpty else {
        throw BenchmarkFailure(
          "C runs other statements than the engine: change CRawSQLite to what it runs.\n"
            + differing.joined(separator: "\n"))
      }
      print(
        "Engine and C run the same statements, in \(allBenchmarks.count) benchmarks and a streamed reply.")
    case .measure(let benchmarks, let trials):
      let report = try await inWorkFolder(options) { folder in
        let start = ContinuousClock.now
        let bench = Workbench(folder: folder.url, samples: options.samples) { line in
          say("\(Int(start.duration(to: .now) / .seconds(1))) s: \(line)")
        }
        let findings = try await measure(benchmarks, trials, on: bench)
        return Report(folder: folder.url, fileSystem: folder.fileSystem, findings: findings)
      }
      print(options.wantsJSON ? try report.json() : report.text())
      if let keep = options.keep { try report.json().write(to: keep, atomically: true, encoding: .utf8) }
      guard report.isComparable else {
        throw BenchmarkFailure("C runs other statements than the engine: change CRawSQLite to what it runs.")
      }
    }
  }

  /// The statements that only one side runs, by benchmark.
  @MainActor private static func differingStatements(on bench: Workbench) async throws -> [String] {
    var checks: [(name: String, check: StatementCheck)] = []
    for benchmark in allBenchmarks {
      checks.append((benchmark.name, try await Runner(bench: bench).check(benchmark)))
    }
    for outcome in try await StreamTrial.run(on: bench).outcomes {
      if let check = outcome.statements { checks.append((outcome.name, check)) }
    }
    var lines: [String] = []
    for (name, check) in checks where !check.isSame {
      lines.append("\(name):")
      lines += check.engine.difference(from: check.raw).map { change in
        switch change {
        case .insert(_, let statement, _): "  only the engine: \(statement)"
        case .remove(_, let statement, _): "  only C:          \(statement)"
        }
      }
    }
    return lines
  }

  @MainActor private static func measure(
    _ benchmarks: [any Benchmark.Type], _ trials: [any Trial.Type], on bench: Workbench
  ) async throws -> Findings {
    var findings = Findings()
    for benchmark in benchmarks {
      bench.report(benchmark.name)
      findings.outcomes.append(try await Runner(bench: bench).run(benchmark))
    }
    for trial in trials {
      bench.report(trial.name)
      findings += try await trial.run(on: bench)
    }
    bench.report("done")
    return findings
  }

  @MainActor private static func inWorkFolder<Value>(
    _ options: Options, _ body: @MainActor (WorkFolder) async throws -> Value
  ) async throws -> Value {
    let folder = try WorkFolder(in: options.folder)
    defer { folder.remove() }
    return try await body(folder)
  }

  /// To whoever waits, beside what is printed.
  private static func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
