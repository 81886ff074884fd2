import Foundation
import GRDB
import HoldfastCore
import Logging

/// Compaction of a store. SQLite moves rows between pages and leaves copies of them behind. `secure_delete`
/// clears the deleted row but not its copies. A transaction that deletes a text increments the setting
/// `remnants`. The next `VACUUM` writes the database anew, without copies (SPEC S9). See
/// docs/decisions/0033-a-store-is-compacted-after-a-deletion.md.
extension Store {
  /// About 16 MB. SQLite writes that much in some tenths of a second, which an app that enters the background can
  /// spare.
  private static let pagesInBackground = 4_096

  /// Compacts a small store if something was deleted since the last compaction. SQLite's temporary copy is in
  /// memory.
  func compactIfSmall() throws(ChatError) {
    let isDue = try read { try $0.remnants() > 0 && $0.pageCount() <= Self.pagesInBackground }
    if isDue { try compact(inMemory: true) }
  }

  /// Writes the database anew and empties the journal. Costs reading the whole database once and writing it three
  /// times, and room for two more of it meanwhile. A crash in between leaves the database as it was.
  package func compact(inMemory: Bool = false) throws(ChatError) {
    try access { pool in
      try pool.writeWithoutTransaction { db in
        try Self.exclusively(writeLock) {
          let counted = try Reading(db).remnants()
          try db.execute(sql: "PRAGMA temp_store = \(inMemory ? "MEMORY" : "FILE")")
          try gate?.willCommit()
          try db.execute(sql: "VACUUM")
          _ = try commit(db) { try $0.noteCompacted(counted) }
          try db.emptyJournal()
        }
      }
      try gate?.didCommit()
    }
  }

  /// The number of transactions that have deleted a text since the last compaction.
  package func remnants() throws(ChatError) -> Int64 { try read { try $0.remnants() } }
}

extension Transaction {
  /// Counts the deletion of a text in the transaction that deletes it, so that a crash cannot lose the count.
  func noteRemnants() throws {
    try increment(.remnants)
  }

  /// - Parameter counted: the count before the database was written anew.
  fileprivate func noteCompacted(_ counted: Int64) throws {
    try change(.remnants, from: counted, to: 0)
  }
}

extension Reading {
  fileprivate func remnants() throws -> Int64 {
    try setting(.remnants) ?? 0
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

  /// Writes the database of a whole store anew, so that nothing deleted is left in its file, and gives the room
  /// back to the disk. Needs room for two more of the database meanwhile. A crash in between leaves the store as
  /// it was.
  ///
  /// - Throws: ``ChatError`` with code `storageUnavailable` when there is no store, `storageBusy` when an app
  ///   sends from it, `storageFull`, or another code that starts with `storage`. The store is as it was then.
  package static func compact(_ folder: URL) throws(ChatError) -> Report {
    guard let owner = try StoreAccount.owner(of: folder) else {
      throw ChatError(.storageUnavailable, "There is no store in this folder.")
    }
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
