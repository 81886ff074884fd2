import CDiskFaults
import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// A session with every kind of intent, on a disk that fails at each operation (rules S1, S2, S4).
///
/// After a loss of power, the store must have the state after the last commit that had returned, or after the commit
/// that was in progress. It is compared row by row with a run without faults.
@Suite(.timeLimit(.minutes(20))) struct DiskFaultTests {
  /// Counts the commits that wrote something, and those that were on disk when they returned.
  private final class CommitLog: Sendable {
    struct Counts {
      /// The number of commits that returned.
      var returned = 0
      /// The number of the last commit that was synced for certain.
      var durable = 0
      var syncsBefore: Int64 = 0
      /// The counter of SQLite's wal-index at the last commit that returned.
      var change: UInt32 = 0
    }
    private let counted = Mutexed(Counts())
    private let disk: FaultyDisk
    private let file: URL
    private let committed: @Sendable () -> Void

    init(_ disk: FaultyDisk, _ file: URL, committed: @escaping @Sendable () -> Void = {}) {
      self.disk = disk
      self.file = file
      self.committed = committed
    }

    var gate: CommitGate { CommitGate(willCommit: willCommit, didCommit: didCommit) }

    var counts: Counts { counted.withLock { $0 } }

    private func willCommit() throws {
      let syncs = disk.count(.sync)
      counted.withLock { $0.syncsBefore = syncs }
    }

    private func didCommit() throws {
      let syncs = disk.count(.sync)
      let change = try changeCounter()
      let hasWritten = counted.withLock { counts in
        guard change != counts.change else { return false }
        counts.change = change
        counts.returned += 1
        if syncs > counts.syncsBefore { counts.durable = counts.returned }
        return true
      }
      if hasWritten { committed() }
    }

    /// The field `iChange` of the wal-index, which counts the transactions that write something
    /// (https://www.sqlite.org/walformat.html, section 2.1).
    private func changeCounter() throws -> UInt32 {
      let index = try FileHandle(forReadingFrom: URL(fileURLWithPath: file.path + "-shm"))
      defer { try? index.close() }
      let bytes = try #require(try index.read(upToCount: 12))
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
    }
  }

  /// The result of a run.
  private struct Run {
    var counts: CommitLog.Counts
    var failure: ChatError?
    /// An error that is not a ``ChatError`` of the storage.
    var surprise: String?
  }

  private static func file(_ bench: Bench) -> URL { bench.scratch.url.appendingPathComponent(Store.fileName) }

  private static func client(_ bench: Bench, gate: CommitGate? = nil) throws -> ChatClient {
    try ChatClient(
      storage: .folder(bench.scratch.url), transport: bench.transport, user: eg.user,
      configuration: ChatConfiguration(path: bench.path, environment: bench.environment), gate: gate)
  }

  /// Launches the app and runs the session, up to the first error. Then calls `failed` with the client.
  private static func run(
    _ bench: Bench, _ gate: CommitLog, failed: (ChatClient) async throws -> Void = { _ in }
  ) async throws -> Run {
    var run = Run(counts: gate.counts)
    var client: ChatClient?
    do {
      let launched = try Self.client(bench, gate: gate.gate)
      client = launched
      try launched.createConversation(eg.conversation, members: [eg.user, eg.other])
      let notes = RecordedSession.Notes()
      for step in RecordedSession.steps { try await step(launched, notes) }
    } catch let error as ChatError where error.code.isStorage {
      run.failure = error
    } catch {
      run.surprise = "\(error)"
    }
    run.counts = gate.counts
    if let client, run.failure != nil { try await failed(client) }
    return run
  }

  private static func bench() throws -> Bench { try Bench(carriesAttachments: true, inMemory: true) }

  /// The state of the store before the first commit, and after each commit.
  private static func states() async throws -> [StoreDump?] {
    let bench = try bench()
    let disk = try FaultyDisk(under: bench.scratch.url)
    let states = Mutexed<[StoreDump?]>([nil])
    let file = file(bench)
    let gate = CommitLog(disk, file) {
      let state = Result { try StoreDump(of: file) }
      states.withLock { $0.append(try? state.get()) }
    }
    let run = try await run(bench, gate)
    try #require(run.failure == nil && run.surprise == nil, "\(run)")
    return states.withLock { $0 }
  }

  /// The number of disk operations in a run without faults.
  private static func operations(_ operations: FaultyDisk.Operations) async throws -> Int64 {
    let bench = try bench()
    let disk = try FaultyDisk(under: bench.scratch.url)
    _ = try await run(bench, CommitLog(disk, file(bench)))
    return disk.count(operations)
  }

  /// Describes the problem of the store, with the disk as it was left and every connection closed. Nil if there is
  /// none.
  private static func verdict(
    _ bench: Bench, _ run: Run, _ states: [StoreDump?], isUnsyncedLost: Bool
  ) async throws -> String? {
    if let surprise = run.surprise { return "threw \(surprise)" }
    let file = file(bench)
    var found: StoreDump?
    if FileManager.default.fileExists(atPath: file.path) {
      let problems = try StoreDump.problems(of: file)
      if !problems.isEmpty { return "damaged: \(problems.prefix(3))" }
      found = try StoreDump(of: file)
    }
    let first = isUnsyncedLost ? run.counts.durable : run.counts.returned
    // During the creation of the store, its only state is empty.
    if run.counts.durable > 0,
      let problem = problem(found, states, from: first, returned: run.counts.returned)
    {
      return problem
    }
    let client = try client(bench)
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    let id = try client.send("afterwards", in: eg.conversation)
    return try client.rows().contains { $0.id == id } ? nil : "what is sent afterwards is not there"
  }

  /// Describes the problem of the state of a store. It must be the state after one of the commits, from the last one
  /// that is certain to the one that was in progress.
  private static func problem(
    _ found: StoreDump?, _ states: [StoreDump?], from first: Int, returned: Int
  ) -> String? {
    let allowed = states[first...min(returned + 1, states.count - 1)]
    guard !allowed.contains(found) else { return nil }
    if let place = states.firstIndex(of: found) {
      return "as after commit \(place), where \(first) were sure, and at most \(returned + 1)"
    }
    let tables = zip(allowed.indices, allowed).map { index, state in
      "from commit \(index) in \(found.flatMap { state?.differences(from: $0) } ?? [])"
    }
    return "as it never was: it differs \(tables.joined(separator: ", "))"
  }

  /// The operations of a run at which the disk fails: from `first` to `count`, each `step`-th. HOLDFAST_DISK_FAULTS
  /// changes the number: `all` takes minutes, and `few` is for the inner loop.
  private static func places(_ count: Int64, from first: Int64 = 1, each step: Int64 = 1) -> [Int64] {
    switch ProcessInfo.processInfo.environment["HOLDFAST_DISK_FAULTS"] {
    case "all": Array(1...count)
    case "few": Array(stride(from: first, through: count, by: Int(step * 6)))
    default: Array(stride(from: first, through: count, by: Int(step)))
    }
  }

  // S1.1, S2
  @Test(arguments: zip([disk_loses_some, disk_loses_nothing, disk_loses_all], [Int64(3), 12, 12]))
  func `power lost at any write -> the store is as after the last commit that returned, or the next`(
    _ loss: disk_loss, step: Int64
  ) async throws {
    let states = try await Self.states()
    let places = Self.places(try await Self.operations(.all), each: step)
    var failures: [String] = []
    for n in places {
      let bench = try Self.bench()
      let disk = try FaultyDisk(under: bench.scratch.url)
      disk.losePower(at: n, losing: loss, seed: UInt64(n))
      let run = try await Self.run(bench, CommitLog(disk, Self.file(bench)))
      if !disk.hasFailed { failures.append("\(n): the power was not lost") }
      disk.heal()
      let verdict = await Result.of {
        try await Self.verdict(bench, run, states, isUnsyncedLost: loss != disk_loses_nothing)
      }
      if let verdict { failures.append("\(n): \(verdict)") }
    }
    print("\(places.count) places where the power was lost, \(states.count - 1) commits")
    #expect(failures.isEmpty, "\(failures.count) of \(places.count): \(failures.prefix(5))")
  }

  // S4.1, S4.3
  @Test(
    arguments: [
      (disk_full, 1, 1), (disk_full, .max, 4), (disk_error, 1, 7), (disk_error, .max, 10),
    ] as [(disk_failure, Int64, Int64)])
  func
    `a disk that fails at any write -> a typed error, nothing half done, and it goes on once the disk does`(
      _ failure: disk_failure, count: Int64, from first: Int64
    ) async throws
  {
    let states = try await Self.states()
    let kinds: FaultyDisk.Operations = [.write, .truncate, .sync, .open]
    let places = Self.places(try await Self.operations(kinds), from: first, each: 12)
    var failures: [String] = []
    for n in places {
      let bench = try Self.bench()
      let disk = try FaultyDisk(under: bench.scratch.url)
      disk.fail(kinds, at: n, count: count, as: failure)
      let verdict = await Result.of {
        var live: StoreDump?
        let run = try await Self.run(bench, CommitLog(disk, Self.file(bench))) { client in
          disk.heal()
          live = try StoreDump(of: Self.file(bench))
          // This is the same client, with the same connections except those that it had closed.
          try await client.resume()
          try client.createConversation("afterwards", members: [eg.user, eg.other])
          _ = try client.send("it goes on", in: "afterwards")
        }
        disk.heal()
        if let surprise = run.surprise { return "threw \(surprise)" }
        if let live {
          let returned = run.counts.returned
          if returned > 0, let problem = Self.problem(live, states, from: returned, returned: returned) {
            return problem
          }
          let problems = try StoreDump.problems(of: Self.file(bench))
          if !problems.isEmpty { return "damaged: \(problems.prefix(3))" }
          let client = try Self.client(bench)
          let rows = try client.reader.conversation("afterwards", limit: 10).rows
          return rows.map(\.text) == ["it goes on"] ? nil : "what was sent afterwards is not there"
        }
        return try await Self.verdict(bench, run, states, isUnsyncedLost: false)
      }
      if let verdict { failures.append("\(n): \(verdict)") }
    }
    print("\(places.count) places where the disk failed")
    #expect(failures.isEmpty, "\(failures.count) of \(places.count): \(failures.prefix(5))")
  }

  // S1.1
  @Test func `power lost after a sync that failed -> nothing that had returned before is lost`() async throws
  {
    let states = try await Self.states()
    let total = try await Self.operations(.sync)
    var failures: [String] = []
    for n in 1...total {
      let bench = try Self.bench()
      let disk = try FaultyDisk(under: bench.scratch.url)
      disk.fail(.sync, at: n, as: disk_error)
      let run = try await Self.run(bench, CommitLog(disk, Self.file(bench))) { _ in
        disk.losePower(at: 1, losing: disk_loses_all, seed: 1)
      }
      disk.heal()
      let verdict = await Result.of { try await Self.verdict(bench, run, states, isUnsyncedLost: true) }
      if let verdict { failures.append("\(n): \(verdict)") }
    }
    #expect(failures.isEmpty, "\(failures.count) of \(total): \(failures.prefix(5))")
  }
}

extension Result where Success == String?, Failure == any Error {
  /// The problem that `body` returns. A thrown error is a problem too.
  fileprivate static func of(_ body: () async throws -> String?) async -> String? {
    do { return try await body() } catch { return "threw \(error)" }
  }
}
