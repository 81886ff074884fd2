import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// Two servers on one folder: the second one does not start, and if it did, no client would miss a message (rule
/// H11). The servers of a ``Bench`` lock nothing.
@Suite struct SharedFolderTests {
  // S3
  @Test func `a second server is refused before it changes anything, until the first one has stopped`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try ChatServer(folder: folder)
    try await first.register("alice", token: "secret")
    // A server that opens the folder would delete it.
    let part = folder.appending(path: "attachments").appending(path: "x.part")
    try makePrivateFolder(part.deletingLastPathComponent())
    try Data([9]).write(to: part)
    let before = try dates(in: folder)

    let error = try refusal(of: folder)

    #expect(error.code == .folderInUse)
    #expect(error.localizedDescription == error.message)
    #expect(try dates(in: folder) == before)
    #expect(FileManager.default.fileExists(atPath: part.path))
    await first.stop()
    let second = try ChatServer(folder: folder)
    #expect(try await second.isKnown(token: "secret"))
    await second.stop()
  }

  // H11
  @Test func `what another server has written is sent before what came after it`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let other = try await bench.reopened()
    let (alice, tablet) = (try await bench.client("alice"), try await other.client("alice"))
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    await alice.send(eg("m1"))
    let received = await tablet.send(eg("m2")).messages.map(\.id)
    #expect(received == ["m1", "m2"])
    await alice.send(eg("m3"))
    pages += bob.heard().pages
    #expect(pages.flatMap(\.items).compactMap(\.message?.id) == ["m1", "m2", "m3"])
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
  }

  // H11
  @Test func `an account whom the next message does not concern gets what another server has written too`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let other = try await bench.reopened()
    let (alice, tablet) = (try await bench.client("alice"), try await other.client("alice"))
    let carol = try await bench.connect("carol")
    var pages = await carol.say(.hello(.init(after: nil))).pages
    await tablet.send(eg("m1", in: "private", members: ["alice", "carol"]))
    await alice.send(eg("m2"))
    await alice.send(eg("m3", in: "private", members: ["alice", "carol"]))
    pages += carol.heard().pages
    #expect(pages.flatMap(\.items).compactMap(\.message?.id) == ["m1", "m3"])
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
  }

  // H11
  @Test func `what another server has written comes in pages, and nothing is missing behind them`()
    async throws
  {
    var limits = Limits()
    limits.pageSize = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let other = try await bench.reopened()
    let (alice, tablet) = (try await bench.client("alice"), try await other.client("alice"))
    let bob = try await bench.connect("bob")
    var pages = await bob.say(.hello(.init(after: nil))).pages
    await tablet.send(eg("m1"), eg("m2"), eg("m3"))
    await alice.send(eg("m4"))
    pages += bob.heard().pages
    #expect(pages.last?.more == true)
    while let last = pages.last, last.more {
      pages += await bob.say(.sync(.init(after: last.cursor))).pages
    }
    await alice.send(eg("m5"))
    pages += bob.heard().pages
    #expect(pages.flatMap(\.items).compactMap(\.message?.id) == ["m1", "m2", "m3", "m4", "m5"])
    #expect(pages.dropFirst().map(\.after) == pages.dropLast().map(\.cursor))
  }

  // H11
  @Test func `a read mark leads past no message of another server`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let other = try await bench.reopened()
    let (alice, tablet) = (try await bench.client("alice"), try await other.client("alice"))
    let bob = try await bench.client("bob")
    await alice.send(eg("m1"))
    let cursor = try #require(bob.heard().pages.last?.cursor)
    await tablet.send(eg("m2"))
    #expect(await bob.say(.ping) == [.pong(.init(cursor: cursor))])
    let page = try #require(await bob.say(.read(.init(conversation: "c", message: "m1"))).pages.first)
    #expect(page.after == cursor)
    #expect(page.items.compactMap(\.message?.id) == ["m2"])
    #expect(page.items.compactMap(\.readMark?.message) == ["m1"])
  }

  private func refusal(of folder: URL) throws -> ServerError {
    try #require(throws: ServerError.self) { try ChatServer(folder: folder) }
  }

  /// The dates of the files in a folder. Reading a file of SQLite would release the server's locks on it.
  private func dates(in folder: URL) throws -> [String: Date] {
    var dates: [String: Date] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      dates[name] = attributes[.modificationDate] as? Date
    }
    return dates
  }
}
