import Foundation
import GRDB
import HoldfastCore

/// Reading a store without a client. Nothing in the store changes, and its other users go on.
package enum StoreReading {
  package static func isThere(in folder: URL) -> Bool {
    ((try? FileStatus(of: file(in: folder)).byteCount) ?? 0) > 0
  }

  /// Gives `body` a connection to the store in a folder.
  ///
  /// - Throws: ``ChatError`` with code `storageUnavailable`, `storageLocked`, `storageForeign` or `storageNewer`.
  static func open<Value>(_ folder: URL, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    let file = file(in: folder)
    guard isThere(in: folder) else {
      throw ChatError(.storageUnavailable, "There is no store in this folder.")
    }
    if Store.isProtected(file) { throw ChatError.locked }
    return try Store.tellingLocked(file) {
      try connect(file) { queue in
        try queue.read(refuseWhatIsNotOurs)
        return try body(queue)
      }
    }
  }

  /// Gives `body` one snapshot of a store that has the present schema.
  ///
  /// - Throws: the same as ``open(_:_:)``, and code `storageFailed` for a store of an earlier version.
  package static func read<Value>(_ folder: URL, _ body: (Reading) throws -> Value) throws -> Value {
    try open(folder) { queue in
      // Read first: words that are moved into the database meanwhile are in both, and are shown once.
      let tail = try StreamTail.entries(in: folder)
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

  /// Refuses a file of another program or of a newer version. A connection asks before it writes: opening alone would change
  /// a foreign file's journal mode (SPEC S3).
  static func refuseWhatIsNotOurs(_ db: Database) throws {
    let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    guard try applicationID == Schema.applicationID || isEmpty(db) else {
      throw ChatError(
        .storageForeign, "The file is a database of something else. It was left as it is.")
    }
    guard try !Schema.migrator.hasBeenSuperseded(db) else {
      throw ChatError(
        .storageNewer, "The store was written by a newer version. Update the app; nothing was changed.")
    }
  }

  /// If a process ended while it made the file, the file may have only the migrator's own table.
  private static func isEmpty(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'grdb_migrations'") == 0
  }

  static func file(in folder: URL) -> URL { folder.appendingPathComponent(Store.fileName) }

  private static func connect<Value>(_ file: URL, _ body: (DatabaseQueue) throws -> Value) throws -> Value {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    // The values that were read are valid even if closing fails.
    defer { try? queue.close() }
    return try body(queue)
  }
}
