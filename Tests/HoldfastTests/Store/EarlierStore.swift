import Foundation
import GRDB
import Testing

@testable import Holdfast

/// A store as an earlier version of the schema left it, with rows of every kind that it had: `version-1.sqlite` and
/// so on, made once and never again. The text beside it says what is in it. The files that it names lie in
/// `attachments`.
struct EarlierStore: Sendable, CustomTestStringConvertible {
  /// One for each version but the present one.
  static let all = Schema.migrator.migrations.dropLast().map(EarlierStore.init(version:))

  let version: String

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("EarlierStores", isDirectory: true)

  var testDescription: String { "version \(version)" }
  var file: URL { Self.folder.appendingPathComponent("version-\(version).sqlite") }
  private var contents: URL { Self.folder.appendingPathComponent("version-\(version).sql") }
  private static var attachments: URL { folder.appendingPathComponent("attachments", isDirectory: true) }

  /// Puts it where the engine looks for it, as private as the engine made it.
  func copy(to folder: URL) throws {
    try makePrivateFolder(folder)
    try Self.copy(file, to: folder.appendingPathComponent(Store.fileName))
    let attachments = AttachmentFolder(in: folder).url
    try makePrivateFolder(attachments)
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.attachments.path) {
      try Self.copy(
        Self.attachments.appendingPathComponent(name), to: attachments.appendingPathComponent(name))
    }
  }

  private static func copy(_ file: URL, to place: URL) throws {
    try FileManager.default.copyItem(at: file, to: place)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.path)
  }

  /// Makes the file, with the schema as it was frozen and what the text says.
  func write(by scratch: URL) throws {
    let made = scratch.appendingPathComponent(file.lastPathComponent)
    let pool = try openDurableDatabase(at: made, label: "holdfast")
    try Schema.migrator.migrate(pool, upTo: version)
    let rows = try String(contentsOf: contents, encoding: .utf8)
    try pool.write { try $0.execute(sql: rows) }
    // The pool closes its readers last, and those cannot write back what the writer left.
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try pool.close()
    try FileManager.default.copyItem(at: made, to: file)
  }
}
