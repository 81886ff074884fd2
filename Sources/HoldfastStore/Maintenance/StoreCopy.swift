import Foundation
import GRDB
import HoldfastCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The location and contents of a copy of a store.
package struct StoreCopyReport: Equatable, Sendable {
  package var location: URL
  package var databaseBytes: Int64 = 0
  package var attachments: Int = 0
  /// Files that were deleted, or could not be read, while the copy was made.
  package var missingAttachments: Int = 0
}

/// Copies stores, and makes stores from copies (rule S10). Progress is in bytes, of the attachments and of the
/// database together.
package enum StoreCopy {
  package typealias Progress = (_ completed: Int64, _ total: Int64) throws -> Void

  /// A kind of database with attachments beside it: a store's, or a server's.
  package struct Kind: Sendable {
    var fileName: String
    /// The attachments that the database refers to, and whose files should be there.
    var attachments: @Sendable (Database) throws -> [ChatAttachment.Checksum]
    /// Notes in the copy that it has no file of this attachment.
    var forget: @Sendable (Database, ChatAttachment.Checksum) throws -> Void

    package init(
      fileName: String, attachments: @escaping @Sendable (Database) throws -> [ChatAttachment.Checksum],
      forget: @escaping @Sendable (Database, ChatAttachment.Checksum) throws -> Void
    ) {
      (self.fileName, self.attachments, self.forget) = (fileName, attachments, forget)
    }

    static let store = Kind(
      fileName: Store.fileName,
      attachments: { Array(try Reading($0).attachments.here().filter(\.value).keys) },
      forget: { db, checksum in
        try db.execute(
          sql: "UPDATE attachment SET isHere = 0 WHERE checksum = ?", arguments: [checksum.rawValue])
      })
  }

  /// Makes a store from a copy, after the whole copy was read and found intact. An existing store is never
  /// overwritten.
  package static func restore(from backup: URL, to folder: URL, progress: @escaping Progress)
    throws(ChatError)
  {
    try Store.typed {
      try fill(folder, under: ".restoring") { new in
        guard try examined(backup).isHealthy else { throw ChatError.backupDamaged }
        var configuration = Configuration()
        configuration.readonly = true
        let source = try DatabaseQueue(
          path: backup.appendingPathComponent(Store.fileName).path, configuration: configuration)
        defer { try? source.close() }
        try StreamLog.copy(from: backup, to: new)
        let copies = try copy(.store, source, in: backup, into: new, progress)
        // The examination has just found every attachment.
        guard copies.missingAttachments == 0 else { throw ChatError.backupDamaged }
        // The restored store gets a new device ID at its first launch. Two devices with the same ID would end each
        // other's connections.
        let target = try openDurableDatabase(
          at: new.appendingPathComponent(Store.fileName), label: "holdfast.restore")
        try target.writeWithoutTransaction { db in
          try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Setting.device.name])
          _ = try db.checkpoint(.truncate)
        }
        try target.close()
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

  static func make(
    of source: any DatabaseReader, in store: URL, at folder: URL, _ progress: Progress
  ) throws -> StoreCopyReport {
    var report = try fill(folder, from: store, under: ".partial") { part in
      // The stream log is copied before the database: text that is moved meanwhile is in both, and is stored once.
      try StreamLog.copy(from: store, to: part)
      return try copy(.store, source, in: store, into: part, progress)
    }
    report.location = folder
    return report
  }

  /// Lets `body` fill a folder beside the target, named with a suffix. The folder is renamed once it is complete.
  /// Refuses a target that is not empty, and one inside the folder that is copied.
  package static func fill<Value>(
    _ folder: URL, from source: URL? = nil, under suffix: String, _ body: (URL) throws -> Value
  ) throws -> Value {
    try refuseWhatIsThere(folder)
    let inner = folder.resolvingSymlinksInPath().path
    if let outer = source?.resolvingSymlinksInPath().path, inner.hasPrefix(outer + "/") {
      throw ChatError(.alreadyThere, "\(folder.path) lies in the folder that is copied. Choose another one.")
    }
    let parent = folder.deletingLastPathComponent()
    let part = parent.appendingPathComponent(folder.lastPathComponent + suffix)
    try? FileManager.default.removeItem(at: part)
    do {
      try makePrivateFolder(part)
      let value = try body(part)
      // An empty folder is replaced. A folder that was filled meanwhile is not.
      guard rename(part.path, folder.path) == 0 else {
        throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) ? ChatError.alreadyThere(folder) : POSIXError.last
      }
      try syncFolder(parent)
      return value
    } catch {
      try? FileManager.default.removeItem(at: part)
      throw error
    }
  }

  static func refuseWhatIsThere(_ folder: URL) throws(ChatError) {
    // A file, or a dangling link, would be replaced too.
    guard (try? FileManager.default.attributesOfItem(atPath: folder.path)) != nil else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path), names.isEmpty else {
      throw .alreadyThere(folder)
    }
  }

  /// Copies one snapshot of a database, and the files that it refers to.
  package static func copy(
    _ kind: Kind, _ source: any DatabaseReader, in store: URL, into folder: URL, _ progress: Progress
  ) throws -> StoreCopyReport {
    let (attachments, target) = (AttachmentFolder(in: store), AttachmentFolder(in: folder))
    // The attachments are copied before the database, because some may be deleted while the database is copied.
    let early = try source.read(kind.attachments)
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
    let file = folder.appendingPathComponent(kind.fileName)
    try makePrivateFile(file)
    let database = try DatabaseQueue(path: file.path)
    total += try source.read { db in
      let reading = Reading(db)
      return try (reading.value("PRAGMA page_count") ?? 0) * (reading.value("PRAGMA page_size") ?? 0)
    }
    for checksum in early { try take(checksum) }
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
      let referred = try kind.attachments(db)
      for checksum in referred { try take(checksum) }
      for checksum in referred where !copied.contains(checksum) {
        report.missingAttachments += 1
        try kind.forget(db, checksum)
      }
      try target.remove(Array(copied.subtracting(referred)))
      report.attachments = copied.intersection(referred).count
    }
    if report.attachments > 0 { try target.sync() }
    try database.close()
    let synced = try OpenFile.goingOn(file)
    try synced.sync()
    try syncFolder(folder)
    report.databaseBytes = FolderContents(folder).byteCount(kind.fileName)
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
  fileprivate static func alreadyThere(_ folder: URL) -> ChatError {
    ChatError(.alreadyThere, "\(folder.path) has something in it already. Choose another folder.")
  }

  package static let backupDamaged = ChatError(
    .backupDamaged, "The backup is damaged. Nothing was restored; try another one.")
}
