import Foundation
import GRDB
import Testing

@testable import HoldfastCore

/// The contents of a store's file, read by a connection that knows nothing of the engine: a hash of the rows of each
/// table.
struct StoreDump: Equatable, Sendable {
  private var tables: [String: String]

  /// Reads the file. Returns nil if it has no tables.
  init?(of file: URL) throws {
    tables = try Self.reading(file) { db in
      let names = try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name
          """)
      return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Self.hash(of: $0, db)) })
    }
    guard !tables.isEmpty else { return nil }
  }

  private static func hash(of table: String, _ db: Database) throws -> String {
    var hash = SHA256Hasher()
    // Copies of deleted texts that cannot be cleared at once are cleared later. These two settings belong to the
    // clearing, and may differ.
    let condition = table == "setting" ? "WHERE name NOT IN ('remnants', 'clearings')" : ""
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\" \(condition)").map(\.description)
      .sorted()
    for row in rows { hash.update(Data((row + "\n").utf8)) }
    return hash.finish().text
  }

  /// The tables whose rows differ.
  func differences(from other: Self) -> [String] {
    Set(tables.keys).union(other.tables.keys).filter { tables[$0] != other.tables[$0] }.sorted()
  }

  /// The problems that SQLite finds. Empty when there are none.
  static func problems(of file: URL) throws -> [String] {
    try reading(file) { db in
      try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        + Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map(\.description)
    }
  }

  private static func reading<Value>(_ file: URL, _ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: file.path)
    defer { try? queue.close() }
    return try queue.read(body)
  }
}
