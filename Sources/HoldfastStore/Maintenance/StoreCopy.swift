import Foundation
import GRDB
import HoldfastCore

/// The location and contents of a copy of a store.
package struct StoreCopyReport: Equatable, Sendable {
  package var location: URL
  package var databaseBytes: Int64 = 0
  package var attachments: Int = 0
  /// Files that were deleted, or could not be read, while the copy was made.
  package var missingAttachments: Int = 0
}

/// Makes copies of a store, and stores from copies (SPEC S10). Progress is in bytes, of the attachments and of
/// the database together.
package enum StoreCopy {
  package typealias Progress = (_ completed: Int64, _ total: Int64) throws -> Void

  /// Makes a store from a copy, after all of the copy has been read and found whole. An existing store is never
  /// overwritten.
  package static func restore(from backup: URL, to folder: URL, progress: @escaping Progress)
    throws(ChatError)
  {
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
        let copies = try copy(source, in: backup, into: new, progress)
        // The examination has just found every attachment.
        guard copies.missingAttachments == 0 else { throw ChatError.backupDamaged }
        // The restored store gets a new device ID at its first launch. Two devices with the same ID would end
        // each other's connections.
        let target = try openDurableDatabase(
          at: new.appendingPathComponent(Store.fileName), label: "holdfast.restore")
        try target.writeWithoutTransaction { db in
          try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Setting.device.name])
          _ = try db.checkpoint(.truncate)
        }
        try target.close()
        // An empty folder at the target is not a store, and may go.
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
      switch error.code {
      case .storageUnavailable: throw .missing("backup", in: backup)
      case .storageDamaged, .storageFailed: throw .backupDamaged
      default: throw error
      }
    }
  }

  /// Copies a store that other processes may be using.
  package static func make(of store: URL, at folder: URL, progress: @escaping Progress) throws(ChatError)
    -> StoreCopyReport
  {
    try Store.typed {
      try StoreReading.open(store) { try make(of: $0, in: store, at: folder, progress) }
    }
  }

  /// Makes the copy in a folder beside the target. That folder gets its name once the copy is whole.
  static func make(
    of source: any DatabaseReader, in store: URL, at folder: URL, _ progress: Progress
  ) throws -> StoreCopyReport {
    try refuseWhatIsThere(folder)
    let (inner, outer) = (folder.resolvingSymlinksInPath().path, store.resolvingSymlinksInPath().path)
    guard !inner.hasPrefix(outer + "/") else {
      throw ChatError(.alreadyThere, "\(folder.path) lies in the folder that is copied. Choose another one.")
    }
    let part = folder.deletingLastPathComponent()
      .appendingPathComponent(folder.lastPathComponent + ".partial")
    try? FileManager.default.removeItem(at: part)
    do {
      try makePrivateFolder(part)
      var report = try copy(source, in: store, into: part, progress)
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
    // Also a file, or a link to nothing, would be replaced.
    guard (try? FileManager.default.attributesOfItem(atPath: folder.path)) != nil else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path), names.isEmpty else {
      throw ChatError(.alreadyThere, "\(folder.path) has something in it already. Choose another folder.")
    }
  }

  /// Copies one snapshot of the database of a store, and the files that it refers to.
  static func copy(
    _ source: any DatabaseReader, in store: URL, into folder: URL, _ progress: Progress
  ) throws -> StoreCopyReport {
    let (attachments, target) = (AttachmentFolder(in: store), AttachmentFolder(in: folder))
    // The tail is copied before the database: words that are moved meanwhile are in both, and are stored once.
    try StreamTail.copy(from: store, to: folder)
    // The attachments are copied before the database, because some may be deleted while the database is copied.
    let early = try source.read { try Reading($0).attachments.here() }
    var total = FolderContents(attachments.url).byteCount(under: "")
    var completed: Int64 = 0
    var copied: Set<ChatAttachment.Checksum> = []
    func take(_ checksum: ChatAttachment.Checksum) throws {
      guard checksum.isWellFormed, !copied.contains(checksum), try attachments.copy(checksum, to: target)
      else {
        return
      }
      copied.insert(checksum)
      completed += FolderContents(target.url).byteCount(checksum.rawValue)
      try progress(completed, max(total, completed))
    }
    let file = folder.appendingPathComponent(Store.fileName)
    try makePrivateFile(file)
    let database = try DatabaseQueue(path: file.path)
    total += try source.read { db in
      let reading = Reading(db)
      return try (reading.value("PRAGMA page_count") ?? 0) * (reading.value("PRAGMA page_size") ?? 0)
    }
    for (checksum, isHere) in early where isHere { try take(checksum) }
    let before = completed
    try withoutActuallyEscaping(progress) { progress in
      try source.backup(to: database, pagesPerStep: 256) { step in
        let share =
          step.totalPageCount > 0 ? Double(step.completedPageCount) / Double(step.totalPageCount) : 1
        completed = before + Int64(share * Double(max(0, total - before)))
        try progress(min(completed, total), total)
      }
    }
    var report = StoreCopyReport(location: folder)
    try database.writeWithoutTransaction { db in
      let referred = try Reading(db).attachments.here().filter(\.value).keys
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
    try progress(total, total)
    return report
  }
}

extension Store {
  /// Copies the store as it is when the copy begins. Other calls go on meanwhile.
  package func copy(to folder: URL, progress: @escaping StoreCopy.Progress) throws(ChatError)
    -> StoreCopyReport
  {
    try access { try StoreCopy.make(of: $0, in: self.folder, at: folder, progress) }
  }
}

extension ChatError {
  fileprivate static let backupDamaged = ChatError(
    .backupDamaged, "The backup is damaged. Nothing was restored; try another one.")
}
