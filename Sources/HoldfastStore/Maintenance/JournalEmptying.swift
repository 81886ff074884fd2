import Foundation
import GRDB
import Logging
import HoldfastCore

extension Store {
  static let journalName = fileName + "-wal"

  /// Writes the journal back into the database, and cuts it to nothing: what was deleted is then in neither. Costs
  /// two syncs. Throws while somebody reads for long.
  package func emptyJournal() throws(ChatError) {
    do throws(ChatError) {
      try access { pool in
        try pool.writeWithoutTransaction { db in
          try Self.exclusively(writeLock) { try db.emptyJournal() }
        }
      }
    } catch {
      journalSignal.raise()
      throw error
    }
  }

  /// The same for those who go on in any case: what was deleted is deleted, and its journal is emptied later. Returns
  /// whether it is empty.
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

  /// Something was written since the journal was emptied, by whichever process.
  package var hasJournal: Bool {
    // One that cannot be asked for its size is emptied.
    (try? FileStatus(of: folder.appendingPathComponent(Self.journalName)).byteCount) != 0
  }
}

extension Database {
  /// Waits only a moment for those who read: an export reads for seconds, and a user may be waiting for this.
  package func emptyJournal() throws {
    try execute(sql: "PRAGMA busy_timeout = 100")
    defer { try? execute(sql: "PRAGMA busy_timeout = 5000") }
    _ = try checkpoint(.truncate)
  }
}
