import Foundation
import GRDB
import Logging

/// What is left of a deleted text that no row has any more. When SQLite moves rows to another page it leaves copies of
/// them behind, where the page has nothing then; `secure_delete` clears the row that is deleted, and knows of no copy
/// (SPEC S9). So the transaction that deletes a text counts, in the setting `remnants`, and later the unallocated space of
/// all pages is filled with zeros, some pages at a time. See docs/decisions/0033-what-a-deletion-leaves-in-the-file.md.
extension Store {
  /// Clears the unallocated space of pages, from `first` on, and notes on the last of them that all is clear. Holds the
  /// file for as long as it takes to read 8 MB. Returns where to go on. Nil: these were the last.
  ///
  /// - Parameter counted: what ``remnants()`` was when the first page was cleared. What is deleted meanwhile takes
  ///   another round.
  func clearRemnants(from first: Int, counted: Int64) throws(ChatError) -> Int? {
    try access { pool in
      let next = try pool.writeWithoutTransaction { db in
        try Self.exclusively(writeLock) {
          // What is in the journal would come out of it over what is clear.
          try db.emptyJournal()
          // A page in memory would bring its remnants back with its next change. Other processes read their pages
          // again, because something is committed here.
          try db.execute(sql: "PRAGMA shrink_memory")
          return try commit(db) { transaction -> Int? in
            // Somebody who does not hold the lock has written.
            guard !hasJournal else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
            let next = try transaction.db.clearUnallocatedSpace(from: first)
            try transaction.noteCleared(isAll: next == nil, counted: counted)
            return next
          }.value
        }
      }
      try gate?.didCommit()
      return next
    }
  }

  /// How often something was deleted of which there may be remnants.
  func remnants() throws(ChatError) -> Int64 { try read { try $0.remnants() } }

  /// All at once, where there are at most so many pages; else it is left to ``ChatClient/run()``, or to the next launch.
  func clearRemnants(ifAtMost pages: Int) throws(ChatError) {
    let counted = try remnants()
    guard counted > 0, try read({ try $0.pageCount() }) <= pages else { return }
    var next: Int? = 1
    while let first = next { next = try clearRemnants(from: first, counted: counted) }
  }

  /// 64 MB: for as long as the system gives an app that enters the background, this is nothing.
  static let pagesInBackground = 16_384
  /// 4 MB: nobody notices.
  private static let pagesAtOnce = 1_024

  /// What was deleted goes out of the journal, and out of the pages of a small store. Whoever calls it goes on in any
  /// case: what cannot be done now is done later.
  func clearDeleted(_ logger: Logger) {
    guard emptyJournal(logger) else { return }
    do throws(ChatError) {
      try clearRemnants(ifAtMost: Self.pagesAtOnce)
    } catch {
      logger.notice("remnants of deleted texts not cleared", metadata: ["code": "\(error.code)"])
    }
  }
}

extension Transaction {
  /// A text was deleted: in this transaction, so that no crash forgets it.
  func noteRemnants() throws {
    try run("UPDATE setting SET value = value + 1 WHERE name = 'remnants'")
  }

  /// Pages are moved about: those that were clear may not be.
  func notePagesMoved() throws {
    try run("UPDATE setting SET value = value + 1 WHERE name = 'remnants' AND value > 0")
  }

  fileprivate func noteCleared(isAll: Bool, counted: Int64) throws {
    if isAll {
      try run("UPDATE setting SET value = 0 WHERE name = 'remnants' AND value = ?", [counted])
    }
    try run("UPDATE setting SET value = value + 1 WHERE name = 'clearings'")
  }
}

extension Database {
  private static let pagesAtOnce = 2_048

  fileprivate func remnants() throws -> Int64 {
    try row("SELECT value FROM setting WHERE name = 'remnants'")?[0] ?? 0
  }

  fileprivate func pageCount() throws -> Int { try row("PRAGMA page_count")![0] }

  /// Returns the first page that it has not looked at. Whoever calls it has the only transaction that writes, and an
  /// empty journal: then nobody else writes to the file. Those who read it need nothing of what is written here, and a
  /// power cut in the middle leaves zeros or what was there, either of which is nothing.
  fileprivate func clearUnallocatedSpace(from first: Int) throws -> Int? {
    let space = try UnallocatedSpace(of: self)
    let pages = first..<min(space.pageCount + 1, first + Self.pagesAtOnce)
    try space.clear(pages)
    return pages.upperBound > space.pageCount ? nil : pages.upperBound
  }
}

/// Follows the deletions for as long as the task lives.
extension ChatClient {
  /// What else is deleted meanwhile is cleared with it.
  private static let clearingPause: Duration = .seconds(2)

  func keepClear() async {
    let subscription = store.changes.subscribe(remnantSignal) { $0.deletedTexts || $0.remnants }
    defer { store.changes.unsubscribe(subscription) }
    while !Task.isCancelled {
      var pause = Self.clearingPause
      do throws(ChatError) {
        try await clearRemnants()
      } catch {
        // A reader that takes long keeps the journal.
        logger.notice("remnants of deleted texts not cleared", metadata: ["code": "\(error.code)"])
        pause = .seconds(30)
        remnantSignal.raise()
      }
      await remnantSignal.wait()
      try? await environment.sleep(environment.uptime() + pause)
    }
  }

  private func clearRemnants() async throws(ChatError) {
    let counted = try store.remnants()
    guard counted > 0 else { return }
    var next: Int? = 1
    while let first = next, !Task.isCancelled {
      next = try store.clearRemnants(from: first, counted: counted)
      if next != nil { try? await environment.sleep(environment.uptime() + .milliseconds(5)) }
    }
    if try store.remnants() > 0 { remnantSignal.raise() }
  }
}
