import Foundation
import GRDB
import KeptDatabases
import Testing

@testable import ChatServer

/// The database of a server of an earlier version.
struct EarlierServer: Sendable, CustomTestStringConvertible {
  /// One for each version except the present one.
  static let all = (1..<ServerSchema.version).map(EarlierServer.init(version:))

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("EarlierServers", isDirectory: true)

  let version: Int

  var testDescription: String { "version \(version)" }
  var database: KeptDatabase { KeptDatabase(version: "\(version)", in: Self.folder) }

  /// Copies the database to the server's folder.
  func copy(to folder: URL) throws { try database.copy(to: folder.appendingPathComponent("server.sqlite")) }

  /// The frozen tables.
  func makeSchema(_ db: Database) throws {
    for statements in ServerSchema.versions[..<version] { try db.execute(sql: statements) }
    try db.execute(sql: "PRAGMA application_id = \(ServerSchema.applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }
}
