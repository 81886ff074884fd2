import Foundation
import GRDB
import HoldfastCore
import HoldfastStore

/// Copies a server's folder, also while the server runs, and restores folders from copies.
package enum ServerCopy {
  /// The gap that a restored log leaves after the cursors of the copy. The server continued after the copy was made,
  /// so clients have cursors that the copy does not know. None of those is issued a second time.
  private static let skippedCursors: Int64 = 1 << 32

  private static let kind = StoreCopy.Kind(
    fileName: ServerDatabase.fileName,
    attachments: { try Uploads.expected($0).files.map(ChatAttachment.Checksum.init(rawValue:)) },
    // An account that has the file uploads it again.
    forget: { try $0.execute(sql: "DELETE FROM upload WHERE checksum = ?", arguments: [$1.rawValue]) })

  /// Copies one snapshot of the database, and the attachments that it refers to. Unfinished uploads are left out.
  /// Only the owner can read the copy. The folder gets its name once it is complete: a crash in between leaves a
  /// folder that ends in `.partial`.
  ///
  /// - Throws: ``ChatError`` with code `alreadyThere` when `folder` is not empty, or with
  ///   a storage code. No copy is left then.
  @discardableResult
  package static func make(
    of server: URL, at folder: URL, progress: @escaping StoreCopy.Progress
  ) throws(ChatError) -> StoreCopyReport {
    try ServerInspection.typed {
      try ServerRecord(folder: server).open { source in
        _ = try source.read(ServerDatabase.version)
        var report = try StoreCopy.fill(folder, from: server, under: ".partial") {
          try StoreCopy.copy(kind, source, in: server, into: $0, progress)
        }
        report.location = folder
        return report
      }
    }
  }

  /// Restores a server's folder from a copy, after the whole copy was read and found intact. An existing folder is
  /// never overwritten. A crash in between leaves a folder that ends in `.restoring`, which the next call replaces.
  ///
  /// - Throws: ``ChatError`` with code `backupDamaged`; `storageBusy` when a server is running on `folder`;
  ///   `alreadyThere` when it is not empty; or a storage code. The folder is then unchanged.
  package static func restore(
    from backup: URL, to folder: URL, progress: @escaping StoreCopy.Progress
  ) throws(ChatError) {
    try ServerInspection.typed {
      try ServerDatabase.refuseWhatIsServed(folder)
      try StoreCopy.fill(folder, under: ".restoring") { new in
        guard try ServerInspection.examine(backup).isHealthy else { throw ChatError.backupDamaged }
        let copies = try ServerRecord(folder: backup).open {
          try StoreCopy.copy(kind, $0, in: backup, into: new, progress)
        }
        guard copies.missingAttachments == 0 else { throw ChatError.backupDamaged }
        let target = try openDurableDatabase(
          at: new.appending(path: ServerDatabase.fileName), label: "holdfast.restore")
        try target.write { db in
          let last = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
          try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'event'")
          try db.execute(
            sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)",
            arguments: [last + skippedCursors])
        }
        try target.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try target.close()
      }
    }
  }
}

extension Uploads {
  /// The checksums of all files that the folder should have, and the unfinished uploads. A database of the first
  /// versions has none.
  static func expected(_ db: Database) throws -> (files: Set<String>, parts: [Upload]) {
    try db.tableExists("upload") ? Uploads(db: db).known() : ([], [])
  }
}
