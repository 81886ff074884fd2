import GRDB
import HoldfastCore
import Logging

extension Store {
  /// The largest number of free pages that are released at once, about 8 MB: the app is about to be suspended.
  private static let pagesAtOnce = 2_000

  /// Compacts a small store if something was deleted (rule S9), returns free pages to the disk, and checkpoints the
  /// journal (rule S6). If one of these fails, the next call tries again.
  package func tidyUp(_ logger: Logger) {
    do throws(ChatError) {
      try compactIfSmall()
    } catch {
      logger.notice("store not compacted", metadata: ["code": "\(error.code)"])
    }
    do throws(ChatError) {
      try giveBackFreePages()
    } catch {
      logger.notice("free pages not given back", metadata: ["code": "\(error.code)"])
    }
    emptyJournal(logger)
    reserve.makeAgain()
  }

  private func giveBackFreePages() throws(ChatError) {
    try access { pool in
      let isGiven = try pool.writeWithoutTransaction { db in
        try Self.exclusively(writeLock) {
          let free = try Reading(db).value("PRAGMA freelist_count") ?? 0
          guard free > 0 else { return false }
          _ = try commit(db) { transaction in
            // Each step releases one page.
            let cursor = try Row.fetchCursor(
              transaction.database, sql: "PRAGMA incremental_vacuum(\(Self.pagesAtOnce))")
            while try cursor.next() != nil {}
          }
          return true
        }
      }
      if isGiven { try gate?.didCommit() }
    }
  }
}
