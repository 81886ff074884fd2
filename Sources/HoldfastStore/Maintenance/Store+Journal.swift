import Foundation
import GRDB
import HoldfastCore
import Logging

extension Store {
  static let journalName = fileName + "-wal"

  /// Checkpoints the journal into the database and truncates it. Afterwards neither contains deleted data. Costs two
  /// syncs. Throws while a long read is in progress.
  package func emptyJournal() throws(ChatError) {
    do throws(ChatError) {
      try access { pool in
        try pool.writeWithoutTransaction { db in
          try Self.exclusively(writeLock) { try db.emptyJournal() }
        }
      }
    } catch {
      changes.publish(Changes(journal: true))
      throw error
    }
  }

  /// Like ``emptyJournal()``, but never throws, so that the caller can continue. On failure the deletion is kept,
  /// and the journal is emptied later. Returns whether the journal is empty.
  @discardableResult
  package func emptyJournal(_ logger: Logger) -> Bool {
    do throws(ChatError) {
      try emptyJournal()
      return true
    } catch {
      logger.notice("journal not emptied", metadata: ["code": "\(error.code)"])
      return false
    }
  }

  /// Whether any process has written since the journal was emptied.
  package var hasJournal: Bool {
    // A journal whose size cannot be read counts as written, and is emptied.
    (try? FileStatus(of: folder.appendingPathComponent(Self.journalName)).byteCount) != 0
  }
}

extension Database {
  /// Empties the journal. Waits only a moment for readers: an export reads for seconds, and a user may be waiting
  /// for this call.
  func emptyJournal() throws {
    try execute(sql: "PRAGMA busy_timeout = 100")
    defer { try? execute(sql: "PRAGMA busy_timeout = 5000") }
    _ = try checkpoint(.truncate)
  }
}
