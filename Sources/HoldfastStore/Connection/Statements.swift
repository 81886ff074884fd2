import GRDB
import HoldfastCore

extension Transaction {
  /// Runs one statement. The prepared statement is cached.
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The number of rows that the last statement changed.
  var changedRows: Int { db.changesCount }
}

extension Reading {
  /// All rows of a query. Each row becomes a value while SQLite is positioned on it: copying the row would cost
  /// more than reading it.
  func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ value: (Row) throws -> Value
  ) throws -> [Value] {
    let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
    var values: [Value] = []
    while let row = try cursor.next() { values.append(try value(row)) }
    return values
  }

  func row(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
    try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }
}
