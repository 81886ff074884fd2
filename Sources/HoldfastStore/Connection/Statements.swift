import GRDB
import HoldfastCore

extension Transaction {
  /// Runs one statement. The prepared statement is cached.
  package func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// The number of rows that the last statement changed.
  var changedRows: Int { db.changesCount }
}

extension Database {
  /// All rows of a query. Each row becomes a value while SQLite is positioned on it: copying the row would cost
  /// more than reading it.
  package func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(), _ value: (Row) throws -> Value
  ) throws -> [Value] {
    let cursor = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    var values: [Value] = []
    while let row = try cursor.next() { values.append(try value(row)) }
    return values
  }

  package func row(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }
}
