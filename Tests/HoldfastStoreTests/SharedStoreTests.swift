import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// A store that several processes use. Each opens the files for itself.
@Suite struct SharedStoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func open(isShared: Bool = true) throws -> Store {
    try Store(folder: scratch.url, owner: eg.user, isShared: isShared)
  }

  private func commit(_ id: ConversationID, to store: Store) throws {
    try store.write { try $0.conversations.create(id.key, title: nil, members: [], now: eg.date) }
  }

  private var journalBytes: Int { (try? scratch.bytes(of: "store.sqlite-wal").count) ?? 0 }

  // O15
  @Test func `own commits are no news, and those of others are, once`() throws {
    let (app, other) = (try open(), try open())
    _ = try app.hasOthersCommits()
    try commit("own", to: app)
    try app.emptyJournal()
    #expect(try !app.hasOthersCommits())
    try commit("shared", to: other)
    #expect(try app.hasOthersCommits())
    #expect(try !app.hasOthersCommits())
  }

  // O15, S2
  @Test func `each transaction and checkpoint holds the lock, in a shared store only`() throws {
    let file = scratch.url.appendingPathComponent(FileLock.write)
    do {
      let alone = try open(isShared: false)
      #expect(!FileManager.default.fileExists(atPath: file.path))
      #expect(!alone.isShared)
    }
    let store = try open()
    let lock = try FileLock(file)
    #expect(try store.write { _ in try lock.acquire() } == false)
    #expect(try store.writeUnsynced { _ in try lock.acquire() } == false)
    try commit("own", to: store)
    #expect(journalBytes > 0)
    #expect(try lock.acquire(), "Between two transactions nobody holds it.")

    // Another process is writing: a checkpoint waits until it has finished.
    try expectWait(for: lock) { try store.emptyJournal() }
    #expect(journalBytes == 0)
    // Closing the last connection makes a checkpoint as well.
    #expect(try lock.acquire())
    try expectWait(for: lock) { try store.suspend() }
  }

  /// Runs `body` on a thread of its own while `lock` is held, and releases the lock once `body` waits for it.
  private func expectWait(for lock: FileLock, _ body: @escaping @Sendable () throws -> Void) throws {
    let before = journalBytes
    let isDone = DispatchSemaphore(value: 0)
    let result = Mutexed<Result<Void, any Error>?>(nil)
    Thread.detachNewThread {
      result.withLock { $0 = Result { try body() } }
      isDone.signal()
    }
    #expect(isDone.wait(timeout: .now() + 0.2) == .timedOut, "It did not wait.")
    #expect(journalBytes == before)
    lock.release()
    #expect(isDone.wait(timeout: .now() + 60) == .success)
    try result.withLock { $0 }?.get()
  }

  // O15
  @Test func `a store that was opened as shared is shared for a process that does not say so`() throws {
    #expect(try open().isShared)
    #expect(try open(isShared: false).isShared)
  }
}
