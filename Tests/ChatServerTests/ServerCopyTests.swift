import Foundation
import Holdfast
import HoldfastCore
import HoldfastRelay
import Testing

@testable import ChatServer

/// Copies of a server's folder, and servers made from them.
@Suite struct ServerCopyTests {
  private let copy = FileManager.default.temporaryDirectory.appending(
    path: "copy-\(ChatEnvironment().makeID())")

  /// A server with a message that has a file, and an incomplete upload.
  private func makeBench() async throws -> (bench: Bench, alice: Client) {
    let bench = try await Bench()
    let alice = try await bench.client("alice")
    _ = await alice.upload(AttachmentExample.file)
    await alice.send(AttachmentExample.message("m", AttachmentExample.item(AttachmentExample.file)))
    let begun = Data(repeating: 7, count: 1_000)
    _ = await alice.bring(begun.prefix(10), at: 0, of: begun)
    return (bench, alice)
  }

  @Test func `a copy of a server that runs is whole, and becomes a server with all that was there`()
    async throws
  {
    let (bench, alice) = try await makeBench()
    let restored = bench.folder.appendingPathExtension("restored")
    defer {
      for folder in [bench.folder, copy, restored] { try? FileManager.default.removeItem(at: folder) }
    }

    let report = try ServerCopy.make(of: bench.folder, at: copy) { _, _ in }
    await alice.send(eg("later"))

    #expect(report.attachments == 1)
    #expect(report.missingAttachments == 0)
    let findings = try ServerInspection.examine(copy)
    #expect(findings.isHealthy, "\(findings.damages)")
    #expect(findings.openPermissions.isEmpty)
    let counts = [findings.accounts, findings.conversations, findings.messages]
    #expect(counts == [3, 1, 1])
    try ServerCopy.restore(from: copy, to: restored) { _, _ in }
    let server = try await Bench(folder: restored, accounts: [])
    #expect(try await server.server.messages(in: "c").map(\.id) == ["m"])
    #expect(try await server.server.auditAttachments() == .init())
    #expect(try await server.server.isKnown(token: "token-bob"))
  }

  /// The server continued after the copy was made, so clients have cursors that the copy does not know.
  @Test
  func `a client with a cursor from after the copy misses nothing that is written after the restoration`()
    async throws
  {
    let (bench, alice) = try await makeBench()
    let restored = bench.folder.appendingPathExtension("restored")
    defer {
      for folder in [bench.folder, copy, restored] { try? FileManager.default.removeItem(at: folder) }
    }
    try ServerCopy.make(of: bench.folder, at: copy) { _, _ in }
    for number in 1...3 { await alice.send(eg("lost \(number)")) }
    let cursor = try #require(await bench.connect("bob").say(.hello(.init(after: nil))).pages.last?.cursor)
    try ServerCopy.restore(from: copy, to: restored) { _, _ in }
    let server = try await Bench(folder: restored, accounts: [])

    let other = try await server.client("alice")
    for number in 1...9 { await other.send(eg("new \(number)")) }
    let bob = try await server.connect("bob")
    let pages = await bob.say(.hello(.init(after: cursor))).pages

    #expect(pages.first?.after == cursor)
    #expect(pages.flatMap(\.items).compactMap(\.message?.id) == (1...9).map { "new \($0)" })
  }

  @Test
  func `a damaged copy, a folder with something in it, and the folder of a server that runs are refused`()
    async throws
  {
    let (bench, _) = try await makeBench()
    let target = bench.folder.appendingPathExtension("restored")
    defer { for folder in [bench.folder, copy, target] { try? FileManager.default.removeItem(at: folder) } }
    try ServerCopy.make(of: bench.folder, at: copy) { _, _ in }
    func code(_ body: () throws -> Void) -> ChatError.Code? {
      do { try body() } catch { return (error as? ChatError)?.code }
      return nil
    }
    func restoration() -> ChatError.Code? {
      code { try ServerCopy.restore(from: copy, to: target) { _, _ in } }
    }

    let second = code { try ServerCopy.make(of: bench.folder, at: copy) { _, _ in } }
    let running = try ChatServer(folder: target)
    let busy = restoration()
    await running.stop()
    let stopped = restoration()
    try FileManager.default.removeItem(at: target)
    let file = copy.appending(path: "attachments")
      .appending(path: AttachmentExample.checksum(AttachmentExample.file))
    try Data([1]).write(to: file)
    let findings = try ServerInspection.examine(copy)
    let damaged = restoration()

    #expect(
      [second, busy, stopped, damaged] == [.alreadyThere, .storageBusy, .alreadyThere, .backupDamaged])
    #expect(findings.damagedAttachments == 1)
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  @Test func `tables that are not the server's are found`() async throws {
    let (bench, _) = try await makeBench()
    defer { bench.removeFolder() }
    await bench.server.stop()
    #expect(try ServerInspection.examine(bench.folder).isHealthy)
    try await Bench(folder: bench.folder, accounts: []).server.database.write {
      try $0.execute(sql: "CREATE TRIGGER extra AFTER INSERT ON message BEGIN DELETE FROM account; END")
    }
    let findings = try ServerInspection.examine(bench.folder)
    #expect(findings.damages == ["the tables are not those of version \(ServerSchema.version)"])
  }

  @Test(arguments: EarlierServer.all)
  func `a folder of an earlier server is examined and copied as it is`(_ earlier: EarlierServer) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    defer { for folder in [folder, copy] { try? FileManager.default.removeItem(at: folder) } }
    try earlier.copy(to: folder)
    #expect(try ServerInspection.examine(folder).damages == [])
    try ServerCopy.make(of: folder, at: copy) { _, _ in }
    #expect(try ServerInspection.examine(copy).schemaVersion == earlier.version)
  }
}
