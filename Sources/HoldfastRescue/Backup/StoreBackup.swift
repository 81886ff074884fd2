import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

/// The contents of a backup.
public struct BackupReport: Sendable, Codable, Hashable {
  /// The folder of the copy.
  public var location: URL
  /// The size of the copied database, in bytes.
  public var databaseBytes: Int64
  /// The number of files of attachments in the copy.
  public var attachments: Int
  /// Attachment files that were deleted or could not be read while the copy was made.
  public var missingAttachments: Int

  package init(_ report: StoreCopyReport) {
    location = report.location
    databaseBytes = report.databaseBytes
    attachments = report.attachments
    missingAttachments = report.missingAttachments
  }
}

/// The progress of a backup, in bytes: first those of the database, then those of the attachments.
public struct BackupProgress: Sendable, Hashable {
  /// The bytes that have been copied.
  public var completed: Int64
  /// The bytes of the whole store. The number may grow while the app writes.
  public var total: Int64
}

/// Backs up and restores stores (rule S10). A backup is a folder with the store's format and permissions: only its
/// owner can read it. Neither stores nor backups contain credentials.
public enum StoreBackup {
  /// Makes a store from a backup, after the whole backup has been read and verified. An existing store is never
  /// overwritten.
  ///
  /// ```swift
  /// try StoreBackup.restore(from: backup, to: .applicationSupport("alice"))
  /// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: "alice")
  /// ```
  ///
  /// The restored store counts as another device to the server. Both it and the original store may stay in use.
  /// Messages that were unsent in the backup are sent under their IDs, so that none is sent twice. Costs reading and
  /// writing the whole backup. A crash in between leaves a folder that ends in `.restoring`, which the next call
  /// replaces.
  ///
  /// - Throws: ``ChatError`` with code `backupDamaged`; `storageUnavailable` when there is no backup; `alreadyThere`
  ///   when the folder is not empty, or is a file; `storageNewer` when a newer version made the backup; or
  ///   `storageFull`. The folder is then unchanged.
  public static func restore(from backup: URL, to storage: StorageLocation) throws {
    try restore(from: backup, toFolder: try storage.resolve())
  }

  package static func restore(
    from backup: URL, toFolder folder: URL, progress: @escaping (BackupProgress) -> Void = { _ in }
  ) throws(ChatError) {
    try StoreCopy.restore(from: backup, to: folder) { progress(BackupProgress(completed: $0, total: $1)) }
  }

  /// Copies a store that other processes may be using, like ``Holdfast/ChatClient/backUp(to:progress:)`` but
  /// without a client.
  package static func make(
    of store: URL, at folder: URL, progress: @escaping (BackupProgress) -> Void = { _ in }
  ) throws(ChatError) -> BackupReport {
    BackupReport(
      try StoreCopy.make(of: store, at: folder) { progress(BackupProgress(completed: $0, total: $1)) })
  }
}

extension ChatClient {
  /// Copies the store with its attachments into a new folder, without interrupting the app (rule S10). Only the
  /// owner can read the folder. The copy is a snapshot of the moment at which it was begun. It contains no
  /// credentials.
  ///
  /// ```swift
  /// try client.backUp(to: backups.appending(path: "alice-2026-01-31")) { progress in show(progress) }
  /// ```
  ///
  /// Blocks its caller until all of the store has been read and written, and blocks no other caller: call it from
  /// its own task. The copy is on disk when this returns. The folder gets its name once it is complete: a crash in
  /// between leaves a folder that ends in `.partial`.
  ///
  /// - Parameter folder: the target of the copy: a folder that does not exist yet, or is empty.
  /// - Parameter progress: called a few times for each megabyte. An error that it throws ends the copying.
  /// - Throws: the errors of `progress`, unchanged. Otherwise ``ChatError`` with code `alreadyThere` when the folder
  ///   is not empty, or with a storage code. No copy is left then.
  @discardableResult
  public nonisolated func backUp(
    to folder: URL, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws -> BackupReport {
    try Store.reporting(progress) { progress throws(ChatError) in
      BackupReport(
        try store.copy(to: folder) { try progress(BackupProgress(completed: $0, total: $1)) })
    }
  }
}
