import Foundation
import GRDB
import GRDBSQLite
import HoldfastCore
import Logging

/// The amount of deleted text that may remain in the file.
package struct CompactionRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var compaction: CompactionRows<Self> { CompactionRows(db: self) }
}

/// Compaction of a store. SQLite moves rows between pages and leaves copies of them behind. `secure_delete`
/// clears the deleted row but not its copies. A transaction that deletes a text increments the setting
/// `remnants`. The next `VACUUM` writes the database anew, without copies (rule S9). See
/// docs/decisions/0033-a-store-is-compacted-after-a-deletion.md.
extension Store {
  /// About 16 MB. SQLite writes that much in some tenths of a second, which an app that enters the background can
  /// spare.
  private static let pagesInBackground = 4_096

  /// Compacts a small store if something was deleted since the last compaction. SQLite's temporary copy is in
  /// memory.
  func compactIfSmall() throws(ChatError) {
    let isDue = try read {
      try $0.compaction.remnants() > 0 && $0.compaction.pageCount() <= Self.pagesInBackground
    }
    guard isDue else { return }
    try compact(inMemory: true)
  }

  /// Rewrites the database and empties the journal. Costs reading the whole database once and writing it three
  /// times, and temporary space for two copies of it. A crash in between leaves the database unchanged.
  ///
  /// - Parameter watch: receives the progress, and may cancel. Nil when nobody waits.
  /// - Returns: whether the database was rewritten. False when `watch` has cancelled.
  @discardableResult
  package func compact(
    inMemory: Bool = false, watch: CompactionWatch? = nil
  ) throws(ChatError) -> Bool {
    try access { pool in
      let isDone = try pool.writeWithoutTransaction { db in
        try Self.exclusively(writeLock) {
          let counted = try Reading(db).compaction.remnants()
          try db.execute(sql: "PRAGMA temp_store = \(inMemory ? "MEMORY" : "FILE")")
          try gate?.willCommit()
          guard try db.vacuum(under: watch) else { return false }
          _ = try commit(db) { try $0.compaction.noteCompacted(counted) }
          try db.emptyJournal()
          return true
        }
      }
      try gate?.didCommit()
      return isDone
    }
  }

  /// Whether nothing was deleted since the last compaction.
  package var isCompact: Bool { (try? remnants()) == 0 }

  /// The number of transactions that have deleted a text since the last compaction.
  package func remnants() throws(ChatError) -> Int64 { try read { try $0.compaction.remnants() } }
}

/// The progress of one compaction, with the option to cancel it.
package final class CompactionWatch {
  /// The fraction of the work that SQLite reports in steps. Afterwards it copies the result back without reporting
  /// steps.
  private static let fractionOfSteps = 0.7
  fileprivate static let stepsAtOnce: Int32 = 4_000

  private let report: (Double) -> Void
  private let isEnded: () -> Bool
  private var steps = 0.0
  /// The number of steps that the copying is expected to take.
  fileprivate var expected = 1.0

  /// - Parameters:
  ///   - report: receives the finished fraction, from 0 to 1. It never decreases.
  ///   - isEnded: whether to cancel the compaction, with the database unchanged.
  package init(tell report: @escaping (Double) -> Void, isEnded: @escaping () -> Bool) {
    (self.report, self.isEnded) = (report, isEnded)
  }

  /// Counts a batch of SQLite's steps. Returns whether to continue.
  fileprivate func step() -> Bool {
    steps += Double(Self.stepsAtOnce)
    report(min(steps / expected, 1) * Self.fractionOfSteps)
    return !isEnded()
  }

  fileprivate func end() { report(1) }
}

extension Database {
  /// Returns whether the database was rewritten. False when `watch` has cancelled.
  fileprivate func vacuum(under watch: CompactionWatch?) throws -> Bool {
    guard let watch else {
      try execute(sql: "VACUUM")
      return true
    }
    watch.expected = try Reading(self).compaction.stepsOfCopying()
    sqlite3_progress_handler(
      sqliteConnection, CompactionWatch.stepsAtOnce,
      { watch in
        Unmanaged<CompactionWatch>.fromOpaque(watch!).takeUnretainedValue().step() ? 0 : 1
      }, Unmanaged.passUnretained(watch).toOpaque())
    defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
    do {
      try execute(sql: "VACUUM")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      return false
    }
    watch.end()
    return true
  }
}

extension CompactionRows {
  /// The number of steps in which SQLite copies all tables and indexes: about four for a row, and three for an entry
  /// of an index.
  fileprivate func stepsOfCopying() throws -> Double {
    let tables: [String] = try values(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    return try tables.reduce(1) { steps, table in
      let name = "\"" + table.replacing("\"", with: "\"\"") + "\""
      let rows: Int = try value("SELECT count(*) FROM \(name)") ?? 0
      let indexes: Int =
        try value("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", [table]) ?? 0
      return steps + Double(rows) * Double(4 + 3 * indexes)
    }
  }
}

extension CompactionRows where Access == Transaction {
  /// Counts the deletion of a text in the transaction that deletes it, so that a crash cannot lose the count.
  func noteRemnants() throws {
    try db.settings.increment(.remnants)
  }

  /// - Parameter counted: the count before the database was rewritten.
  fileprivate func noteCompacted(_ counted: Int64) throws {
    try db.settings.change(.remnants, from: counted, to: 0)
  }
}

extension CompactionRows {
  func remnants() throws -> Int64 {
    try db.settings.value(.remnants) ?? 0
  }

  fileprivate func pageCount() throws -> Int { try value("PRAGMA page_count") ?? 0 }
}

/// Compacts a store while its app is not running.
package enum StoreCompaction {
  /// The sizes of the database, in bytes.
  package struct Report: Sendable, Codable, Hashable {
    package var bytesBefore: Int64
    package var bytesAfter: Int64

    package init(bytesBefore: Int64, bytesAfter: Int64) {
      self.bytesBefore = bytesBefore
      self.bytesAfter = bytesAfter
    }

  }

  /// Rewrites the database of a whole store, so that no deleted data is left in its file, and returns the freed
  /// space to the disk. Needs temporary space for two copies of the database. A crash in between leaves the store
  /// unchanged.
  ///
  /// - Throws: ``ChatError`` with code `storageUnavailable` when there is no store, `storageBusy` when an app sends
  ///   from it, `storageFull`, or another storage code. The store is then unchanged.
  package static func compact(_ folder: URL) throws(ChatError) -> Report {
    guard let owner = try StoreAccount.owner(of: folder) else { throw ChatError.missing(in: folder) }
    let lock = try StoreAccount.lockAgainstApps(folder)
    return try withExtendedLifetime(lock) { () throws(ChatError) in
      let store = try Store(folder: folder, owner: owner)
      let before = try store.databaseBytes()
      try store.compact()
      let after = try store.databaseBytes()
      try store.suspend()
      return Report(bytesBefore: before, bytesAfter: after)
    }
  }
}

extension Store {
  fileprivate func databaseBytes() throws(ChatError) -> Int64 {
    try Self.typed { try FileStatus(of: file).byteCount }
  }
}
