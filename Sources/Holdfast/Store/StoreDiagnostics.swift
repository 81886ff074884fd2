import Foundation
import GRDB

/// How a store is doing: versions, sizes, counts, permissions and place. Never contents (SPEC S6, H6).
///
/// ```swift
/// let diagnostics = try client.storeDiagnostics()
/// report(diagnostics.databaseBytes + diagnostics.journalBytes + diagnostics.attachmentBytes)
/// ```
public struct StoreDiagnostics: Sendable, Codable, Hashable {
  /// The folder.
  public var location: URL
  public var sqliteVersion: String
  /// SQLite 3.7.0 to 3.51.2 may damage a database when two connections checkpoint it at the same instant (SPEC S2). The
  /// engine keeps them apart; other programs that open the file do not.
  public var hasJournalResetFault: Bool
  public var schemaVersion: String
  public var databaseBytes: Int64
  public var journalBytes: Int64
  public var attachmentBytes: Int64
  /// Within the database, and given back to the disk by ``ChatClient/enterBackground()``.
  public var freeBytes: Int64
  /// What is given up for the last draft when the disk is full is there.
  public var hasReserve: Bool
  /// Several processes use it (``StorageLocation/shared()``).
  public var isShared: Bool
  /// Nobody else can read or write folder, database, journal or attachments.
  public var isPrivate: Bool
  /// The permissions of what is not private, by name, as `0644`.
  public var openPermissions: [String: String]
  public var conversations: Int
  public var messages: Int
  /// Messages that the server has not confirmed, failed ones included.
  public var unsent: Int
  public var failed: Int
  public var drafts: Int
  public var attachments: Int
}

extension StoreDiagnostics {
  /// Versions of SQLite from 3.7.0 on and before 3.51.3.
  static func hasJournalResetFault(_ version: String) -> Bool {
    let parts = version.split(separator: ".").compactMap { Int($0) }
    guard parts.count >= 2 else { return true }
    let number = parts[0] * 1_000_000 + parts[1] * 1_000 + (parts.count > 2 ? parts[2] : 0)
    return number >= 3_007_000 && number < 3_051_003
  }

  /// - Parameter folder: a store's.
  init(_ db: Database, in folder: URL) throws {
    let files = FolderContents(folder)
    location = folder
    sqliteVersion = try db.row("SELECT sqlite_version()")?[0] ?? ""
    hasJournalResetFault = Self.hasJournalResetFault(sqliteVersion)
    let applied = try Schema.migrator.appliedIdentifiers(db)
    schemaVersion = Schema.migrator.migrations.last { applied.contains($0) } ?? "0"
    databaseBytes = files.byteCount(Store.fileName)
    journalBytes = files.byteCount(Store.journalName)
    attachmentBytes = files.byteCount(under: "attachments/")
    let pageSize: Int64 = try db.row("PRAGMA page_size")?[0] ?? 0
    freeBytes = pageSize * (try db.row("PRAGMA freelist_count")?[0] ?? 0)
    hasReserve = files.names.contains(Reserve.name)
    isShared = files.names.contains(FileLock.write)
    openPermissions = files.openPermissions
    isPrivate = openPermissions.isEmpty
    conversations = try db.count("conversation")
    messages = try db.count("message")
    unsent = try db.count("outbox WHERE messageID IS NOT NULL")
    failed = try db.count("outbox WHERE messageID IS NOT NULL AND parkedCode IS NOT NULL")
    drafts = try db.count("draft")
    attachments = try db.count("attachment")
  }
}

extension Database {
  fileprivate func count(_ rows: String) throws -> Int { try row("SELECT count(*) FROM \(rows)")?[0] ?? 0 }
}

/// The files of a store, as they are at one moment.
struct FolderContents {
  private let folder: URL
  let names: [String]

  init(_ folder: URL) {
    self.folder = folder
    names = (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted()
  }

  func byteCount(_ name: String) -> Int64 {
    (try? FileStatus(of: folder.appendingPathComponent(name)).byteCount) ?? 0
  }

  func byteCount(under prefix: String) -> Int64 {
    names.filter { $0.hasPrefix(prefix) }.reduce(0) { $0 + byteCount($1) }
  }

  /// Of the folder itself, and of what is in it, if others can do something with it.
  var openPermissions: [String: String] {
    var open: [String: String] = [:]
    for name in ["."] + names {
      guard let status = try? FileStatus(of: folder.appendingPathComponent(name)),
        status.permissions & 0o077 != 0
      else { continue }
      open[name] = "0" + String(status.permissions, radix: 8)
    }
    return open
  }
}

extension ChatClient {
  /// How the store is doing. Costs a pass over the index of each table, and a look at each file: some milliseconds for
  /// 100,000 messages.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`, or `suspended`.
  public nonisolated func storeDiagnostics() throws(ChatError) -> StoreDiagnostics {
    try store.read { try StoreDiagnostics($0, in: store.folder) }
  }
}
