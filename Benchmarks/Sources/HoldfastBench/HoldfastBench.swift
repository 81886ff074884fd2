import Foundation

/// The command.
@main struct HoldfastBench {
  static let usage = """
    holdfast-bench [NAME ...] [--samples COUNT] [--folder PATH] [--json]
    holdfast-bench syncs send|draft COUNT [--folder PATH]

    The first measures, all benchmarks or the named ones, in a folder of its own below the current one.
    The second does one intent COUNT times and nothing else: Benchmarks/syncs.sh counts its syncs.
    """

  @MainActor static func main() async {
    do {
      try await run(try Options(Array(CommandLine.arguments.dropFirst())))
    } catch {
      FileHandle.standardError.write(Data("holdfast-bench: \(error)\n".utf8))
      exit(1)
    }
  }

  @MainActor private static func run(_ options: Options) async throws {
    guard !options.wantsHelp else { return print(usage) }
    let folder = try WorkFolder(in: options.folder)
    defer { folder.remove() }
    if let (intent, count) = try options.syncs() {
      return try SyncCount.run(intent, count: count, in: folder.url.appendingPathComponent("store"))
    }
    let runner = Runner(folder: folder.url, samples: options.samples)
    try await runner.prepare()
    var outcomes: [Outcome] = []
    for benchmark in try options.benchmarks() { outcomes.append(try await runner.run(benchmark)) }
    let report = Report(folder: folder.url, fileSystem: folder.fileSystem, outcomes: outcomes)
    print(options.wantsJSON ? try report.json() : report.text())
    guard outcomes.allSatisfy(\.statements.isSame) else {
      throw BenchmarkFailure("C runs other statements than the engine: change CRawSQLite to what it runs.")
    }
  }
}
