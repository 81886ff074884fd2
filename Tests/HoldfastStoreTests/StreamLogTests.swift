import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The newest words of replies in progress, in a file beside the database.
@Suite(.timeLimit(.minutes(10))) struct StreamLogTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private var file: URL { bench.scratch.url.appendingPathComponent(StreamLog.fileName) }

  /// A store with replies in progress. Piece 0 of each is stored.
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

  private func entry(_ number: Int64, of id: MessageID = "a", _ text: String? = nil) -> StreamLog.Entry {
    .init(id: id, chunk: chunk(number, text ?? "\(number)"))
  }

  private func words(of id: MessageID = "a", in store: Store) throws -> String {
    try store.read { try $0.streams.prefix(of: id).text }
  }

  /// The text that a reader in another process finds.
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
    // Blocks that never reached the disk are zeros. Blocks after them may have reached it.
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
    // A transaction that stores the entries leaves them in the tail.
    try store.write { try $0.streams.fold(store.tail) }
    try store.appendToTail([entry(2)])
    let (other, late) = (StreamLog(in: bench.scratch.url), entry(3))
    let isDone = DispatchSemaphore(value: 0)
    let result = Mutexed<Result<Void, any Error>?>(nil)
    try store.tail.drain { entries in
      #expect(entries == [entry(1), entry(2)])
      Thread.detachNewThread {
        result.withLock { $0 = Result { try other.append([late]) } }
        isDone.signal()
      }
      #expect(isDone.wait(timeout: .now() + 0.2) == .timedOut, "It did not wait.")
      try store.write { try $0.streams.fold(entries) }
    }
    #expect(isDone.wait(timeout: .now() + 60) == .success)
    try result.withLock { $0 }?.get()
    #expect(try words(in: store) == "012")
    #expect(try wordsOutside() == "0123")
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
    // The other process also moves them when it needs them: before it continues the reply.
    try store.appendToTail([entry(4)])
    #expect(!other.tail.isEmpty)
    try other.foldTail()
    #expect(try words(in: other) == "01234")
  }

  // H3.1, H3.2
  @Test func `every order of four acts of two processes keeps each word that was appended`() throws {
    let processes = try TwoTails(bench.scratch.url)
    for number in 0..<TwoTails.orders {
      let acts = TwoTails.acts(number)
      try processes.run(acts)
      // A reader finds everything before a launch has moved it. A launch leaves the file empty.
      #expect(try processes.read() == processes.appended, "\(acts)")
      try processes.launch()
      #expect(processes.stored == processes.appended, "\(acts)")
      #expect(try Data(contentsOf: file).isEmpty, "\(acts)")
    }
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
    #expect(try client.outbox.exportUnsent().contains("012"))
    try append(3)
    let later = place.url.appendingPathComponent("later.json")
    try client.exportHistory(to: later)
    #expect(try String(contentsOf: later, encoding: .utf8).contains("\"0123\""))
  }
}

/// Two processes, each with a reply of its own, that append to one tail and move words out of it. The first has
/// appended twice before the acts begin.
///
/// Everything that is done under the file's lock is one act: the other process cannot interrupt it.
private final class TwoTails {
  enum Act: CaseIterable {
    case firstAppends, secondAppends, secondAppendsTwo, firstMoves, secondMoves
    /// The words are in the database, and still in the file. The process is launched again.
    case secondEndsBeforeItRemoves
    /// A part of an entry is in the file, and is as long as a complete one. The process is launched again.
    case secondEndsInAppending
  }

  static let depth = 4
  static let orders = (0..<depth).reduce(1) { orders, _ in orders * Act.allCases.count }

  /// One of the orders of acts.
  static func acts(_ number: Int) -> [Act] {
    var (rest, acts) = (number, [Act]())
    for _ in 0..<depth {
      acts.append(Act.allCases[rest % Act.allCases.count])
      rest /= Act.allCases.count
    }
    return acts
  }

  private struct Ends: Error {}

  private let folder: URL
  private let torn: Data
  private var first: StreamLog
  private var second: StreamLog
  /// The number of pieces of each reply whose append returned.
  private(set) var appended: [MessageID: Int64] = [:]
  /// The number of pieces of each reply that are in the database.
  private(set) var stored: [MessageID: Int64] = [:]

  init(_ folder: URL) throws {
    self.folder = folder
    first = StreamLog(in: folder)
    second = StreamLog(in: folder)
    let file = folder.appendingPathComponent(StreamLog.fileName)
    try first.append([Self.entry(0, of: "b")])
    let length = try Data(contentsOf: file).count
    try first.drain { _ in }
    try first.append([Self.entry(0, of: "b", "longer")])
    torn = try Data(contentsOf: file).prefix(length)
    try first.drain { _ in }
  }

  private static func entry(_ number: Int64, of id: MessageID, _ text: String = "x") -> StreamLog.Entry {
    let chunk = TokenBuffer.Chunk(
      firstSequence: number, nextSequence: number + 1, text: text, reasoning: "")
    return StreamLog.Entry(id: id, chunk: chunk)
  }

  /// Runs acts of two processes that were just launched, on an empty tail.
  func run(_ acts: [Act]) throws {
    (appended, stored) = ([:], [:])
    (first, second) = (StreamLog(in: folder), StreamLog(in: folder))
    try append(1, of: "a", to: first)
    try append(1, of: "a", to: first)
    for act in acts {
      switch act {
      case .firstAppends: try append(1, of: "a", to: first)
      case .secondAppends: try append(1, of: "b", to: second)
      case .secondAppendsTwo: try append(2, of: "b", to: second)
      case .firstMoves: try first.drain { store($0) }
      case .secondMoves: try second.drain { store($0) }
      case .secondEndsBeforeItRemoves:
        do {
          try second.drain {
            store($0)
            throw Ends()
          }
        } catch is Ends {}
        second = StreamLog(in: folder)
      case .secondEndsInAppending:
        try tear()
        second = StreamLog(in: folder)
      }
    }
  }

  /// Moves the entries to the database, as the next launch does.
  func launch() throws { try StreamLog(in: folder).drain { store($0) } }

  /// The pieces that a reader finds in the database and in the tail.
  func read() throws -> [MessageID: Int64] { following(try StreamLog.entries(in: folder)) }

  private func append(_ count: Int64, of id: MessageID, to tail: StreamLog) throws {
    let next = appended[id, default: 0]
    try tail.append((next..<next + count).map { Self.entry($0, of: id) })
    appended[id] = next + count
  }

  /// Leaves a part of an entry after the complete ones, like a process that ends during a write.
  private func tear() throws {
    // An append of no entries removes an earlier part, as the append of the process did.
    try second.append([])
    let file = try OpenFile.goingOn(folder.appendingPathComponent(StreamLog.fileName))
    try file.write(torn, at: file.byteCount())
  }

  private func store(_ entries: [StreamLog.Entry]) { stored = following(entries) }

  /// The stored pieces, and those of a tail that follow them.
  private func following(_ entries: [StreamLog.Entry]) -> [MessageID: Int64] {
    entries.reduce(into: stored) { known, entry in
      guard entry.chunk.firstSequence == known[entry.id, default: 0] else { return }
      known[entry.id] = entry.chunk.nextSequence
    }
  }
}
