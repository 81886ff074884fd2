import Foundation
import KeptDatabases
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

/// A store as an earlier version of the schema left it. Its attachment files are in the folder `attachments`.
struct EarlierStore: Sendable, CustomTestStringConvertible {
  /// One store for each version except the current one.
  static let all = Schema.migrator.migrations.dropLast().map(EarlierStore.init(version:))

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("EarlierStores", isDirectory: true)

  let version: String

  /// The version as a number, for comparisons.
  var number: Int { Int(version) ?? 0 }
  var testDescription: String { "version \(version)" }
  var database: KeptDatabase { KeptDatabase(version: version, in: Self.folder) }
  private static var attachments: URL { folder.appendingPathComponent("attachments", isDirectory: true) }

  /// Copies the store to the place where the engine looks for it.
  func copy(to folder: URL) throws {
    try database.copy(to: folder.appendingPathComponent(Store.fileName))
    let attachments = AttachmentFolder(in: folder).url
    try makePrivateFolder(attachments)
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.attachments.path) {
      try KeptDatabase.copy(
        Self.attachments.appendingPathComponent(name), to: attachments.appendingPathComponent(name))
    }
  }
}
