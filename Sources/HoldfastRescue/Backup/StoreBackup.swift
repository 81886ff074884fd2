import Foundation
import Holdfast
import HoldfastStore
import HoldfastCore

/// What a backup has.
public struct BackupReport: Sendable, Codable, Hashable {
  public var location: URL
  public var databaseBytes: Int64
  public var attachments: Int
  /// Files that were deleted, or could not be read, while the copy was made.
  public var missingAttachments: Int

  package init(_ report: StoreCopyReport) {
    location = report.location
    databaseBytes = report.databaseBytes
    attachments = report.attachments
    missingAttachments = report.missingAttachments
  }
}

/// How far a backup is: bytes, of the database first and then of the attachments.
public struct BackupProgress: Sendable, Hashable {
  public var completed: Int64
  public var total: Int64
}

/// Copies of a store, and stores from copies (SPEC S10). A backup is a folder of the store's format, with the
/// permissions of one: nobody else can read it. Credentials are in neither.
public enum StoreBackup {
  /// Makes a store of a backup, once all of the backup has been read and found whole. A store that is there is never
  /// overwritten.
  ///
  /// ```swift
  /// try StoreBackup.restore(from: backup, to: .applicationSupport("alice"))
  /// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: "alice")
  /// ```
  ///
  /// The restored store is another device to the server: it and the one that the backup was made of may both go on.
  /// Messages that were unsent in the backup are sent under their IDs, and are not there twice. Costs the reading and
  /// writing of all of it. A crash in between leaves a folder that ends in `.restoring`, which the next call replaces.
  ///
  /// - Throws: ``ChatError`` with code `backupDamaged`; `alreadyThere` when there is something in the folder;
  ///   `storageNewer` when it was made by a newer version; or `storageFull`. The place is left as it is.
  public static func restore(from backup: URL, to storage: StorageLocation) throws {
    try restore(from: backup, toFolder: try storage.resolve())
  }

  package static func restore(
    from backup: URL, toFolder folder: URL, progress: @escaping (BackupProgress) -> Void = { _ in }
  ) throws(ChatError) {
    try StoreCopy.restore(from: backup, to: folder) { progress(BackupProgress(completed: $0, total: $1)) }
  }

  /// A copy of a store that others may be using: as ``Holdfast/ChatClient/backUp(to:progress:)``, without a client.
  package static func make(
    of store: URL, at folder: URL, progress: @escaping (BackupProgress) -> Void = { _ in }
  ) throws(ChatError) -> BackupReport {
    BackupReport(
      try StoreCopy.make(of: store, at: folder) { progress(BackupProgress(completed: $0, total: $1)) })
  }
}

extension ChatClient {
  /// Copies the store, with its attachments, into a new folder that only its owner can read, while everything goes on
  /// (SPEC S10). The copy is one moment of the store: the one at which it was begun. Credentials are not in it.
  ///
  /// ```swift
  /// try client.backUp(to: backups.appending(path: "alice-2026-01-31")) { progress in show(progress) }
  /// ```
  ///
  /// Blocks its caller for as long as it takes to read and write all of it, and nobody else: call it from a task of its
  /// own. It is on disk when this returns. The folder has its name once it is whole: a crash in between leaves one that
  /// ends in `.partial`.
  ///
  /// - Parameter progress: called a few times for each megabyte. What it throws ends the copying.
  /// - Throws: what `progress` throws, as it is. Otherwise ``ChatError`` with code `alreadyThere` when there is something in
  ///   the folder, or one that starts with `storage`. There is no copy then.
  @discardableResult
  public nonisolated func backUp(
    to folder: URL, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws -> BackupReport {
    try Store.telling(progress) { progress throws(ChatError) in
      BackupReport(
        try store.copy(to: folder) { try progress(BackupProgress(completed: $0, total: $1)) })
    }
  }
}
