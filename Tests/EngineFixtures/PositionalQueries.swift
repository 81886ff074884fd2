import GRDB

@testable import HoldfastStore

/// Queries that only one test uses. Their columns are read by position.
extension Reading {
  package func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ value: (Row) throws -> Value
  ) throws -> [Value] {
    try Row.fetchAll(database, sql: sql, arguments: arguments).map(value)
  }

  package func row(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
    try Row.fetchOne(database, sql: sql, arguments: arguments)
  }
}

extension Store {
  /// Two columns of a query, keyed by the first.
  package func texts(_ sql: String) throws -> [String: String] {
    try read { db in
      Dictionary(uniqueKeysWithValues: try db.rows(sql) { ($0[0] as String, $0[1] as String) })
    }
  }
}
