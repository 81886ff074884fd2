import Crypto
import Foundation
import GRDB
import Testing

/// All that is in a store's file, as a connection sees it that knows nothing of the engine.
enum StoreDump {
  /// A hash of every row of every table. Nil: there is no table.
  static func hash(of file: URL) throws -> String? {
    try reading(file) { db in
      let tables = try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name
          """)
      guard !tables.isEmpty else { return nil }
      var hash = SHA256()
      for table in tables {
        hash.update(data: Data("table \(table)\n".utf8))
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"").map(\.description).sorted()
        for row in rows { hash.update(data: Data((row + "\n").utf8)) }
      }
      return hash.finalize().map { String($0, radix: 16) }.joined()
    }
  }

  /// What SQLite finds wrong. Empty: nothing.
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
