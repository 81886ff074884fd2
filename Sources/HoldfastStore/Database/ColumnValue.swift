import Foundation
import GRDB
import HoldfastCore
import HoldfastTransport

/// A value with the form that it has in a column: an ID is stored as its text, and a date in microseconds since
/// 1970.
protocol ColumnValue {
  associatedtype Stored: DatabaseValueConvertible & StatementColumnConvertible

  init(stored: Stored)
  var stored: Stored { get }
}

extension ColumnValue where Stored == Self {
  init(stored: Self) { self = stored }
  var stored: Self { self }
}

extension Bool: ColumnValue { typealias Stored = Bool }
extension Int: ColumnValue { typealias Stored = Int }
extension Int64: ColumnValue { typealias Stored = Int64 }
extension String: ColumnValue { typealias Stored = String }
extension Data: ColumnValue { typealias Stored = Data }

extension Date: ColumnValue {
  init(stored: Int64) { self.init(microseconds: stored) }
  var stored: Int64 { microseconds }
}

/// A column value that is stored as a text.
protocol TextColumnValue: ColumnValue where Stored == String {
  init(rawValue: String)
  var rawValue: String { get }
}

extension TextColumnValue {
  init(stored: String) { self.init(rawValue: stored) }
  var stored: String { rawValue }
}

extension MessageID: TextColumnValue {}
extension ConversationKey: TextColumnValue {}
extension UserID: TextColumnValue {}
extension RequestID: TextColumnValue {}
extension ChatAttachment.Checksum: TextColumnValue {}
extension SyncCursor: TextColumnValue {}
