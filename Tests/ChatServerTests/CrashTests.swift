import Foundation
import GRDB
import Holdfast
import HoldfastRelay
import Synchronization
import Testing

@testable import ChatServer

/// The power may be lost at any moment, and the disk may be full (rules O11, P3, S1, S3, S4).
@Suite struct CrashTests {
  // S1
  @Test func `everything accepted is there after a crash`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let before = await alice.send(eg("m1", title: "Plans", body: "one"), eg("m2", predecessor: "m1"))
    let reopened = try await bench.reopened()
    let again = try await reopened.connect("alice")
    let page = await again.say(.hello(.init(after: nil)))
    #expect(page.pages.flatMap(\.items) == before.pages.flatMap(\.items))
    let after = await again.send(eg("m2", predecessor: "m1"), eg("m3", members: nil, predecessor: "m2"))
    #expect(after.receipts.map(\.order) == [2, 3])
    #expect(after.pages.map(\.after) == page.pages.map(\.cursor))
  }

  // S1
  @Test func `after a crash before the commit nothing was stored and nothing was said`() async throws {
    let gate = Gate()
    let bench = try await Bench(gate: gate.gate)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    _ = bob.heard()
    gate.failure = .beforeCommit
    #expect(await alice.send(eg("m")).isEmpty)
    gate.failure = nil
    #expect(await alice.say(.ping).isEmpty)
    #expect(bob.heard().isEmpty)
    #expect(!alice.isClosed)
    await #expect(throws: ServerError.stopped) {
      try await bench.server.connect(token: "token-alice") { _ in }
    }
    let again = try await bench.reopened().client("alice")
    #expect(await again.send(eg("m")).receipts.map(\.order) == [1])
  }

  // O6.2, O6.3
  @Test func `after a crash behind the commit the retry gets the first receipt`() async throws {
    let gate = Gate()
    let bench = try await Bench(gate: gate.gate)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    gate.failure = .afterCommit
    #expect(await alice.send(eg("m")).isEmpty)
    let reopened = try await bench.reopened()
    reopened.turnDate(to: 9_000)
    let again = try await reopened.client("alice")
    #expect(
      await again.send(eg("m")).receipts == [.init(id: "m", conversation: "c", order: 1, at: 1_000_000)])
  }

  @Test(arguments: [Gate.Failure.beforeCommit, .afterCommit])
  func `a crash while opening for the first time leaves a folder that opens`(_ failure: Gate.Failure)
    async throws
  {
    let gate = Gate()
    gate.failure = failure
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    defer { try? FileManager.default.removeItem(at: folder) }
    await #expect(throws: ServerError.stopped) { try await Bench(gate: gate.gate, folder: folder) }
    let alice = try await Bench(folder: folder).client("alice")
    #expect(await alice.send(eg("m")).receipts.count == 1)
  }

  // O7.8, S4.3
  @Test func `a full disk is busy for messages, changes nothing, and passes`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"))
    try await bench.server.limitPages(to: 1)
    let long = String(repeating: "x", count: 90_000)
    let answer = await alice.send(eg("m2", body: long, handover: 3), eg("m3", body: long))
    #expect(answer.refusals.map(\.id) == ["m2", "m3"])
    #expect(answer.first == .refused(.init(id: "m2", handover: 3, kind: .busy, retryAfter: 1_000)))
    #expect(!alice.isClosed)
    try await bench.server.limitPages(to: 1_000_000)
    #expect(await alice.send(eg("m2", body: long)).receipts.map(\.order) == [2])
  }

  // S4
  @Test func `on a full disk what the server has gets its receipt, and the rest of the frame comes later`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"))
    var reaction = eg("o1", body: "👍")
    reaction.operation = .init(kind: "react", target: "m1")
    await alice.send(reaction)
    try await bench.server.limitPages(to: 1)
    let answer = await alice.send(
      eg("m1", handover: 4), reaction,
      eg("m2", body: String(repeating: "x", count: 90_000), handover: 6))
    #expect(answer.receipts.map(\.id) == ["m1", "o1"])
    #expect(answer.refusals == [.init(id: "m2", handover: 6, kind: .busy, retryAfter: 1_000)])
  }

  @Test func `when the storage gives nothing either, no message is refused and the connection ends`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"))
    try await bench.server.execute("ALTER TABLE message RENAME TO hidden")
    let answer = await alice.send(eg("m1", handover: 4), eg("m2", handover: 5))
    #expect(answer.refusals.isEmpty && answer.receipts.isEmpty)
    #expect(answer.failures.map(\.code) == [.unavailable])
    #expect(alice.isClosed)
  }

  @Test func `storage that fails on a page ends the connection for a while`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.connect("alice")
    try await bench.server.execute("ALTER TABLE event RENAME TO hidden")
    let answer = await alice.say(.hello(.init(after: nil)))
    #expect(
      answer.failures == [
        .init(code: .unavailable, explanation: "The server's storage failed.", retryAfter: 1_000)
      ])
    #expect(alice.isClosed)
    try await bench.server.execute("ALTER TABLE hidden RENAME TO event")
    let again = try await bench.client("alice")
    #expect(await again.send(eg("m")).receipts.count == 1)
  }

  // S3.1
  @Test(arguments: ["PRAGMA user_version = 99", "PRAGMA application_id = 1"])
  func `a database of another program is refused, and left as it is`(_ sql: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    try await bench.server.execute(sql)
    await bench.server.stop()
    let place = bench.folder.appending(path: "server.sqlite")
    let file = try DatabaseQueue(path: place.path)
    try await file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    let before = try Data(contentsOf: place)
    let error = await #expect(throws: ServerError.self) { try await bench.reopened() }
    #expect(error?.code == .storageForeign)
    #expect(try Data(contentsOf: place) == before)
    let (accounts, versions) = try await file.read { db in
      (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM account"),
        try ["user_version", "application_id"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") }
      )
    }
    #expect(accounts == egAccounts.count)
    #expect(versions.contains { sql.hasSuffix("= \($0 ?? 0)") })
  }

  @Test func `a server that stops leaves everything in one file`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    await bench.server.stop()
    let journal = bench.folder.appending(path: "server.sqlite-wal").path
    let size = try? FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int
    #expect((size ?? 0) == 0)
  }

  // P3.4
  @Test func `the folder and its files are private`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    for path in [bench.folder.path] + files.map({ bench.folder.appending(path: $0).path }) {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0)
    }
  }
}

/// Cuts the power at a commit.
final class Gate: Sendable {
  enum Failure: Error { case beforeCommit, afterCommit }

  private let state = Mutex<Failure?>(nil)

  var failure: Failure? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  var gate: CommitGate {
    CommitGate(
      willCommit: { if self.failure == .beforeCommit { throw Failure.beforeCommit } },
      didCommit: { if self.failure == .afterCommit { throw Failure.afterCommit } })
  }
}

extension ChatServer {
  /// SQLite reports "disk full" beyond this many pages.
  fileprivate func limitPages(to pages: Int) throws { try execute("PRAGMA max_page_count = \(pages)") }

  fileprivate func execute(_ sql: String) throws { try database.write { try $0.execute(sql: sql) } }
}
