import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The newest words of replies under way, in a file beside the database.
@Suite(.timeLimit(.minutes(10))) struct StreamTailTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private var file: URL { bench.scratch.url.appendingPathComponent(StreamTail.fileName) }

  /// A store with a reply under way, of which piece 0 is stored.
  private func begun(_ ids: MessageID...) throws -> Store {
    let store = try bench.store()
    try store.write { transaction in
      try transaction.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
      for id in ids {
        let piece = StreamPiece(id: id, conversation: eg.conversation, sender: "bob", sequence: 0, text: "")
        try transaction.streams.begin(piece, in: eg.conversation.key, now: eg.date)
        try transaction.streams.append(chunk(0, "0"), to: id, in: eg.conversation.key)
      }
    }
    return store
  }

  private func chunk(_ number: Int64, _ text: String) -> TokenBuffer.Chunk {
    .init(firstSequence: number, nextSequence: number + 1, text: text, reasoning: "r\(number)")
  }

  private func entry(_ number: Int64, of id: MessageID = "a", _ text: String? = nil) -> StreamTail.Entry {
    .init(id: id, chunk: chunk(number, text ?? "\(number)"))
  }

  private func words(of id: MessageID = "a", in store: Store) throws -> String {
    try store.read { try $0.streams.prefix(of: id).text }
  }

  /// What a reader of another process finds.
  private func wordsOutside(of id: MessageID = "a") throws -> String {
    try StoreReading.read(bench.scratch.url) { try $0.streams.prefix(of: id).text }
  }

  // H3.2
  @Test func `words of a tail are in the database after the next launch, and the tail is empty`() throws {
    var store = try begun("a", "b")
    try store.appendToTail([entry(1), entry(1, of: "b", "é")])
    try store.appendToTail([entry(2)])
    #expect(try words(in: store) == "0")
    #expect(try (wordsOutside(), wordsOutside(of: "b")) == ("012", "0é"))

    store = try bench.store()
    #expect(try (words(in: store), words(of: "b", in: store)) == ("012", "0é"))
    #expect(try store.read { try $0.streams.prefix(of: "a") }.reasoning == "r0r1r2")
    #expect(try Data(contentsOf: file).isEmpty)
    #expect(store.tail.isEmpty)
  }

  // H3.2
  @Test func `a tail that is cut anywhere leaves the words before the cut`() throws {
    let store = try begun("a")
    for number in 1...3 { try store.appendToTail([entry(Int64(number))]) }
    let whole = try Data(contentsOf: file)
    let length = whole.count / 3
    for cut in stride(from: 0, through: whole.count, by: 5) {
      try whole.prefix(cut).write(to: file)
      #expect(try wordsOutside() == "0123".prefix(1 + cut / length))
    }
    // Blocks that never reached the disk are zeros, and behind them may be some that did.
    var torn = whole
    torn.replaceSubrange(length + 3..<length + 9, with: Data(count: 6))
    try torn.write(to: file)
    #expect(try wordsOutside() == "01")
    let next = try bench.store()
    #expect(try words(in: next) == "01")
    try next.appendToTail([entry(2, "again")])
    #expect(try wordsOutside() == "01again")
  }

  // H3.1
  @Test func `words that were stored already, or belong to an earlier attempt, are passed over`() throws {
    let store = try begun("a")
    try store.appendToTail([entry(1)])
    let before = try Data(contentsOf: file)
    try store.foldTail()
    #expect(try words(in: store) == "01")
    // The power failed before the tail was emptied, and more was appended.
    try before.write(to: file)
    let next = try bench.store()
    #expect(try words(in: next) == "01")
    try next.appendToTail([entry(1), entry(2), entry(5), entry(2), entry(3)])
    try next.foldTail()
    #expect(try words(in: next) == "0123")
  }

  // H3.1
  @Test func `words that come while others are moved stay in the tail`() throws {
    let store = try begun("a")
    try store.appendToTail([entry(1)])
    let (_, end) = try store.tail.read()
    try store.appendToTail([entry(2)])
    try store.write { try $0.streams.fold(store.tail) }
    try store.appendToTail([entry(3)])
    try store.tail.clear(upTo: end)
    #expect(try wordsOutside() == "0123")
    // As many bytes as then, but others.
    try store.foldTail()
    try store.appendToTail([entry(4)])
    try store.tail.clear(upTo: end)
    #expect(try wordsOutside() == "01234")
  }

  // H3.1
  @Test func `a launch beside a writing process moves its words, and takes none that come later`() throws {
    let store = try begun("a")
    try store.appendToTail([entry(1), entry(2)])
    let other = try bench.store()
    #expect(try words(in: other) == "012")
    try store.appendToTail([entry(3)])
    #expect(try wordsOutside() == "0123")
    try store.foldTail()
    #expect(try words(in: other) == "0123")
  }

  // H3.1, S4
  @Test func `words for which the database has no room wait in the tail`() throws {
    let store = try begun("a")
    try store.appendToTail([entry(1)])
    bench.gate.fail()
    #expect(throws: ChatError.self) { try store.foldTail() }
    bench.gate.heal()
    #expect(try wordsOutside() == "01")
    try store.foldTail()
    #expect(try words(in: store) == "01")
  }

  // H9, S10, S3.3
  @Test func `copies, exports and salvage have the words of the tail`() throws {
    let client = try bench.client()
    let store = client.store
    try store.write { transaction in
      try transaction.conversations.create(eg.conversation.key, title: nil, members: [], now: eg.date)
      let piece = StreamPiece(
        id: "a", conversation: eg.conversation, sender: eg.user, role: .assistant, sequence: 0, text: "")
      try transaction.streams.begin(piece, in: eg.conversation.key, by: "me", answering: nil, now: eg.date)
      try transaction.streams.append(chunk(0, "0"), to: "a", in: eg.conversation.key)
    }
    func append(_ number: Int64) throws { try store.appendToTail([entry(number)]) }
    let place = try ScratchFolder(inMemory: true)

    try append(1)
    let backup = place.url.appendingPathComponent("backup")
    try client.backUp(to: backup) { _ in }
    let restored = place.url.appendingPathComponent("restored")
    try StoreBackup.restore(from: backup, toFolder: restored)
    #expect(try words(in: Store(folder: restored, owner: eg.user)) == "01")

    let damaged = place.url.appendingPathComponent("damaged")
    try FileManager.default.copyItem(at: bench.scratch.url, to: damaged)
    _ = try StoreSalvage.salvage(folder: damaged, user: eg.user) { _, _ in }
    #expect(try words(in: Store(folder: damaged, owner: eg.user)) == "01")

    let file = place.url.appendingPathComponent("history.json")
    _ = try StoreExport.write(store: bench.scratch.url, to: file, .json) { _ in }
    #expect(try String(contentsOf: file, encoding: .utf8).contains("\"01\""))
    try append(2)
    #expect(try client.exportUnsent().contains("012"))
    try append(3)
    let later = place.url.appendingPathComponent("later.json")
    try client.exportHistory(to: later)
    #expect(try String(contentsOf: later, encoding: .utf8).contains("\"0123\""))
  }
}
