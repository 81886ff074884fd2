import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Copies of deleted texts that SQLite leaves in the database, and the rewrite of a database (rule S9).
@Suite(.timeLimit(.minutes(10))) struct CompactionTests {
  private static let kept: ConversationID = "kept"
  private static func word(_ number: Int) -> String { "quixotic\(number)x" }

  private static let count = 1_500

  /// Writes many messages, every twentieth in a second conversation. Changes the length of a third of the others, so
  /// that SQLite moves rows between pages. Then erases the second conversation.
  private static func writeAndErase(_ store: Store) throws {
    var random = SeededRandom(seed: 1)
    try store.write { transaction in
      for id in [Trip.id, kept] {
        try transaction.conversations.create(id.key, title: nil, members: [eg.user], now: eg.date)
      }
      for number in 0..<count {
        let isErased = number % 20 == 0
        try transaction.messages.insert(
          MessageID(rawValue: "m\(number)"), in: (isErased ? Trip.id : kept).key, sender: eg.user,
          role: .user,
          content: MessageContent(isErased ? String(repeating: word(number) + " ", count: 20) : "other"),
          order: Int64(number + 1), place: TimelinePlace.confirmed(order: Int64(number + 1)),
          createdAt: eg.date)
      }
      for number in 0..<count where number % 20 > 0 && Int.random(in: 0..<10, using: &random) < 3 {
        let body = String(repeating: "x", count: Int.random(in: 1...3000, using: &random))
        try transaction.run("UPDATE message SET body = ? WHERE id = ?", [body, "m\(number)"])
      }
      try transaction.deletions.hide(Trip.id.key, isFinal: true)
    }
    while try store.write({ try $0.deletions.eraseSome(of: Trip.id.key, limit: 50) }) {}
    try store.emptyJournal()
  }

  /// The erased messages that still have bytes in the files.
  private static func words(in scratch: ScratchFolder) throws -> [Int] {
    let bytes =
      try scratch.bytes(of: Store.fileName) + ((try? scratch.bytes(of: Store.journalName)) ?? Data())
    return stride(from: 0, to: count, by: 20).filter { bytes.range(of: Data(word($0).utf8)) != nil }
  }

  // H5.4, S9.2
  @Test func `copies that SQLite has left of erased messages are gone, and nothing else is`() throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user)
    try Self.writeAndErase(store)
    try #require(try !Self.words(in: scratch).isEmpty, "SQLite leaves copies")
    #expect(try store.remnants() > 0)
    let before = try store.texts("SELECT id, body FROM message")

    try store.compact()

    #expect(try Self.words(in: scratch) == [])
    #expect(try store.remnants() == 0)
    #expect(before.count == Self.count * 19 / 20)
    #expect(try store.texts("SELECT id, body FROM message") == before)
    #expect(try StoreInspection.examine(scratch.url).isHealthy)
  }

  // S9.2
  @Test(arguments: [false, true])
  func `a page that is in memory does not bring its copies back`(ofAnotherProcess: Bool) throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user, isShared: true)
    // Another process has the store open.
    let other = try Store(folder: scratch.url, owner: eg.user, isShared: true)
    try Self.writeAndErase(store)
    let writer = ofAnotherProcess ? other : store
    // This reads all pages into the memory of the writing connection.
    try writer.write { _ = try $0.row("SELECT sum(length(body)) FROM message") }

    try store.compact()
    // No row becomes longer, so no row is moved.
    try writer.write { try $0.run("UPDATE message SET createdAt = createdAt + 1") }

    #expect(try Self.words(in: scratch) == [])
  }

  // S6, S9.2
  @Test func `a small store is compacted when its app enters the background`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Self.writeAndErase(client.store)
    try #require(try !Self.words(in: bench.scratch).isEmpty)
    try await client.enterBackground()
    #expect(try Self.words(in: bench.scratch) == [])
    #expect(try client.store.remnants() == 0)
  }

  // S9
  @Test func `a store from which nothing was deleted is not written anew`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try await client.enterBackground()
    let before = try bench.scratch.bytes(of: Store.fileName)
    try await client.enterBackground()
    #expect(try bench.scratch.bytes(of: Store.fileName) == before)
    try client.store.write { try $0.compaction.noteRemnants() }
    try await client.enterBackground()
    #expect(try bench.scratch.bytes(of: Store.fileName) != before)
  }

  // S9.5
  @Test func `an app compacts a store of any size, with progress, and learns when it is due`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    #expect(try !client.storeDiagnostics().isCompactionDue)
    try Self.writeAndErase(client.store)
    try #require(try !Self.words(in: bench.scratch).isEmpty)
    #expect(try client.storeDiagnostics().isCompactionDue)
    let reported = Mutexed<[Double]>([])
    #expect(try await client.compact { fraction in reported.withLock { $0.append(fraction) } })
    #expect(try Self.words(in: bench.scratch) == [])
    #expect(try !client.storeDiagnostics().isCompactionDue)
    let fractions = reported.withLock { $0 }
    #expect(fractions == fractions.sorted())
    #expect(fractions.count > 2)
    #expect(fractions.last == 1)
    #expect(fractions.allSatisfy { (0...1).contains($0) })
  }

  // S9.5
  @Test func `a compaction that is cancelled leaves the store as it was`() async throws {
    let bench = try Bench()
    let client = try bench.client()
    try Self.writeAndErase(client.store)
    let count = try client.store.texts("SELECT id, body FROM message").count
    let isDone = try await withThrowingTaskGroup(of: Bool.self) { group in
      let (steps, step) = AsyncStream.makeStream(of: Void.self)
      let (goes, go) = (DispatchSemaphore(value: 0), Mutexed(false))
      group.addTask {
        try await client.compact { _ in
          // The first step waits until the task is cancelled.
          if !go.withLock({ $0 }) {
            step.yield()
            goes.wait()
          }
        }
      }
      for await _ in steps { break }
      group.cancelAll()
      go.withLock { $0 = true }
      goes.signal()
      return try await group.next()
    }
    #expect(isDone == false)
    #expect(try client.storeDiagnostics().isCompactionDue)
    #expect(try client.store.texts("SELECT id, body FROM message").count == count)
    try client.send("it still works", in: eg.conversation)
    #expect(try await client.compact())
    #expect(try Self.words(in: bench.scratch) == [])
  }

  // S9.1, S9.5
  @Test func `a controller tidies up as a client does`() async throws {
    let bench = try Bench()
    let drafts = try DraftController(
      storage: .folder(bench.scratch.url), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
    try Self.writeAndErase(drafts.store)
    try #require(try !Self.words(in: bench.scratch).isEmpty)
    try drafts.enterBackground()
    #expect(try Self.words(in: bench.scratch) == [])
    #expect(try await drafts.compact())
  }

  // S6, S9.2
  @Test func `a larger store is left to the command, which gives its room back too`() throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user)
    try Self.writeAndErase(store)
    try store.write { transaction in
      for number in 0..<900 {
        try transaction.run(
          "UPDATE message SET body = ? WHERE id = ?", [String(repeating: "y", count: 20_000), "m\(number)"])
      }
    }
    try store.compactIfSmall()
    #expect(try store.remnants() > 0)
    try store.write { try $0.run("UPDATE message SET body = 'short'") }
    try store.suspend()

    let report = try StoreCompaction.compact(scratch.url)

    #expect(report.bytesAfter < report.bytesBefore / 10)
    #expect(try Self.words(in: scratch) == [])
    try store.resume()
    #expect(try store.remnants() == 0)
    #expect(try store.texts("SELECT id, body FROM message").count == Self.count * 19 / 20)
  }

  // S9, S3
  @Test func `compacting a missing store does nothing, and makes none`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url.appendingPathComponent("nobody")
    #expect {
      try StoreCompaction.compact(folder)
    } throws: {
      ($0 as? ChatError)?.code == .storageUnavailable
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  // S9
  @Test func `every kind of deletion is counted`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        client.drafts.edit("zanzibar", in: eg.conversation)
        try client.hardSave()
        _ = try client.drafts.discard(in: eg.conversation)
        try expect(try client.store.remnants() > 0, "a draft that is discarded is counted")
        try await client.enterBackground()
        try expect(try client.store.remnants() == 0, "the store is compacted")
        try await client.message(try client.send("mandolin", in: eg.conversation)).cancel()
        try expect(try client.store.remnants() > 0, "a message that is cancelled is counted")
        try await client.enterBackground()
        try expect(try client.store.remnants() == 0, "the store is compacted again")
      }
    }
  }

  // S9.2
  @Test func `a reader delays the emptying of the journal, and no caller for long`() throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user)
    try Self.writeAndErase(store)
    try store.write { try $0.run("UPDATE message SET createdAt = createdAt + 1") }
    let code = try store.read { db -> ChatError.Code? in
      _ = try db.row("SELECT count(*) FROM message")
      do throws(ChatError) {
        try store.emptyJournal()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code == .storageBusy)
    try store.compact()
    #expect(try Self.words(in: scratch) == [])
  }
}
