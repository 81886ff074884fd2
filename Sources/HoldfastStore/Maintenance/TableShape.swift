import GRDB
import HoldfastCore

private enum ShapeColumn: String, QueryColumn {
  case name, type
  case isNotNull = "\"notnull\""
  case hasNoDefault = "dflt_value IS NULL"
  /// The position of the column in the primary key, from 1. 0 when it is not part of the key.
  case keyPlace = "pk"

  static let table = select("FROM pragma_table_info(?)")
}

extension TableShape.Column {
  fileprivate init(_ row: QueryRow<ShapeColumn>, hasRowID: Bool) {
    let (isNotNull, hasNoDefault): (Bool, Bool) = (row[.isNotNull], row[.hasNoDefault])
    let (type, keyPlace): (String, Int) = (row[.type], row[.keyPlace])
    self.init(
      name: row[.name], type: type, isRequired: isNotNull && hasNoDefault,
      isRowID: hasRowID && keyPlace == 1 && type == "INTEGER")
  }
}

/// The shape of a table's rows.
package struct TableShape {
  package struct Column {
    let name: String
    let type: String
    /// Whether the column must have a value.
    let isRequired: Bool
    /// Whether the value is the row ID. The record has NULL in its place.
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
  /// Whether no other table, and no index, has rows of the same shape.
  package let isUnique: Bool

  package init(name: String, columns: [Column], hasRowID: Bool) {
    (self.name, self.columns, self.hasRowID) = (name, columns, hasRowID)
    // Without a row ID, an entry looks like an index entry, unless it has many columns.
    isUnique = hasRowID || columns.count > 4
  }

  init(_ name: String, _ reading: Reading) throws {
    let sql =
      try reading.value("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]) ?? ""
    let hasRowID = !sql.contains("WITHOUT ROWID")
    let columns = try reading.rows(ShapeColumn.table, [name]) { Column($0, hasRowID: hasRowID) }
    self.init(name: name, columns: columns, hasRowID: hasRowID)
  }

  /// The number of columns in the shortest row. The columns after them were added by later versions.
  private var fewest: Int { (columns.lastIndex { $0.isRequired } ?? -1) + 1 }

  /// Whether the row has the table's number of columns and the type of each. No two tables agree in both.
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
