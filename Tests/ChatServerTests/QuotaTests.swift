import Foundation
import GRDB
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

private typealias Example = AttachmentExample

/// One account has limits for stored bytes, sent bytes and searches (rule E2).
@Suite struct QuotaTests {
  private func bench(_ change: (inout Limits) -> Void) async throws -> Bench {
    var limits = Limits()
    change(&limits)
    return try await Bench(limits: limits)
  }

  private func stored(_ bench: Bench, _ account: UserID) async throws -> Int64 {
    try await bench.server.database.read { try Accounts(db: $0).storedBytes(of: account) }
  }

  private func change(_ id: String, _ kind: String, of target: String, _ body: String = "") -> Wire.Outgoing {
    var message = eg(id, members: nil, body: body)
    message.operation = .init(kind: kind, target: target)
    return message
  }

  // E2.1
  @Test func `an account that has stored enough is refused until it deletes`() async throws {
    let bench = try await bench { $0.maximumStoredBytes = 20_000 }
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    #expect(await alice.send(eg("m1", body: String(repeating: "x", count: 20_000))).receipts.count == 1)
    #expect(await alice.send(eg("m2")).refusals.map(\.code) == ["rejected"])
    #expect(await alice.send(change("e1", "edit", of: "m1", "y")).refusals.map(\.code) == ["rejected"])
    #expect(await alice.upload(Example.file).contains { if case .uploadRefused = $0 { true } else { false } })
    // Another account's stored bytes do not count.
    #expect(await bob.send(eg("m3")).receipts.count == 1)
    // A message that is already stored is acknowledged as usual.
    #expect(await alice.send(eg("m1", body: String(repeating: "x", count: 20_000))).receipts.count == 1)
    #expect(await alice.send(change("d1", "delete", of: "m1")).receipts.count == 1)
    #expect(await alice.send(eg("m2")).receipts.count == 1)
  }

  // E2.1
  @Test func `what an account has stored is what the tables have`() async throws {
    let bench = try await bench { _ in }
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await alice.upload(Example.file)
    await alice.send(Example.message("m1", Example.item(Example.file)), eg("m2", reasoning: "why"))
    await alice.send(
      eg("m3", in: "other", members: ["alice", "bob", "carol"], body: "\0🚗", formatting: Data([1])))
    await alice.send(change("e1", "edit", of: "m2", "a longer text"), change("r1", "react", of: "m2", "👍"))
    await alice.send(change("d1", "delete", of: "m1"))
    _ = try await bench.server.remove("other")
    let counted = try await stored(bench, "alice")
    let summed = try await bench.server.database.read { db in
      try Int64.fetchOne(
        db,
        sql: """
          SELECT (SELECT sum(1000 + length(CAST(body AS BLOB))) FROM message) + (SELECT 500 * count(*) FROM operation)
            + (SELECT ifnull(sum(500 + byteCount), 0) FROM upload) + (SELECT 700 * count(*) FROM member)
            + length('why')
          """)
    }
    #expect(counted == summed)
    #expect(try await stored(bench, "bob") == 0)
  }

  // E2.1, S5.2
  @Test(arguments: EarlierServer.all)
  func `what the accounts of an earlier version have stored is counted`(_ earlier: EarlierServer) async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "chat-server-\(UUID())")
    try earlier.copy(to: folder)
    let bench = try await Bench(folder: folder, accounts: [])
    defer { bench.removeFolder() }
    #expect(try await stored(bench, "alice") > 3_000)
    #expect(try await stored(bench, "bob") > 1_000)
  }

  // E2.2, O7.8
  @Test func `a long frame waits until the account may send so many bytes`() async throws {
    let bench = try await bench { ($0.burstBytes, $0.bytesPerSecond) = (20_000, 1_000) }
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let text = String(repeating: "x", count: 15_000)
    #expect(await alice.send(eg("m1", body: text)).receipts.count == 1)
    let refused = await alice.send(eg("m2", body: text)).refusals
    #expect(refused.map(\.kind) == [.busy])
    bench.advance(by: .milliseconds(refused[0].retryAfter ?? 0))
    #expect(await alice.send(eg("m2", body: text)).receipts.count == 1)
  }

  // E2.6
  @Test func `a deleted text is in no file once its remnants were removed`() async throws {
    let bench = try await bench { _ in }
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    func isThere() throws -> Bool {
      try FileManager.default.contentsOfDirectory(at: bench.folder, includingPropertiesForKeys: nil)
        .contains { (try? Data(contentsOf: $0))?.range(of: Data("wherethetreasureis".utf8)) != nil }
    }
    await alice.send(eg("m1", body: "wherethetreasureis"))
    #expect(try isThere())
    await alice.send(change("d1", "delete", of: "m1"))
    #expect(try isThere())
    await bench.server.removeRemnants()
    #expect(try !isThere())
  }
}
