import Foundation
import Holdfast
import HoldfastStore
import HoldfastCore

/// What was read from a damaged store, and what was not.
public struct SalvageReport: Sendable, Codable, Hashable {
  public var drafts: Int
  /// Messages that the server has not confirmed.
  public var unsent: Int
  public var messages: Int
  public var conversations: Int
  public var attachments: Int
  /// Pages that could not be read, by the table that they belong to. They may have had many rows or one.
  public var lostPages: [String: Int]
  /// Rows that could not be read, or do not fit together with the others, by table.
  public var lostRows: [String: Int]
  /// Files that are gone, or are not what their checksum says.
  public var lostAttachments: Int
  /// Messages that were perhaps never sent: it cannot be read any more whether they were. They are marked as failed, and
  /// their user decides.
  public var doubtful: Int
  /// Where the damaged store is now, as it was.
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

  /// Nothing is known to be missing.
  public var isComplete: Bool {
    lostPages.isEmpty && lostRows.isEmpty && lostAttachments == 0 && doubtful == 0
  }
}

/// Brings back what can be read of a store that is damaged (SPEC S3).
///
/// ```
///   store, damaged ──copy──► pages, one by one ──► rows ──► new store ──checked──► in the old one's place
///        └──────────────────────────── set aside, untouched ◄────────────────────────────┘
/// ```
///
/// SQLite keeps no checksums of its pages: a letter that has become another one is not noticed.
public enum StoreSalvage {
  /// Reads a damaged store, puts what can be read into a new one in its place, and sets the old one aside beside it, with
  /// not a byte changed. Drafts and unsent messages come first.
  ///
  /// ```swift
  /// do { client = try ChatClient(storage: storage, transport: transport, user: user) }
  /// catch let error as ChatError where error.code == .storageDamaged {
  ///   let report = try StoreSalvage.salvage(storage, user: user)
  ///   client = try ChatClient(storage: storage, transport: transport, user: user)
  /// }
  /// ```
  ///
  /// No client may have the store open. Costs the reading of the store and the writing of a new one. After a crash in
  /// between the damaged store is in its place: call it again. Or it is set aside already, and nothing is in its place:
  /// the folder that ends in `.salvaging` is the new store, whole, and needs its name only.
  ///
  /// - Parameter user: whose store it is, should it not be readable any more.
  /// - Throws: ``ChatError`` with code `storageBusy` when a client sends from it, `storageForeign` when it is another
  ///   account's, `storageNewer`, `storageUnavailable` when there is none, or `storageFull`. The store is left as it is.
  public static func salvage(_ storage: StorageLocation, user: UserID) throws -> SalvageReport {
    try salvage(folder: try storage.resolve(), user: user)
  }

  /// - Parameter progress: bytes of the pages that have rows.
  package static func salvage(
    folder: URL, user: UserID?, progress: @escaping (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(ChatError) -> SalvageReport {
    try Store.typed {
      let old = folder.appendingPathComponent(Store.fileName)
      guard FileManager.default.fileExists(atPath: old.path) else {
        throw ChatError(.storageUnavailable, "There is no store in this folder.")
      }
      let lock = try drainLock(in: folder)
      defer { lock?.release() }
      let new = StoreRefilling.unfinished(folder)
      try? FileManager.default.removeItem(at: new)
      do {
        var report = try read(old, into: new, SalvageFilling(user: user, progress: progress))
        report.setAside = try exchange(folder, new)
        return report
      } catch {
        try? FileManager.default.removeItem(at: new)
        throw error
      }
    }
  }

  /// Only one that is there is taken: nothing is made in the damaged store's folder.
  private static func drainLock(in folder: URL) throws(ChatError) -> FileLock? {
    let file = folder.appendingPathComponent(FileLock.drain)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let lock = try FileLock(file)
    guard try lock.take() else {
      throw ChatError(.storageBusy, "An app is using the store. End it, and try again.")
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

  /// The old folder gets a name that is free, and the new one its name.
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
