import Foundation
import GRDB

/// What a backup has.
public struct BackupReport: Sendable, Codable, Hashable {
  public var location: URL
  public var databaseBytes: Int64 = 0
  public var attachments: Int = 0
  /// Files that were deleted, or could not be read, while the copy was made.
  public var missingAttachments: Int = 0
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
    try Store.typed {
      try refuseWhatIsThere(folder)
      let findings = try examined(backup)
      guard findings.isHealthy else { throw ChatError.backupDamaged }
      let new = folder.deletingLastPathComponent()
        .appendingPathComponent(folder.lastPathComponent + ".restoring")
      try? FileManager.default.removeItem(at: new)
      do {
        try makePrivateFolder(new)
        var configuration = Configuration()
        configuration.readonly = true
        let source = try DatabaseQueue(
          path: backup.appendingPathComponent(Store.fileName).path, configuration: configuration)
        defer { try? source.close() }
        let copies = try copy(source, AttachmentFolder(in: backup), into: new, progress)
        // It was whole a moment ago.
        guard copies.missingAttachments == 0 else { throw ChatError.backupDamaged }
        // Two that call themselves the same would end each other's connections.
        let target = try openDurableDatabase(
          at: new.appendingPathComponent(Store.fileName), label: "holdfast.restore")
        try target.writeWithoutTransaction { db in
          try db.execute(sql: "DELETE FROM setting WHERE name = 'device'")
          _ = try db.checkpoint(.truncate)
        }
        try target.close()
        // An empty folder is no store.
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.moveItem(at: new, to: folder)
        try syncFolder(folder.deletingLastPathComponent())
      } catch {
        try? FileManager.default.removeItem(at: new)
        throw error
      }
    }
  }

  private static func examined(_ backup: URL) throws(ChatError) -> StoreFindings {
    do throws(ChatError) {
      return try StoreInspection.examine(backup)
    } catch {
      let isNoBackup = [.storageDamaged, .storageUnavailable, .storageFailed].contains(error.code)
      throw isNoBackup ? .backupDamaged : error
    }
  }

  /// A copy of a store that others may be using: as ``ChatClient/backUp(to:progress:)``, without a client.
  package static func make(
    of store: URL, at folder: URL, progress: @escaping (BackupProgress) -> Void = { _ in }
  ) throws(ChatError) -> BackupReport {
    try Store.typed {
      try StoreReading.open(store) { try make(of: $0, AttachmentFolder(in: store), at: folder, progress) }
    }
  }

  /// In a folder beside it, which gets its name once it is whole.
  static func make(
    of source: any DatabaseReader, _ attachments: AttachmentFolder, at folder: URL,
    _ progress: (BackupProgress) throws -> Void
  ) throws -> BackupReport {
    try refuseWhatIsThere(folder)
    let part = folder.deletingLastPathComponent()
      .appendingPathComponent(folder.lastPathComponent + ".partial")
    try? FileManager.default.removeItem(at: part)
    do {
      try makePrivateFolder(part)
      var report = try copy(source, attachments, into: part, progress)
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.moveItem(at: part, to: folder)
      try syncFolder(folder.deletingLastPathComponent())
      report.location = folder
      return report
    } catch {
      try? FileManager.default.removeItem(at: part)
      throw error
    }
  }

  static func refuseWhatIsThere(_ folder: URL) throws(ChatError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard names.isEmpty else {
      throw ChatError(.alreadyThere, "There is something in the folder already. Choose another one.")
    }
  }

  /// One snapshot of the database, and the files that it refers to.
  static func copy(
    _ source: any DatabaseReader, _ attachments: AttachmentFolder, into folder: URL,
    _ progress: (BackupProgress) throws -> Void
  ) throws -> BackupReport {
    let target = AttachmentFolder(in: folder)
    // Those that are deleted while the database is copied are copied before.
    let early = try source.read { try $0.attachmentsHere() }
    var total = FolderContents(attachments.url).byteCount(under: "")
    var completed: Int64 = 0
    var copied: Set<AttachmentChecksum> = []
    func take(_ checksum: AttachmentChecksum) throws {
      guard checksum.isWellFormed, !copied.contains(checksum), try attachments.copy(checksum, to: target)
      else {
        return
      }
      copied.insert(checksum)
      completed += FolderContents(target.url).byteCount(checksum.rawValue)
      try progress(BackupProgress(completed: completed, total: max(total, completed)))
    }
    let file = folder.appendingPathComponent(Store.fileName)
    try makePrivateFile(file)
    let database = try DatabaseQueue(path: file.path)
    total += try source.read { db in
      (try db.row("PRAGMA page_count")?[0] as Int64? ?? 0)
        * (try db.row("PRAGMA page_size")?[0] as Int64? ?? 0)
    }
    for (checksum, isHere) in early where isHere { try take(checksum) }
    let before = completed
    try withoutActuallyEscaping(progress) { progress in
      try source.backup(to: database, pagesPerStep: 256) { step in
        let share =
          step.totalPageCount > 0 ? Double(step.completedPageCount) / Double(step.totalPageCount) : 1
        completed = before + Int64(share * Double(max(0, total - before)))
        try progress(BackupProgress(completed: min(completed, total), total: total))
      }
    }
    var report = BackupReport(location: folder)
    try database.writeWithoutTransaction { db in
      let referred = try db.attachmentsHere().filter(\.value).keys
      for checksum in referred { try take(checksum) }
      for checksum in referred where !copied.contains(checksum) {
        report.missingAttachments += 1
        try db.execute(
          sql: "UPDATE attachment SET isHere = 0 WHERE checksum = ?", arguments: [checksum.rawValue])
      }
      try target.remove(Array(copied.subtracting(referred)))
      report.attachments = copied.intersection(referred).count
    }
    if report.attachments > 0 { try target.sync() }
    try database.close()
    let synced = try OpenFile.goingOn(file)
    try synced.sync()
    try syncFolder(folder)
    report.databaseBytes = FolderContents(folder).byteCount(Store.fileName)
    try progress(BackupProgress(completed: total, total: total))
    return report
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
      try store.access { try StoreBackup.make(of: $0, store.attachments, at: folder, progress) }
    }
  }
}

extension ChatError {
  fileprivate static let backupDamaged = ChatError(
    .backupDamaged, "The backup is damaged, or is none. Nothing was restored; try another one.")
}
