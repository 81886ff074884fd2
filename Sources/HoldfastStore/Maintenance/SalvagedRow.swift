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

/// A row as it lies in the file. The values are in the order of the table's columns, and the last ones may be
/// missing.
package struct SalvagedRow: Sendable {
  /// Nil in a table without row IDs.
  package var rowid: Int64?
  package var values: [SalvagedValue]
  /// The pages on which the row lies.
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
  /// The number of pages that a table leads to and that are not readable as table pages, by table.
  var unreadablePages: [String: Int] { get }
  /// Whether nothing leads to the table, or its first page cannot be read.
  func isMissing(_ table: String) -> Bool
  /// Gives `body` the rows of a table. The rows that the table leads to come first. `row` is nil when a row
  /// begins here and makes no sense. `isStray` is true when only the shape of a row tells that it belongs to the
  /// table. A stray row may be an older version of a row that came before.
  func forEachRow(
    of shape: TableShape, eachPage: () -> Void,
    _ body: (_ row: SalvagedRow?, _ isStray: Bool) throws -> Void
  ) rethrows
}
