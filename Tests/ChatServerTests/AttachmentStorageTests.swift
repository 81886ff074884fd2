import Foundation
import GRDB
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

private typealias Example = AttachmentExample

/// The files of attachments beside the database (rules O13, S9).
@Suite struct AttachmentStorageTests {
  // O13.3
  @Test(arguments: [Gate.Failure.beforeCommit, .afterCommit])
  func `a crash at the last piece leaves an attachment that can be brought again`(_ failure: Gate.Failure)
    async throws
  {
    let gate = Gate()
    let bench = try await Bench(gate: gate.gate)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await alice.bring(Example.file.prefix(60_000), at: 0, of: Example.file)
    gate.failure = failure
    #expect(await alice.bring(Example.file.dropFirst(60_000), at: 60_000, of: Example.file).isEmpty)
    let again = try await bench.reopened().client("alice")
    #expect(try bench.attachmentParts().isEmpty)
    _ = await again.upload(Example.file)
    #expect(await again.send(Example.message("m", Example.item(Example.file))).receipts.count == 1)
    #expect(await again.fetch(Example.file) == Example.file)
  }

  // P3.4
  @Test func `files are private, and what the database does not know is swept`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await alice.bring(Example.file.prefix(10), at: 0, of: Example.file)
    _ = await alice.upload(Data([1]))
    let folder = bench.folder.appending(path: "attachments")
    for path in [folder]
      + (try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
    {
      let mode = try FileManager.default.attributesOfItem(atPath: path.path)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0)
    }
    try Data([9]).write(to: folder.appending(path: Example.checksum(Data([9]))))
    try Data([9]).write(to: folder.appending(path: "x.part"))
    _ = try await bench.reopened()
    #expect(try bench.attachmentNames() == [Example.checksum(Data([1]))])
    #expect(try bench.attachmentParts().count == 1)
  }

  // S5
  @Test(arguments: [1, 2])
  func `an earlier database gets the tables of attachments, and keeps what it has`(version: Int) async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    defer { try? FileManager.default.removeItem(at: folder) }
    try makePrivateFolder(folder)
    let file = folder.appending(path: "server.sqlite")
    let queue = try DatabaseQueue(path: file.path)
    try await queue.write { db in
      for statements in ServerSchema.versions[..<version] { try db.execute(sql: statements) }
      try db.execute(
        sql: """
          PRAGMA application_id = \(ServerSchema.applicationID);
          PRAGMA user_version = \(version);
          INSERT INTO account VALUES ('alice', zeroblob(32));
          INSERT INTO conversation VALUES ('c', NULL, 1);
          INSERT INTO member VALUES ('c', 'alice', 0);
          INSERT INTO message (id, conversation, sender, role, body, "order", at)
            VALUES ('old', 'c', 'alice', 'user', 'hi', 1, 5);
          INSERT INTO event (conversation, message) VALUES ('c', NULL), ('c', 'old');
          """)
    }
    try queue.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let bench = try await Bench(folder: folder)
    let alice = try await bench.connect("alice")
    #expect(await alice.say(.hello(.init(after: nil))).messages.map(\.id) == ["old"])
    _ = await alice.upload(Example.file)
    let message = Example.message("m", Example.item(Example.file), members: ["alice"])
    #expect(await alice.send(message).receipts.map(\.order) == [2])
  }
}
