import GRDB

@testable import HoldfastStore

/// Queries that only one test uses. Their columns are read by position.
extension Reading {
  func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ value: (Row) throws -> Value
  ) throws -> [Value] {
    try Row.fetchAll(database, sql: sql, arguments: arguments).map(value)
  }

  func row(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
    try Row.fetchOne(database, sql: sql, arguments: arguments)
  }
}
