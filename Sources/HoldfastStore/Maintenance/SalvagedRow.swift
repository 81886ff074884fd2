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

  /// Nil: it is something else.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// Nil: it is something else.
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

/// A row as it lies in the file: values in the order of its table's columns, the last of which may be missing.
package struct SalvagedRow: Sendable {
  /// Nil in a table without one.
  package var rowid: Int64?
  package var values: [SalvagedValue]
  /// Where it was.
  package var pages: [Int]

  package init(rowid: Int64? = nil, values: [SalvagedValue], pages: [Int]) {
    self.rowid = rowid
    self.values = values
    self.pages = pages
  }

}

/// The rows that can be read of a damaged database.
package protocol SalvageSource {
  var pageSize: Int { get }
  /// How many pages ``forEachRow(of:eachPage:_:)`` looks at for all tables.
  var pageTotal: Int { get }
  /// Pages that are no pages of a table, and that one leads to.
  var unreadablePages: [String: Int] { get }
  /// Nothing leads to the table, or its beginning cannot be read.
  func isMissing(_ table: String) -> Bool
  /// Reads the rows of a table, those that it leads to first. Nil: one that begins here makes no sense. `isStray`: only
  /// its looks tell that it is one of the table, and it may be an older version of one that was there before.
  func forEachRow(
    of shape: TableShape, eachPage: () -> Void,
    _ body: (_ row: SalvagedRow?, _ isStray: Bool) throws -> Void
  ) rethrows
}
