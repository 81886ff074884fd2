import Foundation
import GRDB
import HoldfastCore

/// The findings of an examination of a store.
package struct StoreFindings: Sendable, Codable {
  package var diagnostics: StoreDiagnostics
  /// The faults that SQLite finds in the file, at most a hundred lines. Empty when there are none.
  package var damages: [String] = []
  /// The number of attachments that should be here, and are missing or have other contents.
  package var damagedAttachments = 0
  /// The number of files that nothing refers to. The next launch removes them.
  package var strayFiles = 0

  package var isHealthy: Bool { damages.isEmpty && damagedAttachments == 0 }
}

/// Examines a store without changing its contents.
package enum StoreInspection {
  /// - Parameter isThorough: whether to read the whole database and every attachment. If false, only counts and
  ///   sizes are read.
  /// - Throws: ``ChatError`` with a storage code when the store cannot even be opened, and
  ///   `storageLocked` when the device is locked meanwhile.
  package static func examine(_ folder: URL, isThorough: Bool = true) throws(ChatError) -> StoreFindings {
    let findings = try findings(folder, isThorough: isThorough)
    // SQLite's check and the comparison of attachments list an unreadable page or file as a damaged one.
    if !findings.isHealthy, Store.isProtected(StoreReading.file(in: folder)) { throw .locked }
    return findings
  }

  private static func findings(_ folder: URL, isThorough: Bool) throws(ChatError) -> StoreFindings {
    try Store.typed {
      try StoreReading.open(folder) { queue in
        try queue.read { db in
          let reading = Reading(db)
          var findings = StoreFindings(diagnostics: try StoreDiagnostics(reading, in: folder))
          guard isThorough else { return findings }
          findings.damages = try damages(reading)
          let uses = try reading.attachments.here()
          let attachments = AttachmentFolder(in: folder)
          let audit = AttachmentAudit(
            of: attachments.url, holding: Set(uses.filter(\.value).keys),
            parts: Set(uses.filter { !$0.value }.map { attachments.part(of: $0.key).lastPathComponent }))
          findings.damagedAttachments = audit.missing.count
          findings.strayFiles = audit.stray.count
          return findings
        }
      }
    }
  }

  /// The faults of the database, as lines without contents: SQLite names only pages, tables and indexes. A line that
  /// names an index reports that the index does not match its table.
  static func damages(_ reading: Reading) throws -> [String] {
    var damages: [String] = try reading.values("PRAGMA integrity_check(100)").filter { $0 != "ok" }
    let strays: [String] = try reading.values("PRAGMA foreign_key_check")
    for (table, rows) in Dictionary(grouping: strays, by: { $0 }).sorted(by: { $0.key < $1.key }) {
      damages.append("\(rows.count) rows of \(table) refer to something that is not there")
    }
    return damages
  }
}
