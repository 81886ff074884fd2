import Foundation
import GRDB
import HoldfastCore

/// A value that was read from a damaged database.
package enum SalvagedValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  /// Nil when the value is not a text.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// Nil when the value is not an integer.
  package var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let integer): integer.databaseValue
    case .real(let real): real.databaseValue
    case .text(let text): text.databaseValue
    case .blob(let blob): blob.databaseValue
    }
  }
}

/// A row as stored in the file. The values are in the order of the table's columns, and the last ones may be
/// missing.
package struct SalvagedRow: Sendable {
  /// Nil in a table without row IDs.
  package var rowid: Int64?
  package var values: [SalvagedValue]
  /// The pages that contain the row.
  package var pages: [Int]

  package init(rowid: Int64? = nil, values: [SalvagedValue], pages: [Int]) {
    self.rowid = rowid
    self.values = values
    self.pages = pages
  }

}

/// The readable rows of a damaged database.
package protocol SalvageSource {
  var pageSize: Int { get }
  /// The number of pages that ``forEachRow(of:eachPage:_:)`` reads for all tables together.
  var pageTotal: Int { get }
  /// The number of pages that a table refers to and that are not readable as table pages, by table.
  var unreadablePages: [String: Int] { get }
  /// Whether the table is unreachable, or its first page cannot be read.
  func isMissing(_ table: String) -> Bool
  /// Passes the rows of a table to `body`, those reachable through the table first. `row` is nil where an unreadable
  /// row begins. `isStray` is true when a row belongs to the table only by its shape. A stray row may be an older
  /// version of an earlier row.
  func forEachRow(
    of shape: TableShape, eachPage: () -> Void,
    _ body: (_ row: SalvagedRow?, _ isStray: Bool) throws -> Void
  ) rethrows
}
