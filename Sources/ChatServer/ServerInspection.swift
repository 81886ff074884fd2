import Foundation
import GRDB
import HoldfastCore
import HoldfastStore

/// The findings of an examination of a server's folder.
package struct ServerFindings: Sendable, Codable {
  package var location: URL
  package var schemaVersion: Int
  package var databaseBytes: Int64
  package var journalBytes: Int64
  /// The bytes of the database that are unused.
  package var freeBytes: Int64
  package var attachmentBytes: Int64
  /// The number of accounts with a token.
  package var accounts: Int
  /// The number of accounts without a token.
  package var closedAccounts: Int
  package var conversations: Int
  package var messages: Int
  package var attachments: Int
  /// The files and folders that others may access, with their permissions in octal.
  package var openPermissions: [String: String]
  /// The integrity errors of the database, at most a hundred of SQLite's. Empty for an intact one.
  package var damages: [String] = []
  /// The number of attachments that should be here, and are missing or have other contents.
  package var damagedAttachments = 0
  /// The number of files that nothing refers to. The next launch removes them.
  package var strayFiles = 0

  package var isHealthy: Bool { damages.isEmpty && damagedAttachments == 0 }
}

/// Examines a server's folder without changing its contents, also while the server runs.
package enum ServerInspection {
  /// - Parameter isThorough: whether to read the whole database and every attachment. If false, only counts and
  ///   sizes are read.
  /// - Throws: ``ChatError`` with a storage code when the database cannot even be opened.
  package static func examine(_ folder: URL, isThorough: Bool = true) throws(ChatError) -> ServerFindings {
    try typed { () throws -> ServerFindings in
      try ServerRecord(folder: folder).open { queue in
        var findings = try queue.read { try self.findings(of: folder, $0) }
        if isThorough { try examineAll(queue, in: folder, &findings) }
        return findings
      }
    }
  }

  private static func examineAll(
    _ queue: DatabaseQueue, in folder: URL, _ findings: inout ServerFindings
  ) throws {
    findings.damages = try queue.read(damages)
    let known = try queue.read(Uploads.expected)
    let server = ServerFolder(in: folder)
    let audit = AttachmentAudit(
      of: server.url, holding: Set(known.files.map(ChatAttachment.Checksum.init(rawValue:))),
      parts: Set(known.parts.map { server.part(of: $0.checksum, from: $0.account).lastPathComponent }))
    // A running server may have deleted some meanwhile.
    let present = try queue.read(Uploads.expected).files
    findings.damagedAttachments = audit.missing.count { present.contains($0.rawValue) }
    findings.strayFiles = audit.stray.count
  }

  private static func findings(of folder: URL, _ db: Database) throws -> ServerFindings {
    let version = try ServerDatabase.version(of: db)
    let files = FolderContents(folder)
    func count(_ rows: String) throws -> Int {
      try Int.fetchOne(db, sql: "SELECT count(*) FROM \(rows)") ?? 0
    }
    func number(_ pragma: String) throws -> Int64 { try Int64.fetchOne(db, sql: "PRAGMA \(pragma)") ?? 0 }
    return ServerFindings(
      location: folder, schemaVersion: version,
      databaseBytes: files.byteCount(ServerDatabase.fileName),
      journalBytes: files.byteCount(ServerDatabase.fileName + "-wal"),
      freeBytes: try number("freelist_count") * number("page_size"),
      attachmentBytes: files.byteCount(under: "attachments/"),
      accounts: try count("account WHERE \(Accounts.hasToken)"),
      closedAccounts: try count("account WHERE NOT \(Accounts.hasToken)"),
      conversations: try count("conversation"), messages: try count("message"),
      attachments: try Uploads.expected(db).files.count, openPermissions: files.openPermissions)
  }

  /// The faults of the database, as lines without contents.
  private static func damages(_ db: Database) throws -> [String] {
    var damages = try String.fetchAll(db, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
    let strays = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { $0[0] as String }
    for (table, rows) in Dictionary(grouping: strays, by: { $0 }).sorted(by: { $0.key < $1.key }) {
      damages.append("\(rows.count) rows of \(table) refer to something that is not there")
    }
    let version = try ServerDatabase.version(of: db)
    let usual = try DatabaseQueue()
    try usual.write {
      for statements in ServerSchema.versions[..<version] { try $0.execute(sql: statements) }
    }
    if try schema(db) != usual.read(schema) {
      damages.append("the tables are not those of version \(version)")
    }
    return damages
  }

  private static func schema(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1
        """)
  }

  static func typed<Value>(_ body: () throws -> Value) throws(ChatError) -> Value {
    try Store.typed {
      do { return try body() } catch let error as ServerError {
        throw ChatError(
          error.code == .folderInUse ? .storageBusy : ChatError.Code(rawValue: error.code.rawValue),
          error.message)
      }
    }
  }
}
