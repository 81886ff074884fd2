import Foundation
import GRDB
import Holdfast
import Testing

@testable import ChatServer

@Suite struct ServerSchemaTests {
  /// A folder with the database of an earlier version, as its server left it.
  private func folder(version: Int, _ rows: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    try makePrivateFolder(folder)
    let file = folder.appending(path: "server.sqlite").path
    let queue = try DatabaseQueue(path: file)
    try queue.write { db in
      for statements in ServerSchema.versions[..<version] { try db.execute(sql: statements) }
      try db.execute(sql: "PRAGMA application_id = \(ServerSchema.applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(version)")
      try db.execute(sql: rows)
    }
    try queue.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return folder
  }

  private static let rows = """
    INSERT INTO account VALUES ('alice', x'\(String(repeating: "00", count: 32))');
    INSERT INTO conversation VALUES ('c', 'Plans', 2);
    INSERT INTO member VALUES ('c', 'alice', 0);
    INSERT INTO message VALUES ('m1', 'c', 'alice', 'user', 'one', NULL, 1, 7),
      ('m2', 'c', 'alice', 'assistant', 'two', 'because', 2, 8);
    INSERT INTO event VALUES (3, 'c', NULL), (5, 'c', 'm1'), (9, 'c', 'm2');
    """

  @Test func `version 1 keeps its accounts, messages and cursors, and takes operations`() async throws {
    let folder = try folder(version: 1, Self.rows)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try await Bench(folder: folder, accounts: ["alice"])
    let alice = try await bench.connect("alice")
    let page = try #require(await alice.say(.hello(.init(after: nil))).pages.first)
    #expect(page.cursor == 9)
    #expect(page.items.compactMap(\.conversation).map(\.title) == ["Plans"])
    #expect(
      page.items.compactMap(\.message) == [
        .init(
          id: "m1", conversation: "c", sender: "alice", role: "user", body: "one", reasoning: nil, order: 1,
          at: 7),
        .init(
          id: "m2", conversation: "c", sender: "alice", role: "assistant", body: "two", reasoning: "because",
          order: 2, at: 8),
      ])
    let edit = Wire.Outgoing(
      id: "o", conversation: "c", members: nil, title: nil, role: "user", body: "eins", reasoning: nil, at: 5,
      predecessor: "m2", handover: 1, operation: .init(kind: "edit", target: "m1"))
    let answer = await alice.send(edit)
    #expect(answer.receipts.map(\.revision) == [1])
    #expect(answer.pages.map(\.cursor) == [10])
  }

  @Test func `a crash while the tables are changed leaves the version that was there`() async throws {
    let folder = try folder(version: 1, Self.rows)
    defer { try? FileManager.default.removeItem(at: folder) }
    let gate = Gate()
    gate.failure = .beforeCommit
    await #expect(throws: ServerError.stopped) { try await Bench(gate: gate, folder: folder, accounts: []) }
    let server = try await Bench(folder: folder, accounts: []).server
    #expect(try await server.messages(in: "c").map(\.body) == ["one", "two"])
  }
}
