import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite struct ReserveTests {
  /// A disk on which a commit finds space only without the reserve.
  private final class TightDisk: Sendable {
    let reserve: URL
    let isFull = Mutexed(false)
    init(_ reserve: URL) { self.reserve = reserve }

    var gate: CommitGate { CommitGate(willCommit: willCommit) }

    private func willCommit() throws {
      guard isFull.withLock({ $0 }), FileManager.default.fileExists(atPath: reserve.path) else { return }
      throw ChatError.fullDisk
    }
  }

  // P3.4, S4.2
  @Test func `the reserve is really allocated, private, and made with the store`() throws {
    let bench = try Bench()
    _ = try bench.client()
    let file = bench.scratch.url.appendingPathComponent(Reserve.name)
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_size == Reserve.byteCount)
    #expect(Int(status.st_blocks) * 512 >= Reserve.byteCount)
    #expect(try bench.scratch.mode(of: Reserve.name) == 0o600)
  }

  // S4.2
  @Test func `a full disk takes the last draft all the same, and nothing else takes the reserve`() throws {
    let bench = try Bench()
    let disk = TightDisk(bench.scratch.url.appendingPathComponent(Reserve.name))
    let store = try Store(folder: bench.scratch.url, owner: eg.user, gate: disk.gate)
    let drafts = Drafts(store: store, environment: bench.environment)
    try store.write {
      try $0.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
    }
    let piece = StreamPiece(id: "a", conversation: eg.conversation, sender: "bob", sequence: 0, text: "")
    let chunks = [0, 1].map { number in
      TokenBuffer.Chunk(firstSequence: number, nextSequence: number + 1, text: "\(number)", reasoning: "")
    }
    try store.write { transaction in
      try transaction.streams.begin(piece, in: eg.conversation.key, now: eg.date)
      try transaction.streams.append(chunks[0], to: "a", in: eg.conversation.key)
    }
    try store.tail.append([StreamLog.Entry(id: "a", chunk: chunks[1])])
    #expect(store.reserve.isThere)

    disk.isFull.withLock { $0 = true }
    #expect(throws: ChatError.fullDisk) {
      try store.write { try $0.conversations.create("another", title: nil, members: [], now: eg.date) }
    }
    // The newest words of a reply are safe in the tail.
    #expect(throws: ChatError.fullDisk) { try store.foldTail() }
    #expect(store.reserve.isThere)
    #expect(!store.tail.isEmpty)
    drafts.edit(eg.key, DraftContent("last words"))
    try drafts.save(eg.key)
    #expect(try store.read { try $0.drafts.restorable(eg.key) }?.content.text == "last words")
  }

  // S4.1, S4.3
  @Test func `without a reserve the text stays in the composer`() throws {
    let bench = try Bench()
    let client = try bench.client()
    bench.gate.fail()
    client.drafts.edit("typed", in: eg.conversation)
    #expect(throws: ChatError.self) { try client.hardSave() }
    #expect(!client.store.reserve.isThere, "It was given up, and did not help.")
    #expect(client.drafts.text(in: eg.conversation) == "typed")
    bench.gate.heal()
    try client.hardSave()
    #expect(client.store.reserve.isThere, "There is room again.")
  }
}
