import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// The result of a salvage: the rows that were read from the damaged store, and those that were lost.
public struct SalvageReport: Sendable, Codable, Hashable {
  /// The number of drafts that could be read.
  public var drafts: Int
  /// Messages that the server has not confirmed.
  public var unsent: Int
  /// The number of messages that could be read.
  public var messages: Int
  /// The number of conversations that could be read.
  public var conversations: Int
  /// The number of files of attachments that are in the new store.
  public var attachments: Int
  /// Pages that could not be read, by table. Each may have held one row or many.
  public var lostPages: [String: Int]
  /// Rows that could not be read, or that do not fit together with the others, by table.
  public var lostRows: [String: Int]
  /// Attachment files that are missing, or do not match their checksum.
  public var lostAttachments: Int
  /// Messages that may never have been sent, according to the damaged store. They are marked as failed, and their
  /// user decides.
  public var doubtful: Int
  /// The folder that now holds the damaged store, unchanged.
  public var setAside: URL?

  package init(_ tally: SalvageTally) {
    drafts = tally.drafts
    unsent = tally.unsent
    messages = tally.messages
    conversations = tally.conversations
    attachments = tally.attachments
    lostPages = tally.lostPages
    lostRows = tally.lostRows
    lostAttachments = tally.lostAttachments
    doubtful = tally.doubtful
  }

  /// True when nothing is known to be missing.
  public var isComplete: Bool {
    lostPages.isEmpty && lostRows.isEmpty && lostAttachments == 0 && doubtful == 0
  }
}

/// Recovers the readable contents of a damaged store (rule S3).
///
/// ```
///   store, damaged ──copy──► pages, one by one ──► rows ──► new store ──checked──► in the old one's place
///        └──────────────────────────── set aside, untouched ◄────────────────────────────┘
/// ```
///
/// SQLite has no checksums of its pages, so a changed letter in a text goes unnoticed.
public enum StoreSalvage {
  /// Reads a damaged store and replaces it by a new store with everything that can be read. The damaged store is set
  /// aside beside it, unchanged. Drafts and unsent messages come first.
  ///
  /// ```swift
  /// do { client = try ChatClient(storage: storage, transport: transport, user: user) }
  /// catch let error as ChatError where error.code == .storageDamaged {
  ///   let report = try StoreSalvage.salvage(storage, user: user)
  ///   client = try ChatClient(storage: storage, transport: transport, user: user)
  /// }
  /// ```
  ///
  /// No client may have the store open. Costs reading the store and writing a new one.
  ///
  /// After a crash in between, the damaged store is usually still in its place: call this method again. A crash
  /// between the two renames at the end leaves the damaged store set aside and nothing in its place. The new store
  /// is then complete, in the folder that ends in `.salvaging`. The next opening of the store renames it.
  ///
  /// - Parameter storage: the damaged store.
  /// - Parameter user: the owner of the store, if the store no longer contains it.
  /// - Throws: ``ChatError`` with code `storageBusy` when a client sends from the store, `storageForeign` when it
  ///   belongs to another account or to another program, `storageNewer`, `storageLocked` while the device is locked,
  ///   `storageUnavailable` when there is no store, or `storageFull`. The store is then unchanged.
  public static func salvage(_ storage: StorageLocation, user: UserID) throws -> SalvageReport {
    try salvage(folder: try storage.resolve(), user: user)
  }

  /// - Parameter progress: called with the number of bytes of the pages that have rows.
  package static func salvage(
    folder: URL, user: UserID?, progress: @escaping (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(ChatError) -> SalvageReport {
    let old = folder.appendingPathComponent(Store.fileName)
    return try Store.reportingLock(old) {
      guard try StoreReading.byteCount(in: folder) != nil else { throw ChatError.missing(in: folder) }
      guard !StoreReading.isOfSomethingElse(folder) else { throw ChatError.ofSomethingElse }
      if Store.isProtected(old) { throw ChatError.locked }
      let lock = try drainLock(in: folder)
      defer { lock?.release() }
      let new = StoreExchange.unfinished(folder)
      try? FileManager.default.removeItem(at: new)
      do {
        var report = try read(old, into: new, SalvageFilling(user: user, progress: progress))
        // A file that was protected meanwhile looks lost.
        if Store.isProtected(old) { throw ChatError.locked }
        report.setAside = try exchange(folder, new)
        return report
      } catch {
        try? FileManager.default.removeItem(at: new)
        throw error
      }
    }
  }

  /// Takes the drain lock. Nil when the damaged store has none: no file is made in its folder.
  private static func drainLock(in folder: URL) throws(ChatError) -> FileLock? {
    let file = folder.appendingPathComponent(FileLock.drain)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let lock = try FileLock(file)
    guard try lock.acquire() else {
      throw ChatError(.storageBusy, "An app is using the store. Quit the app and try again.")
    }
    return lock
  }

  private static func read(_ old: URL, into new: URL, _ filling: SalvageFilling) throws -> SalvageReport {
    let image = try PageImage(database: old, journal: URL(fileURLWithPath: old.path + "-wal"))
    let tally = try StoreRefilling.makeStore(
      in: new, beside: old.deletingLastPathComponent(), migrations: SalvagedTables.migrations(in: image),
      filling
    ) { SalvagedTables(image, $0) }
    return SalvageReport(tally)
  }

  /// Renames the old folder to a free name, and the new folder to the old name. Returns the old folder's new place.
  private static func exchange(_ folder: URL, _ new: URL) throws -> URL {
    let parent = folder.deletingLastPathComponent()
    let files = FileManager.default
    var aside = parent.appendingPathComponent(folder.lastPathComponent + ".damaged")
    var number = 2
    while files.fileExists(atPath: aside.path) {
      aside = parent.appendingPathComponent("\(folder.lastPathComponent).damaged-\(number)")
      number += 1
    }
    try files.moveItem(at: folder, to: aside)
    do {
      try files.moveItem(at: new, to: folder)
    } catch {
      try? files.moveItem(at: aside, to: folder)
      throw error
    }
    try syncFolder(parent)
    return aside
  }
}
