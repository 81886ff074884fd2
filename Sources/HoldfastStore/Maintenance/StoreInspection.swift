import Foundation
import GRDB
import HoldfastCore

/// What an examination of a store found.
package struct StoreFindings: Sendable, Codable {
  package var diagnostics: StoreDiagnostics
  /// What SQLite finds wrong with the file, at most a hundred lines. Empty: nothing.
  package var damages: [String] = []
  /// Attachments that should be here, and are gone or are something else.
  package var damagedAttachments = 0
  /// Files that nothing refers to: the next launch takes them away.
  package var strayFiles = 0

  package var isHealthy: Bool { damages.isEmpty && damagedAttachments == 0 }
}

/// Looks at a store without changing what is in it.
package enum StoreInspection {
  /// - Parameter isThorough: reads the whole database and every attachment. Else only counts and sizes.
  /// - Throws: ``ChatError`` with a code that starts with `storage` when it cannot even be opened.
  package static func examine(_ folder: URL, isThorough: Bool = true) throws(ChatError) -> StoreFindings {
    try Store.typed {
      try StoreReading.open(folder) { queue in
        try queue.read { db in
          var findings = StoreFindings(diagnostics: try StoreDiagnostics(db, in: folder))
          guard isThorough else { return findings }
          findings.damages = try damages(db)
          let uses = try db.attachmentsHere()
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

  /// Lines without contents: SQLite names pages, tables and indexes. An index does not fit its table where it says so.
  package static func damages(_ db: Database) throws -> [String] {
    var damages = try db.rows("PRAGMA integrity_check(100)") { $0[0] as String }.filter { $0 != "ok" }
    let strays = try db.rows("PRAGMA foreign_key_check") { $0[0] as String }
    for (table, rows) in Dictionary(grouping: strays, by: { $0 }).sorted(by: { $0.key < $1.key }) {
      damages.append("\(rows.count) rows of \(table) refer to something that is not there")
    }
    return damages
  }
}
