import GRDB
import HoldfastCore
import HoldfastStore

extension Database {
  /// The schema, object by object.
  package func schemaObjects() throws -> [String: String] {
    let objects = try Row.fetchAll(
      self, sql: "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema")
    return Dictionary(uniqueKeysWithValues: objects.map { ($0[0] as String, $0[1] as String) })
  }

  package func pragma(_ name: String) throws -> [String] {
    try String.fetchAll(self, sql: "SELECT CAST(\(name) AS TEXT) FROM pragma_\(name)")
  }

  /// The problems with the file, or in it. Empty when there are none.
  package func faults() throws -> [String] {
    let strays = try Row.fetchAll(self, sql: "PRAGMA foreign_key_check").map {
      "a stray in \($0[0] as String)"
    }
    return try pragma("integrity_check").filter { $0 != "ok" } + strays
  }

  package func columnsByTable() throws -> [String: [String]] {
    let tables = try String.fetchAll(self, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    return Dictionary(uniqueKeysWithValues: try tables.map { ($0, try columnNames(of: $0)) })
  }

  package func columnNames(of table: String) throws -> [String] {
    try String.fetchAll(self, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
  }

  /// The rows of a table, each as SQL would write these columns.
  package func rows(of table: String, _ columns: [String]) throws -> Set<String> {
    let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
    return try String.fetchSet(self, sql: "SELECT \(values) FROM \"\(table)\"")
  }
}
