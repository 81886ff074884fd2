import EngineFixtures
import Foundation
import GRDB
import KeptDatabases
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite struct SchemaTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func expectSound(_ store: Store) throws {
    #expect(try store.read { try $0.database.faults() } == [])
    #expect(try store.read { try $0.database.schemaObjects() } == newSchema())
  }

  /// The schema of a store that the current version creates.
  private func newSchema() throws -> [String: String] {
    try Store(folder: scratch.url.appendingPathComponent("new"), owner: eg.user).read {
      try $0.database.schemaObjects()
    }
  }

  // S5.2
  @Test(arguments: EarlierStore.all)
  func `every version before the present one is kept as a file, and has the schema that was frozen`(
    _ earlier: EarlierStore
  ) throws {
    try #require(
      earlier.database.isThere,
      "Version \(earlier.version) has no file. CONTRIBUTING.md says how one is made.")
    try earlier.copy(to: scratch.url)
    let frozen = try DatabaseQueue()
    try Schema.migrator.migrate(frozen, upTo: earlier.version)

    let queue = try DatabaseQueue(path: scratch.url.appendingPathComponent(Store.fileName).path)
    let (kept, applied, settings) = try queue.read { db in
      (
        try db.schemaObjects(), try Schema.migrator.appliedIdentifiers(db),
        try ["application_id", "journal_mode", "auto_vacuum"].map(db.pragma)
      )
    }

    #expect(try frozen.read { try $0.schemaObjects() } == kept)
    #expect(applied == Set(Schema.migrator.migrations.prefix { $0 != earlier.version } + [earlier.version]))
    #expect(settings == [["\(Schema.applicationID)"], ["wal"], ["2"]])
  }

  // S3.5
  @Test func `the schemas of all versions are known, and no others`() throws {
    let sums = try Schema.migrator.migrations.map { version in
      let queue = try DatabaseQueue()
      try Schema.migrator.migrate(queue, upTo: version)
      return try queue.read { SchemaCheck.sum(of: try SchemaCheck.objects($0)) }
    }
    #expect(SchemaCheck.known == Set(sums), "\(sums.joined(separator: "\n"))")
  }

  // S5
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HOLDFAST_WRITE_STORES"] != nil))
  func `the files of earlier versions that are missing are written`() throws {
    for earlier in EarlierStore.all where !earlier.database.isThere {
      try earlier.database.write(by: scratch.url) { try Schema.migrator.migrate($0, upTo: earlier.version) }
    }
  }

  // S5.2
  @Test(arguments: EarlierStore.all)
  func `an earlier version becomes what a new store is, whole and sound`(_ earlier: EarlierStore) throws {
    try earlier.copy(to: scratch.url)

    let store = try Store(folder: scratch.url, owner: eg.user)

    try expectSound(store)
    #expect(try store.read { try $0.database.pragma("application_id") } == ["\(Schema.applicationID)"])
  }

  // S5
  @Test func `a new store is what all versions after one another make`() throws {
    let stepByStep = try DatabaseQueue()
    try Schema.migrator.migrate(stepByStep)
    let steps = try stepByStep.read { try ($0.schemaObjects(), $0.allRows(), $0.inOneStep()) }
    if ProcessInfo.processInfo.environment["HOLDFAST_WRITE_STORES"] != nil {
      try Self.source(of: steps.2).write(to: Self.whole, atomically: true, encoding: .utf8)
    }

    let store = try Store(folder: scratch.url, owner: eg.user)

    let made = try store.read { reading in
      try (
        reading.database.schemaObjects(), reading.database.allRows(),
        ["application_id", "auto_vacuum"].map(reading.database.pragma)
      )
    }
    #expect(made.0 == steps.0)
    #expect(Schema.whole == steps.2, "CONTRIBUTING.md says how the file is written.")
    #expect(made.2 == [["\(Schema.applicationID)"], ["2"]])
    // The store has recorded its owner.
    #expect(steps.1.subtracting(made.1).isEmpty)
    #expect(made.1.subtracting(steps.1).allSatisfy { $0.hasPrefix("setting ") })
  }

  // S5.1, S5.2
  @Test(arguments: EarlierStore.all)
  func `every row of an earlier version is there afterwards, with all that was in it`(
    _ earlier: EarlierStore
  ) throws {
    try earlier.copy(to: scratch.url)
    let queue = try DatabaseQueue(path: scratch.url.appendingPathComponent(Store.fileName).path)
    let tables = try queue.read { try $0.columnsByTable() }

    let store = try Store(folder: scratch.url, owner: eg.user)

    // Version 12 stores the names of conversations elsewhere.
    for (table, columns) in tables where table != "conversationAlias" {
      // Some columns of version 1's table `operation` have since moved to the outbox.
      let present = Set(try store.read { try $0.database.columnNames(of: table) })
      let kept = columns.filter(present.contains)
      #expect(kept == columns || (earlier.version == "1" && table == "operation"))
      let before = try queue.read { try $0.rows(of: table, kept) }
      let after = try store.read { try $0.database.rows(of: table, kept) }
      #expect(!before.isEmpty, "The file has no row in \(table).")
      #expect(before.subtracting(after).isEmpty, "\(table)")
    }
  }

  // S5.1
  @Test
  func `a process that ended while the schema changed has changed nothing, and the next one changes it`()
    throws
  {
    let before = scratch.url.appendingPathComponent("before")
    let earlier = try #require(EarlierStore.all.first)
    try earlier.copy(to: before)
    let journal = scratch.url.appendingPathComponent(Store.journalName)
    let queue = try DatabaseQueue(path: before.appendingPathComponent(Store.fileName).path)
    try queue.writeWithoutTransaction { db in
      // The cache is so small that uncommitted pages are written to the journal.
      try db.execute(sql: "PRAGMA cache_size = 2; BEGIN IMMEDIATE; \(Schema.version2)")
      defer { try? db.execute(sql: "ROLLBACK") }
      for name in [Store.fileName, Store.journalName] {
        try FileManager.default.copyItem(
          at: before.appendingPathComponent(name), to: scratch.url.appendingPathComponent(name))
      }
    }
    #expect(try Data(contentsOf: journal).count > 4096)

    let store = try Store(folder: scratch.url, owner: eg.user)

    try expectSound(store)
    #expect(try store.read { try $0.outbox.unsentCount() } == 9)
    #expect(try store.read { try $0.row("SELECT count(*) FROM message")![0] as Int } == 11)
  }

  // O14, S5
  @Test func `the operations of a message leave the queue with it`() throws {
    let store = try Store(folder: scratch.url, owner: eg.user)
    let left = try store.write { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO conversation (id, createdAt, updatedAt, listRevision) VALUES ('c', 1, 1, 1);
          INSERT INTO message (id, conversationID, place, sender, role, body, createdAt)
            VALUES ('m', 'c', 1, 'alice', 'user', 'one', 1);
          INSERT INTO operation (id, messageID, kind, payload, createdAt) VALUES ('o', 'm', 'react', '👍', 1);
          INSERT INTO outbox (messageID, conversationID, enqueuedAt) VALUES ('m', 'c', 1);
          INSERT INTO outbox (operationID, conversationID, enqueuedAt) VALUES ('o', 'c', 1);
          DELETE FROM message WHERE id = 'm';
          """)
      return try transaction.row("SELECT count(*) FROM outbox")![0] as Int
    }
    #expect(left == 0)
  }

  private static let whole = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/HoldfastStore/Schema/SchemaWhole.swift").standardized

  private static func source(of sql: String) -> String {
    let lines = sql.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "" : "    \($0)"
    }
    return """
      extension Schema {
        /// The present version in one step, for a new store: what all versions after one another leave. `SchemaTests` writes it.
        static let whole = #\("\"\"\"")
      \(lines.joined(separator: "\n"))
          \("\"\"\"")#
      }

      """
  }
}

extension Database {
  /// Each row of each table, as SQL would write it, after the name of its table.
  fileprivate func allRows() throws -> Set<String> {
    var rows = Set<String>()
    for (table, columns) in try columnsByTable() where table != "sqlite_sequence" {
      for row in try self.rows(of: table, columns) { rows.insert("\(table) \(row)") }
    }
    return rows
  }

  /// The statements that create this database. Its only rows are those of its schema, whose values have no spaces.
  fileprivate func inOneStep() throws -> String {
    let objects = try Row.fetchAll(
      self,
      sql: """
        SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
          AND name NOT LIKE 'messageText~_%' ESCAPE '~' ORDER BY rowid
        """)
    let rows = try objects.filter { $0[0] == "table" && $0[1] != "messageText" }.flatMap { object in
      let (table, columns) = (object[1] as String, try columnNames(of: object[1]))
      return try self.rows(of: table, columns).sorted().map { row in
        "INSERT INTO \(table) VALUES (\(row.replacingOccurrences(of: " ", with: ", ")));"
      }
    }
    return
      (["PRAGMA application_id = \(Schema.applicationID);"] + objects.map { "\($0[2] as String);" } + rows)
      .joined(separator: "\n")
  }
}
