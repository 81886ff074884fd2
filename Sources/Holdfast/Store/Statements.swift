import GRDB
import GRDBSQLite

// GRDB opens, migrates, pools and begins. The statements in between go to SQLite directly: what boxing each value
// and copying each row cost showed beside SQLite's own work (docs/decisions/0011-straight-to-sqlite.md).

extension Transaction {
  /// Runs one statement to its end. The prepared statement is kept for the next time.
  func run(_ sql: String, _ values: [(any StoredValue)?] = []) throws {
    try db.step(sql, values) { _ in }
  }

  /// The number of rows that the last statement changed.
  var changedRows: Int { db.changesCount }
}

extension Database {
  /// All rows of a query, each turned into a value while SQLite stands on it.
  func rows<Value>(
    _ sql: String, _ values: [(any StoredValue)?] = [], _ value: (Row) throws -> Value
  ) throws -> [Value] {
    var all: [Value] = []
    try step(sql, values) { all.append(try value(Row(standing: $0))) }
    return all
  }

  /// The first row. The statement runs to its end all the same, as one that changes something must.
  func row(_ sql: String, _ values: [(any StoredValue)?] = []) throws -> Row? {
    var first: Row?
    try step(sql, values) { if first == nil { first = Row(copying: $0) } }
    return first
  }

  fileprivate func step(
    _ sql: String, _ values: [(any StoredValue)?], _ row: (OpaquePointer) throws -> Void
  ) throws {
    // Some errors make SQLite roll back by itself. What came behind would be a transaction of its own.
    guard isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    let statement = try cachedStatement(sql: sql).sqliteStatement
    defer {
      sqlite3_reset(statement)
      // Else the texts would stay in memory for as long as the store is open.
      sqlite3_clear_bindings(statement)
    }
    guard sqlite3_bind_parameter_count(statement) == values.count else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
    for (index, value) in values.enumerated() {
      // A value that is not bound is NULL.
      guard let value else { continue }
      try require(value.bind(to: statement, at: Int32(index + 1)))
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try row(statement)
      case SQLITE_DONE: return
      case let failure: try require(failure)
      }
    }
  }

  private func require(_ result: Int32) throws {
    guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
  }
}

/// A value that a statement is given, or that a row has.
protocol StoredValue {
  /// Returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
  init(of statement: OpaquePointer, at column: Int32)
  init(_ cell: Row.Cell)
}

/// A row of a query's result: the one that the statement stands on, which is gone once the statement goes on; or a
/// copy, which stays.
struct Row {
  enum Cell {
    case null
    case integer(Int64)
    case text(String)
  }

  private enum Source {
    case statement(OpaquePointer)
    case copy([Cell])
  }
  private let source: Source

  fileprivate init(standing statement: OpaquePointer) { source = .statement(statement) }

  fileprivate init(copying statement: OpaquePointer) {
    source = .copy(
      (0..<sqlite3_column_count(statement)).map { column in
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(Int64(of: statement, at: column))
        default: .text(String(of: statement, at: column))
        }
      })
  }

  /// NULL is 0, or an empty text.
  subscript<Value: StoredValue>(_ column: Int) -> Value {
    switch source {
    case .statement(let statement): Value(of: statement, at: Int32(column))
    case .copy(let cells): Value(cells[column])
    }
  }

  /// Nil for NULL.
  subscript<Value: StoredValue>(_ column: Int) -> Value? {
    switch source {
    case .statement(let statement):
      sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
        ? nil : Value(of: statement, at: Int32(column))
    case .copy(let cells):
      if case .null = cells[column] { nil } else { Value(cells[column]) }
    }
  }
}
