import Foundation
import GRDB
import Logging

extension Store {
  static let journalName = fileName + "-wal"

  /// Writes the journal back into the database, and cuts it to nothing: what was deleted is then in neither. Costs
  /// two syncs. Throws while somebody reads for long.
  func emptyJournal() throws(ChatError) {
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
  func emptyJournal(_ logger: Logger) -> Bool {
    do throws(ChatError) {
      try emptyJournal()
      return true
    } catch {
      logger.notice("journal not emptied", metadata: ["code": "\(error.code)"])
      return false
    }
  }

  /// Something was written since the journal was emptied, by whichever process.
  var hasJournal: Bool {
    // One that cannot be asked for its size is emptied.
    (try? FileStatus(of: folder.appendingPathComponent(Self.journalName)).byteCount) != 0
  }
}

extension Database {
  /// Waits only a moment for those who read: an export reads for seconds, and a user may be waiting for this.
  func emptyJournal() throws {
    try execute(sql: "PRAGMA busy_timeout = 100")
    defer { try? execute(sql: "PRAGMA busy_timeout = 5000") }
    _ = try checkpoint(.truncate)
  }
}

/// What was deleted is in the journal too, until that is written back and emptied. That comes right after the deletion;
/// here is what the end of a process kept from it, or a reader that took its time.
extension ChatClient {
  private static let journalPause: Duration = .seconds(10)

  /// Follows the journal for as long as the task lives.
  func keepJournalEmpty() async {
    while !Task.isCancelled {
      await store.journalSignal.wait()
      guard !Task.isCancelled, store.hasJournal else { continue }
      guard !store.emptyJournal(logger) else { continue }
      try? await environment.sleep(environment.uptime() + Self.journalPause)
    }
  }
}
