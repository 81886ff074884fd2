import Foundation
import GRDB
import GRDBSQLite

/// The file of an open database, as SQLite has it open itself: whoever opens it a second time and closes it lets go of all
/// the locks that the process has on it (<https://sqlite.org/howtocorrupt.html>, section 2.2).
struct DatabaseFile {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// For as long as the connection is used by nobody else.
  init(of db: Database) throws {
    var file: UnsafeMutablePointer<sqlite3_file>?
    try Self.check(sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file))
    guard let file, let methods = file.pointee.pMethods else {
      throw DatabaseError(resultCode: .SQLITE_NOTFOUND)
    }
    self.file = file
    self.methods = methods.pointee
  }

  func read(into bytes: UnsafeMutableRawBufferPointer, at place: Int64) throws {
    try Self.check(methods.xRead(file, bytes.baseAddress, Int32(bytes.count), place))
  }

  func write(_ bytes: UnsafeRawBufferPointer, at place: Int64) throws {
    try Self.check(methods.xWrite(file, bytes.baseAddress, Int32(bytes.count), place))
  }

  func sync() throws { try Self.check(methods.xSync(file, SQLITE_SYNC_FULL)) }

  private static func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw DatabaseError(resultCode: ResultCode(rawValue: code))
  }
}
