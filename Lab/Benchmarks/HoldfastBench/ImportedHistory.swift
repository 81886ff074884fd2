import Foundation
import Holdfast
import HoldfastRescue

/// A history that an app brings along becomes a store: imported from a file, indexed, and written out again. Beside it
/// C, which has the messages in memory, stores the same rows and reads them again.
@MainActor struct ImportedHistory {
  let past: PastMessages
  let bench: Workbench
  /// Where the store is, once it was made. Nobody has it open.
  let store: URL
  private let raw: URL
  private var name: String { grouped(past.count) }

  init(_ past: PastMessages, on bench: Workbench) {
    self.past = past
    self.bench = bench
    store = bench.folder.appendingPathComponent("past-\(past.count)")
    raw = bench.folder.appendingPathComponent("past-raw-\(past.count)")
  }

  func remove() { try? FileManager.default.removeItem(at: store) }

  /// Makes the store.
  func make() async throws -> [Outcome] {
    let file = bench.folder.appendingPathComponent("history.json")
    defer {
      try? FileManager.default.removeItem(at: file)
      try? FileManager.default.removeItem(at: raw)
    }
    let check = try importCheck()
    bench.report("\(name): writing the file")
    try past.write(to: file)
    let client = try Rig.open(store, Backend(isReachable: false))
    let imported = try importAll(file, into: client)
    let rawStore = try emptyRaw()
    let rawImported = try importRaw(past.count, into: rawStore)
    let indexed = try await index(client)
    bench.report("\(name): exporting")
    try FileManager.default.removeItem(at: file)
    let exported = try export(client, to: file)
    let rawExported = try rawStore.readHistory(of: Rig.conversation)
    guard rawExported.messages == past.count else { throw BenchmarkFailure("C did not store the messages.") }
    return [
      each(
        "import",
        "from ChatClient.importHistory(from:) until it returns, divided by the messages; C has them in "
          + "memory and runs the statements of each message, 250 in a transaction", imported.time,
        rawImported, check),
      memory("import", imported.peak),
      each(
        "index",
        "from run() until the last word is in the index of words, behind the user's back, pauses included",
        indexed.time),
      memory("index", indexed.peak),
      each(
        "export",
        "from ChatClient.exportHistory(to:) until the file is on disk; C reads every column and writes "
          + "nothing", exported.time, rawExported.time),
      memory("export", exported.peak),
    ]
  }

  // MARK: - Steps

  private func importAll(_ file: URL, into client: ChatClient) throws -> (time: Duration, peak: Double) {
    _ = try Memory.forgetPeak()
    var reported = 0.0
    let start = ContinuousClock.now
    let report = try client.importHistory(from: file) { progress in
      let share = Double(progress.completed) / Double(max(progress.total, 1))
      guard share >= reported else { return }
      bench.report("\(name): importing, \(Int(share * 100)) %")
      reported = share + 0.2
    }
    let time = start.duration(to: .now)
    guard report.messages == past.count, report.problems.isEmpty else {
      throw BenchmarkFailure("\(report.messages) messages were imported instead of \(past.count).")
    }
    return (time, try Memory.peak())
  }

  private func emptyRaw() throws -> RawStore {
    let empty = raw.appendingPathComponent("empty")
    try {
      _ = try Rig.openEmpty(in: empty)
    }()
    return try RawStore(
      file: raw.appendingPathComponent("raw.sqlite"), copying: empty.appendingPathComponent("store.sqlite"))
  }

  private func importRaw(_ count: Int, into rawStore: RawStore) throws -> Duration {
    bench.report("\(name): importing in C")
    var time = Duration.zero
    for start in stride(from: 1, through: count, by: 250) {
      time += try rawStore.importHistory(past.messages(start...min(start + 249, count)))
    }
    return time
  }

  private func index(_ client: ChatClient) async throws -> (time: Duration, peak: Double) {
    let file = store.appendingPathComponent("store.sqlite")
    _ = try Memory.forgetPeak()
    var reported = ContinuousClock.now
    let start = ContinuousClock.now
    let time = try await bench.withRunning(client) {
      while true {
        let rest = try RawStore.unindexed(file)
        if rest == 0 { return start.duration(to: .now) }
        guard start.duration(to: .now) < .seconds(1_800) else { throw BenchmarkFailure("It is not indexed.") }
        if reported.duration(to: .now) >= .seconds(10) {
          bench.report("\(name): indexing, \(100 - rest * 100 / past.count) %")
          reported = .now
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    return (time, try Memory.peak())
  }

  private func export(_ client: ChatClient, to file: URL) throws -> (time: Duration, peak: Double) {
    _ = try Memory.forgetPeak()
    let start = ContinuousClock.now
    let report = try client.exportHistory(to: file)
    let time = start.duration(to: .now)
    guard report.messages == past.count else {
      throw BenchmarkFailure("\(report.messages) messages were exported instead of \(past.count).")
    }
    return (time, try Memory.peak())
  }

  // MARK: - What they found

  private func each(
    _ what: String, _ summary: String, _ time: Duration, _ raw: Duration? = nil,
    _ check: StatementCheck? = nil
  ) -> Outcome {
    func perMessage(_ time: Duration) -> Samples {
      var samples = Samples()
      samples.append(time / .microseconds(past.count))
      return samples
    }
    return Outcome(
      name: "\(what) of \(name), each",
      summary: summary + "; \(Int((time / .seconds(1)).rounded())) s in all",
      unit: "us", engine: perMessage(time), raw: raw.map(perMessage), statements: check)
  }

  private func memory(_ what: String, _ kilobytes: Double) -> Outcome {
    var samples = Samples()
    samples.append(kilobytes / 1_024)
    return Outcome(
      name: "  peak memory", summary: "resident, of this process, while the \(what) of \(name) runs",
      unit: "MB",
      engine: samples)
  }

  /// What engine and C run for each message of an import.
  private func importCheck() throws -> StatementCheck {
    let few = bench.folder.appendingPathComponent("few")
    let file = few.appendingPathComponent("history.json")
    defer {
      try? FileManager.default.removeItem(at: few)
      try? FileManager.default.removeItem(at: raw)
    }
    try FileManager.default.createDirectory(at: few, withIntermediateDirectories: true)
    try PastMessages(count: Self.few).write(to: file)
    StatementCheck.install()
    defer { StatementCheck.uninstall() }
    let client = try Rig.open(few.appendingPathComponent("store"), Backend(isReachable: false))
    let rawStore = try emptyRaw()
    return StatementCheck(
      engine: Self.ofEachMessage(
        try StatementCheck.recordedNow { _ = try client.importHistory(from: file) }),
      raw: Self.ofEachMessage(
        try StatementCheck.recordedNow { _ = try importRaw(Self.few, into: rawStore) }))
  }

  private static let few = 40

  /// Those that ran once for each message, in the order in which they came first.
  private static func ofEachMessage(_ statements: [String]) -> [String] {
    let counts = Dictionary(grouping: statements) { $0 }.mapValues(\.count)
    var seen: Set<String> = []
    return statements.filter { counts[$0]! >= few && seen.insert($0).inserted }
  }
}
