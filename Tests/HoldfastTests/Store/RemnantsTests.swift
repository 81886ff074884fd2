import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

private typealias eg = EngineExample

/// Copies of deleted texts that SQLite has left in the pages, and that are cleared (SPEC S9).
@Suite(.timeLimit(.minutes(5))) struct RemnantsTests {
  private static let kept: ConversationID = "kept"
  private static func word(_ number: Int) -> String { "quixotic\(number)x" }

  private static let count = 1_500

  /// Writes many messages, of which every twentieth is in a conversation of its own, and changes the length of a third
  /// of the others, so that SQLite moves rows from page to page. Then erases the one conversation.
  private static func writeAndErase(_ store: Store) throws {
    var random = SeededRandom(seed: 1)
    try store.write { transaction in
      for id in [Trip.id, kept] {
        try transaction.createConversation(id, title: nil, members: [eg.user], now: eg.date)
      }
      for number in 0..<count {
        let isErased = number % 20 == 0
        try transaction.insertMessage(
          MessageID(rawValue: "m\(number)"), in: isErased ? Trip.id : kept, sender: eg.user, role: .user,
          body: isErased ? String(repeating: word(number) + " ", count: 20) : "other", reasoning: nil,
          order: Int64(number + 1), place: TimelinePlace.confirmed(order: Int64(number + 1)),
          createdAt: eg.date)
      }
      for number in 0..<count where number % 20 > 0 && Int.random(in: 0..<10, using: &random) < 3 {
        let body = String(repeating: "x", count: Int.random(in: 1...3000, using: &random))
        try transaction.run("UPDATE message SET body = ? WHERE id = ?", [body, "m\(number)"])
      }
      try transaction.hideConversation(Trip.id, isFinal: true)
    }
    while try store.write({ try $0.eraseSome(of: Trip.id, limit: 50) }) {}
    try store.emptyJournal()
  }

  /// The messages of which a file has something.
  private static func words(in scratch: ScratchFolder) throws -> [Int] {
    let bytes =
      try scratch.bytes(of: Store.fileName) + ((try? scratch.bytes(of: Store.journalName)) ?? Data())
    return stride(from: 0, to: count, by: 20).filter { bytes.range(of: Data(word($0).utf8)) != nil }
  }

  private static func clear(_ store: Store) throws {
    let counted = try store.remnants()
    var next: Int? = 1
    while let first = next { next = try store.clearRemnants(from: first, counted: counted) }
  }

  // H5, S9
  @Test func `copies that SQLite has left of erased messages are cleared, and nothing else is`() throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user)
    try Self.writeAndErase(store)
    try #require(try !Self.words(in: scratch).isEmpty, "SQLite leaves copies")
    #expect(try store.remnants() > 0)
    let before = try store.texts("SELECT id, body FROM message")

    try Self.clear(store)

    #expect(try Self.words(in: scratch) == [])
    #expect(try store.remnants() == 0)
    #expect(before.count == Self.count * 19 / 20)
    #expect(try store.texts("SELECT id, body FROM message") == before)
    #expect(try StoreInspection.examine(scratch.url).isHealthy)
  }

  // S9
  @Test(arguments: [false, true])
  func `a page that is in memory does not bring its copies back`(ofAnotherProcess: Bool) throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user, isShared: true)
    // As another process has it open.
    let other = try Store(folder: scratch.url, owner: eg.user, isShared: true)
    try Self.writeAndErase(store)
    let writer = ofAnotherProcess ? other : store
    // All pages are in the memory of the connection that writes.
    try writer.write { _ = try $0.db.row("SELECT sum(length(body)) FROM message") }

    // Something is deleted meanwhile, so that the count stays as it is.
    #expect(try store.clearRemnants(from: 1, counted: -1) == nil)
    // No row becomes longer, and none moves.
    try writer.write { try $0.run("UPDATE message SET createdAt = createdAt + 1") }

    #expect(try Self.words(in: scratch) == [])
  }

  // S9
  @Test func `what is deleted while pages are cleared takes another round`() throws {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user)
    let counted = try store.remnants()
    try Self.writeAndErase(store)
    #expect(try store.clearRemnants(from: 1, counted: counted) == nil)
    #expect(try store.remnants() > 0)
    try Self.clear(store)
    #expect(try store.remnants() == 0)
  }

  // S6, S9
  @Test func `an app that enters the background has cleared them`() throws {
    let bench = try Bench()
    let client = try bench.client()
    try Self.writeAndErase(client.store)
    try #require(try !Self.words(in: bench.scratch).isEmpty)
    try client.enterBackground()
    #expect(try Self.words(in: bench.scratch) == [])
    #expect(try client.store.remnants() == 0)
  }

  // D10, S9
  @Test func `run() clears what an earlier launch has left, and what is deleted while it runs`() throws {
    try Bench.simulate { bench in
      do { try Self.writeAndErase(try bench.client(isSimulated: true).store) }
      try expect(try !Self.words(in: bench.scratch).isEmpty, "SQLite leaves copies")
      try await bench.running { client in
        try await bench.pass(.seconds(10))
        try expect(try Self.words(in: bench.scratch) == [], "cleared at launch")
        client.edit("zanzibar", in: eg.conversation)
        try client.hardSave()
        _ = try client.discardDraft(in: eg.conversation)
        try expect(try client.store.remnants() == 0, "a discard clears a small store itself")
        try await client.cancel(try client.send("mandolin", in: eg.conversation))
        try expect(try client.store.remnants() > 0, "a message that is cancelled is counted")
        try await bench.pass(.seconds(10))
        try expect(try client.store.remnants() == 0, "and cleared")
      }
    }
  }

  // S9
  @Test func `while somebody reads, nobody waits long for the journal, and the next time clears them`() throws
  {
    let scratch = try ScratchFolder()
    let store = try Store(folder: scratch.url, owner: eg.user)
    try Self.writeAndErase(store)
    let counted = try store.remnants()
    try store.write { try $0.run("UPDATE message SET createdAt = createdAt + 1") }
    let errors = try store.read { db -> [ChatError] in
      _ = try db.row("SELECT count(*) FROM message")
      return [{ try store.clearRemnants(from: 1, counted: counted) as Any }, { try store.emptyJournal() }]
        .compactMap {
          do {
            _ = try $0()
            return nil
          } catch {
            return error as? ChatError
          }
        }
    }
    #expect(errors.map(\.code) == [.storageBusy, .storageBusy])
    #expect(try store.remnants() == counted)
    try Self.clear(store)
    #expect(try Self.words(in: scratch) == [])
  }
}
