import Foundation
import GRDB
import HoldfastCore
import HoldfastStore

/// A database of an earlier version of its schema, with rows of every kind: `version-1.sqlite` and so on, made once.
/// The text beside it describes its contents.
package struct KeptDatabase: Sendable {
  package let version: String
  private let folder: URL

  package init(version: String, in folder: URL) { (self.version, self.folder) = (version, folder) }

  package var file: URL { folder.appendingPathComponent("version-\(version).sqlite") }
  private var contents: URL { folder.appendingPathComponent("version-\(version).sql") }
  package var isThere: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Copies the database to its location, with its original permissions.
  package func copy(to place: URL) throws {
    try makePrivateFolder(place.deletingLastPathComponent())
    try Self.copy(file, to: place)
  }

  package static func copy(_ file: URL, to place: URL) throws {
    try FileManager.default.copyItem(at: file, to: place)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.path)
  }

  /// Makes the file, with the frozen schema and the contents described in the text.
  package func write(by scratch: URL, schema: (DatabasePool) throws -> Void) throws {
    let made = scratch.appendingPathComponent(file.lastPathComponent)
    let pool = try openDurableDatabase(at: made, label: "kept")
    try schema(pool)
    let rows = try String(contentsOf: contents, encoding: .utf8)
    try pool.write { try $0.execute(sql: rows) }
    // The pool closes its readers last, and those cannot checkpoint the writer's journal.
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try pool.close()
    try FileManager.default.copyItem(at: made, to: file)
  }
}
