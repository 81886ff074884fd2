import GRDB
import HoldfastCore

/// What the rows of a table look like.
package struct TableShape {
  package struct Column {
    let name: String
    let type: String
    /// It must have a value.
    let isRequired: Bool
    /// The value is the row's ID, and the record has NULL in its place.
    let isRowID: Bool

    package init(name: String, type: String, isRequired: Bool, isRowID: Bool) {
      self.name = name
      self.type = type
      self.isRequired = isRequired
      self.isRowID = isRowID
    }

  }

  package let name: String
  package let columns: [Column]
  package let hasRowID: Bool
  /// No other table, and no index, has rows that look like its own.
  package let isUnique: Bool

  package init(name: String, columns: [Column], hasRowID: Bool) {
    (self.name, self.columns, self.hasRowID) = (name, columns, hasRowID)
    // Without a row's ID an entry looks like those of indexes, unless it is long.
    isUnique = hasRowID || columns.count > 4
  }

  package init(_ name: String, _ db: Database) throws {
    let sql: String =
      try db.row("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [name])?[0] ?? ""
    let hasRowID = !sql.contains("WITHOUT ROWID")
    let columns = try db.rows(
      "SELECT name, type, \"notnull\", dflt_value IS NULL, pk FROM pragma_table_info(?)", [name]
    ) {
      let (type, isKey) = ($0[1] as String, $0[4] as Int == 1)
      return Column(
        name: $0[0], type: type, isRequired: $0[2] && $0[3], isRowID: hasRowID && isKey && type == "INTEGER")
    }
    self.init(name: name, columns: columns, hasRowID: hasRowID)
  }

  /// As many columns as the shortest row has: the last ones were added later.
  private var fewest: Int { (columns.lastIndex { $0.isRequired } ?? -1) + 1 }

  /// Told by the number of the columns and the type of each: no two tables have both in common.
  package func fits(_ row: SalvagedRow) -> Bool {
    guard hasRowID == (row.rowid != nil), row.values.count >= fewest, row.values.count <= columns.count else {
      return false
    }
    return zip(columns, row.values).allSatisfy { column, value in
      switch (column.type, value) {
      case (_, .null): column.isRowID || !column.isRequired
      case ("INTEGER", .integer): !column.isRowID
      case ("TEXT", .text), ("BLOB", .blob), ("REAL", .real), ("ANY", _): true
      default: false
      }
    }
  }
}
