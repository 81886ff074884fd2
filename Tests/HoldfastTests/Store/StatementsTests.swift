import GRDB
import Testing

@testable import Holdfast

private typealias eg = EngineExample

@Suite struct StatementsTests {
  private let scratch: ScratchFolder
  private let store: Store

  init() throws {
    scratch = try ScratchFolder()
    store = try Store(folder: scratch.url, owner: eg.user)
  }

  @Test(arguments: ["", "a", "it's \"so\"", "Ünïcödé 👩‍👩‍👧 שלום", String(repeating: "long ", count: 100_000)])
  func `a text comes back as it was given`(_ text: String) throws {
    let texts = try store.write { transaction in
      [try transaction.db.row("SELECT ?", [text])?[0] as String?]
        + (try transaction.db.rows("SELECT ?", [text]) { $0[0] as String? })
    }
    #expect(texts.allSatisfy { $0?.hasSameBytes(as: text) == true })
  }

  @Test func `numbers, truth and absence come back as they were given`() throws {
    try store.read { db in
      let row = try #require(try db.row("SELECT ?, ?, ?, ?", [Int64.max, Int.min, true, nil as String?]))
      #expect(row[0] as Int64? == .max)
      #expect(row[1] as Int? == .min)
      #expect(row[2] as Bool)
      #expect(row[3] as String? == nil)
      #expect(row[3] as String == "")
    }
  }

  @Test func `a statement is free again, and forgets what it was given, whatever happened to it`() throws {
    struct Halted: Error {}
    let sql = "SELECT value FROM (SELECT ? AS value UNION ALL SELECT 'b')"
    try store.read { db in
      #expect(throws: Halted.self) { try db.rows(sql, ["a"]) { _ in throw Halted() } }
      let values: [String?] = try db.rows(sql, [nil as String?]) { $0[0] }
      #expect(values == [nil, "b"])
    }
  }

  @Test func `the number of values must be the statement's`() throws {
    #expect(throws: ChatError.self) { try store.write { try $0.run("SELECT ?, ?", [1]) } }
    #expect(throws: ChatError.self) { try store.write { try $0.run("SELECT ?", []) } }
  }

  @Test func `what follows a transaction that SQLite has rolled back is refused, and not run on its own`()
    throws
  {
    #expect(throws: ChatError.self) {
      try store.write { transaction in
        try transaction.run("INSERT INTO setting (name, value) VALUES ('a', '1')")
        // As SQLite does it by itself when the disk is full.
        try? transaction.run("INSERT OR ROLLBACK INTO setting (name, value) VALUES ('a', '2')")
        try transaction.run("INSERT INTO setting (name, value) VALUES ('b', '3')")
      }
    }
    let kept = try store.read { db in
      try db.rows("SELECT name FROM setting WHERE name IN ('a', 'b')") { $0[0] as String }
    }
    #expect(kept.isEmpty)
  }
}
