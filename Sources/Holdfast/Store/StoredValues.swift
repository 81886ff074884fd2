import GRDBSQLite

extension Int64: StoredValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }

  init(of statement: OpaquePointer, at column: Int32) { self = sqlite3_column_int64(statement, column) }

  init(_ cell: Row.Cell) {
    switch cell {
    case .null: self = 0
    case .integer(let value): self = value
    case .text(let text): self = Int64(text) ?? 0
    }
  }
}

extension Int: StoredValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    Int64(self).bind(to: statement, at: index)
  }
  init(of statement: OpaquePointer, at column: Int32) { self = Int(Int64(of: statement, at: column)) }
  init(_ cell: Row.Cell) { self = Int(Int64(cell)) }
}

extension Bool: StoredValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int(statement, index, self ? 1 : 0)
  }
  init(of statement: OpaquePointer, at column: Int32) { self = Int64(of: statement, at: column) != 0 }
  init(_ cell: Row.Cell) { self = Int64(cell) != 0 }
}

extension String: StoredValue {
  /// SQLite's word for a text that is gone when the call returns, so that it is copied.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      // Without an address SQLite would take it for NULL.
      guard let start = bytes.baseAddress else {
        return sqlite3_bind_text(statement, index, "", 0, Self.transient)
      }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text64(
          statement, index, $0, UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
      }
    }
  }

  init(of statement: OpaquePointer, at column: Int32) {
    // The text first: the count is that of what was asked for last.
    let text = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self = String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  init(_ cell: Row.Cell) {
    switch cell {
    case .null: self = ""
    case .integer(let value): self = String(value)
    case .text(let text): self = text
    }
  }
}
