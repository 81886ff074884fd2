import Foundation
import GRDB
import HoldfastCore

extension StoreDiagnostics {
  /// Whether a version of SQLite has the fault: versions from 3.7.0 on, before 3.51.3. True for an unreadable
  /// version.
  package static func hasJournalResetFault(_ version: String) -> Bool {
    let parts = version.split(separator: ".").compactMap { Int($0) }
    guard parts.count >= 2 else { return true }
    let number = parts[0] * 1_000_000 + parts[1] * 1_000 + (parts.count > 2 ? parts[2] : 0)
    return number >= 3_007_000 && number < 3_051_003
  }

  /// - Parameter folder: the folder of the store.
  package init(_ reading: Reading, in folder: URL) throws {
    let files = FolderContents(folder)
    let version = try reading.value("SELECT sqlite_version()") ?? ""
    let applied = try Schema.migrator.appliedIdentifiers(reading.database)
    let pageSize: Int64 = try reading.value("PRAGMA page_size") ?? 0
    let openPermissions = files.openPermissions
    self.init(
      location: folder, sqliteVersion: version, hasJournalResetFault: Self.hasJournalResetFault(version),
      schemaVersion: Schema.migrator.migrations.last { applied.contains($0) } ?? "0",
      databaseBytes: files.byteCount(Store.fileName), journalBytes: files.byteCount(Store.journalName),
      attachmentBytes: files.byteCount(under: "attachments/"),
      freeBytes: pageSize * (try reading.value("PRAGMA freelist_count") ?? 0),
      isCompactionDue: try reading.compaction.remnants() > 0,
      hasReserve: files.names.contains(Reserve.name), isShared: files.names.contains(FileLock.write),
      isPrivate: openPermissions.isEmpty, openPermissions: openPermissions,
      conversations: try Self.count(reading, "conversation"), messages: try Self.count(reading, "message"),
      unsent: try Self.count(reading, "outbox WHERE messageID IS NOT NULL"),
      failed: try Self.count(reading, "outbox WHERE messageID IS NOT NULL AND parkedCode IS NOT NULL"),
      drafts: try Self.count(reading, "draft"), attachments: try Self.count(reading, "attachment"))
  }

  private static func count(_ reading: Reading, _ rows: String) throws -> Int {
    try reading.value("SELECT count(*) FROM \(rows)") ?? 0
  }
}
