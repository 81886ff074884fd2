import Foundation
import GRDB
import GRDBSQLite
import HoldfastCore

/// Reads a store without a client. The store is unchanged, and its other users are unaffected.
package enum StoreReading {
  /// - Throws: ``ChatError`` with code `storagePermissions` when the folder may not be read.
  package static func isThere(in folder: URL) throws -> Bool { try byteCount(in: folder) ?? 0 > 0 }

  /// The size of the store's file. Nil when there is no file.
  package static func byteCount(in folder: URL) throws -> Int64? {
    do {
      return try FileStatus(of: file(in: folder)).byteCount
    } catch {
      guard error.code == .ENOENT || error.code == .ENOTDIR else { throw error }
      return nil
    }
  }

  /// Gives `body` a connection to the store in a folder.
  ///
  /// - Throws: ``ChatError`` with code `storageUnavailable`, `storageLocked`, `storageForeign` or `storageNewer`.
  static func open<Value>(_ folder: URL, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    let file = file(in: folder)
    guard try isThere(in: folder) else { throw ChatError.missing(in: folder) }
    if Store.isProtected(file) { throw ChatError.locked }
    return try Store.reportingLock(file) {
      try connect(file) { queue in
        try queue.read(SchemaCheck.refuseWhatIsNotOurs)
        return try body(queue)
      }
    }
  }

  /// Whether the file in a folder is a readable database that is not a store. False when there is no file.
  package static func isOfSomethingElse(_ folder: URL) -> Bool {
    let file = file(in: folder)
    guard (try? isThere(in: folder)) == true, !Store.isProtected(file) else { return false }
    let isOther = try? connect(file) { queue in
      try queue.read { db in
        let objects = try SchemaCheck.objects(db)
        return try !objects.isEmpty && !objects.contains(where: \.isOurMigrations)
          && Int32.fetchOne(db, sql: "PRAGMA application_id") != Schema.applicationID
      }
    }
    return isOther ?? false
  }

  /// Gives `body` one snapshot of a store that has the present schema.
  ///
  /// - Throws: the same as ``open(_:_:)``, and code `storageFailed` for a store of an earlier version.
  package static func read<Value>(_ folder: URL, _ body: (Reading) throws -> Value) throws -> Value {
    try open(folder) { queue in
      // The stream log is read first: text that moves into the database meanwhile is in both, and is shown once.
      let tail = try StreamLog.entries(in: folder)
      return try queue.read { db in
        guard try Schema.migrator.hasCompletedMigrations(db) else {
          throw ChatError(
            .storageFailed,
            "The store was written by an earlier version. Open it with the app once, and try again.")
        }
        let reading = Reading(db)
        try reading.streams.overlay(tail)
        return try body(reading)
      }
    }
  }

  static func file(in folder: URL) -> URL { folder.appendingPathComponent(Store.fileName) }

  private static func connect<Value>(_ file: URL, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    // The values that were read are valid even if closing fails.
    defer { try? queue.close() }
    let limit = StepLimit(bytes: try FileStatus(of: file).byteCount)
    defer { withExtendedLifetime(limit) {} }
    queue.inDatabase { db in
      sqlite3_progress_handler(
        db.sqliteConnection, StepLimit.stepsAtOnce,
        { Unmanaged<StepLimit>.fromOpaque($0!).takeUnretainedValue().step() ? 0 : 1 },
        Unmanaged.passUnretained(limit).toOpaque())
    }
    do { return try body(queue) } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT
    {
      throw ChatError(
        .storageDamaged,
        "The store is damaged: reading it comes to no end. Run holdfast doctor --salvage on it.")
    }
  }
}

/// Ends a read that takes far more SQLite steps than the size of the file explains, as with pages that refer to each
/// other in circles.
private final class StepLimit {
  static let stepsAtOnce: Int32 = 100_000
  private var left: Int64

  /// A hundred steps for each byte (a store takes fewer than ten), plus two hundred million.
  init(bytes: Int64) { left = 2_000 + bytes / 1_000 }

  func step() -> Bool {
    left -= 1
    return left > 0
  }
}
