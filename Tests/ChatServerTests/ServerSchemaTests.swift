import Foundation
import GRDB
import Holdfast
import KeptDatabases
import Testing

@testable import ChatServer

@Suite struct ServerSchemaTests {
  private func newFolder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "chat-server-\(ChatEnvironment().makeID())")
  }

  private func read<Value>(_ folder: URL, _ body: (Database) throws -> Value) throws -> Value {
    try DatabaseQueue(path: folder.appending(path: "server.sqlite").path).read(body)
  }

  // S5.2
  @Test(arguments: EarlierServer.all)
  func `each earlier version of the server is kept as a file, and has the schema that was frozen`(
    _ earlier: EarlierServer
  ) throws {
    try #require(
      earlier.database.isThere,
      "Version \(earlier.version) has no file. CONTRIBUTING.md says how one is made.")
    let folder = newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try earlier.copy(to: folder)
    let frozen = try DatabaseQueue()
    try frozen.write(earlier.makeSchema)

    let (kept, settings) = try read(folder) { db in
      (
        try db.schemaObjects(),
        try ["application_id", "user_version", "journal_mode", "auto_vacuum"].map(db.pragma)
      )
    }

    #expect(try frozen.read { try $0.schemaObjects() } == kept)
    #expect(settings == [["\(ServerSchema.applicationID)"], ["\(earlier.version)"], ["wal"], ["2"]])
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["HOLDFAST_WRITE_STORES"] != nil))
  func `the files of earlier versions of the server that are missing are written`() throws {
    let folder = newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for earlier in EarlierServer.all where !earlier.database.isThere {
      try earlier.database.write(by: folder) { try $0.write(earlier.makeSchema) }
    }
  }

  // S5.2
  @Test(arguments: EarlierServer.all)
  func `an earlier version of the server becomes what a new one is, whole and sound`(
    _ earlier: EarlierServer
  ) async throws {
    let (folder, new) = (newFolder(), newFolder())
    defer { for folder in [folder, new] { try? FileManager.default.removeItem(at: folder) } }
    try earlier.copy(to: folder)

    let servers = [try await Bench(folder: folder, accounts: []), try await Bench(folder: new, accounts: [])]
    for bench in servers { await bench.server.stop() }

    let (faults, schema, version) = try read(folder) { db in
      (try db.faults(), try db.schemaObjects(), try db.pragma("user_version"))
    }
    #expect(faults == [])
    #expect(try schema == read(new) { try $0.schemaObjects() })
    #expect(version == ["\(ServerSchema.version)"])
  }

  // S5.1, S5.2
  @Test(arguments: EarlierServer.all)
  func `every row of an earlier version of the server is there afterwards, with all that was in it`(
    _ earlier: EarlierServer
  ) async throws {
    let folder = newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try earlier.copy(to: folder)
    let before = try read(folder) { db in
      try db.columnsByTable().map { ($0, $1, try db.rows(of: $0, $1)) }
    }

    try await Bench(folder: folder, accounts: []).server.stop()

    for (table, columns, rows) in before {
      let after = try read(folder) { try $0.rows(of: table, columns) }
      #expect(!rows.isEmpty, "The file has no row in \(table).")
      #expect(rows.subtracting(after).isEmpty, "\(table)")
    }
  }

  // S5.1
  @Test(arguments: EarlierServer.all)
  func `a crash while the tables are changed leaves the version that was there`(
    _ earlier: EarlierServer
  ) async throws {
    let folder = newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try earlier.copy(to: folder)
    let gate = Gate()
    gate.failure = .beforeCommit
    await #expect(throws: ServerError.stopped) {
      try await Bench(gate: gate.gate, folder: folder, accounts: [])
    }
    #expect(try read(folder) { try $0.pragma("user_version") } == ["\(earlier.version)"])
    let server = try await Bench(folder: folder, accounts: []).server
    #expect(try await server.messages(in: "notes").map(\.text) == ["Buy gas 🔥", "Be brief.", "{}"])
  }
}
