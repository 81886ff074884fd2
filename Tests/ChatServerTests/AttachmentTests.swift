import Crypto
import Foundation
import GRDB
import Holdfast
import Testing

@testable import ChatServer

/// Attachments on their way in, in messages, and on their way out (SPEC O13).
@Suite struct AttachmentTests {
  private static let file = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  private func checksum(_ data: Data) -> String { AttachmentChecksum(SHA256.hash(data: data)).rawValue }

  private func item(_ data: Data, name: String = "a.png", mediaType: String = "image/png")
    -> Wire.AttachmentItem
  {
    .init(checksum: checksum(data), name: name, mediaType: mediaType, bytes: Int64(data.count))
  }

  private func message(
    _ id: String, _ attachments: Wire.AttachmentItem..., members: [String] = ["alice", "bob"]
  )
    -> Wire.Outgoing
  {
    var message = eg(id, members: members)
    message.attachments = attachments
    return message
  }

  /// One piece, and what the server says to it.
  private func say(
    _ client: Client, _ data: Data, at offset: Int64, of file: Data, as name: String? = nil,
    total: Int64? = nil
  ) async -> [Wire.ServerFrame] {
    await client.say(
      .upload(
        .init(
          checksum: name ?? checksum(file), total: total ?? Int64(file.count), offset: offset, data: data)))
  }

  private func upload(_ file: Data, by client: Client) async -> [Wire.ServerFrame] {
    var answer = await client.say(.upload(.init(checksum: checksum(file), total: Int64(file.count))))
    var offset = 0
    while offset < file.count {
      let piece = file[offset..<min(offset + 40_000, file.count)]
      answer = await say(client, piece, at: Int64(offset), of: file)
      offset += piece.count
    }
    return answer
  }

  private func fetch(_ file: Data, by client: Client) async -> Data? {
    var data = Data()
    while true {
      let answer = await client.say(.fetch(.init(checksum: checksum(file), offset: Int64(data.count))))
      guard case .data(let bytes) = answer.first, bytes.offset == data.count else { return nil }
      data += bytes.data
      if data.count >= bytes.total { return data }
    }
  }

  @Test(arguments: [Data(), Data([7]), file])
  func `what is brought is in the message, and every member gets it`(_ file: Data) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    #expect(
      await upload(file, by: alice) == [.uploaded(.init(checksum: checksum(file), bytes: Int64(file.count)))])
    let answer = await alice.send(message("m", item(file)))
    #expect(answer.receipts.map(\.id) == ["m"])
    #expect(bob.heard().messages.first?.attachments == [item(file)])
    #expect(await fetch(file, by: bob) == file)
    // By the log, too, and after a restart.
    let later = try await bench.reopened().connect("bob")
    #expect(await later.say(.hello(.init(after: nil))).messages.map(\.attachments) == [[item(file)]])
    #expect(await fetch(file, by: later) == file)
  }

  @Test func `an upload goes on after a restart, where the server says`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(
      await say(alice, Self.file.prefix(40_000), at: 0, of: Self.file)
        == [.uploaded(.init(checksum: checksum(Self.file), bytes: 40_000))])
    let again = try await bench.reopened().client("alice")
    let question = Wire.Upload(checksum: checksum(Self.file), total: Int64(Self.file.count))
    #expect(
      await again.say(.upload(question)) == [.uploaded(.init(checksum: checksum(Self.file), bytes: 40_000))])
    #expect(
      await say(again, Self.file.dropFirst(40_000), at: 40_000, of: Self.file)
        == [.uploaded(.init(checksum: checksum(Self.file), bytes: 100_000))])
    #expect(await again.send(message("m", item(Self.file))).receipts.count == 1)
  }

  @Test func `a piece that comes twice, too early or from the middle changes nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let first = Self.file.prefix(40_000)
    _ = await say(alice, first, at: 0, of: Self.file)
    for (piece, offset) in [(first, 0), (first, 20_000), (first, 60_000), (Data(), 40_000)] {
      #expect(
        await say(alice, piece, at: Int64(offset), of: Self.file)
          == [.uploaded(.init(checksum: checksum(Self.file), bytes: 40_000))])
    }
    #expect(await upload(Self.file, by: alice).count == 1)
    #expect(await alice.send(message("m", item(Self.file))).receipts.count == 1)
  }

  @Test func `bytes that are not the attachment are dropped, and it can be brought again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await say(alice, Data([1, 2, 3]), at: 0, of: Data([3, 2, 1]))
    guard case .uploadRefused(let refused) = answer.first else {
      Issue.record("it was taken: \(answer)")
      return
    }
    #expect(refused.code == .wrongChecksum)
    #expect(await alice.send(message("m", item(Data([3, 2, 1])))).refusals.map(\.kind) == [.missing])
    _ = await upload(Data([3, 2, 1]), by: alice)
    #expect(await alice.send(message("m", item(Data([3, 2, 1])))).receipts.count == 1)
    #expect(try parts(of: bench).isEmpty)
  }

  @Test(arguments: [
    (total: -1, offset: 0, bytes: 0), (total: 10, offset: -1, bytes: 1), (total: 10, offset: 11, bytes: 0),
    (total: 10, offset: 5, bytes: 6), (total: Int64.max, offset: Int64.max, bytes: 1),
    (total: Int64.min, offset: Int64.min, bytes: 1), (total: 0, offset: 0, bytes: 1),
  ])
  func `a piece that does not fit is refused`(total: Int64, offset: Int64, bytes: Int) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await say(alice, Data(count: bytes), at: offset, of: Self.file, total: total)
    #expect(answer.uploadRefusals.map(\.code) == [.malformed])
    #expect(!alice.isClosed)
    #expect(try parts(of: bench).isEmpty)
  }

  @Test func `a size that changes is refused, and the upload begins again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await say(alice, Self.file.prefix(10), at: 0, of: Self.file)
    #expect(
      await say(alice, Data(), at: 0, of: Self.file, total: 5).uploadRefusals.map(\.code) == [.malformed])
    #expect(
      await say(alice, Data(), at: 0, of: Self.file)
        == [.uploaded(.init(checksum: checksum(Self.file), bytes: 0))])
    _ = await upload(Self.file, by: alice)
    #expect(
      await say(alice, Data(), at: 0, of: Self.file, total: 5).uploadRefusals.map(\.code) == [.malformed])
    #expect(await alice.send(message("m", item(Self.file))).receipts.count == 1, "What is whole stays.")
  }

  @Test(arguments: [
    "", "../../server.sqlite", String(repeating: "A", count: 64), String(repeating: "a", count: 63),
  ])
  func `a checksum that is none names no file`(_ name: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(
      await say(alice, Data([1]), at: 0, of: Data([1]), as: name).uploadRefusals.map(\.code) == [.malformed])
    #expect(
      await alice.say(.fetch(.init(checksum: name, offset: 0))).fetchRefusals.map(\.code) == [.malformed])
    var bad = item(Data([1]))
    bad.checksum = name
    #expect(await alice.send(message("m", bad)).refusals.map(\.kind) == [.rejected])
  }

  @Test func `to know a checksum is worth nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let carol = try await bench.client("carol")
    _ = await upload(Self.file, by: alice)
    // Not before it is sent, and not after: Carol is no member.
    #expect(
      await carol.say(.fetch(.init(checksum: checksum(Self.file), offset: 0))).fetchRefusals.map(\.code) == [
        .unknown
      ])
    await alice.send(message("m", item(Self.file)))
    #expect(
      await carol.say(.fetch(.init(checksum: checksum(Self.file), offset: 0))).fetchRefusals.map(\.code) == [
        .unknown
      ])
    var own = message("n", item(Self.file), members: ["carol"])
    own.conversation = "hers"
    #expect(await carol.send(own).refusals.map(\.kind) == [.missing])
    let question = Wire.Upload(checksum: checksum(Self.file), total: Int64(Self.file.count))
    #expect(
      await carol.say(.upload(question)) == [.uploaded(.init(checksum: checksum(Self.file), bytes: 0))],
      "Whether somebody else has brought it is not told.")
  }

  @Test func `a place beyond the end, or before the beginning, is refused`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await upload(Data([1, 2, 3]), by: alice)
    await alice.send(message("m", item(Data([1, 2, 3]))))
    for offset in [Int64.min, -1, 4, .max] {
      #expect(
        await alice.say(.fetch(.init(checksum: checksum(Data([1, 2, 3])), offset: offset))).fetchRefusals
          .map(\.code) == [.malformed])
    }
    guard
      case .data(let end) = await alice.say(.fetch(.init(checksum: checksum(Data([1, 2, 3])), offset: 3)))
        .first
    else {
      Issue.record("the end is a place")
      return
    }
    #expect(end.data.isEmpty)
  }

  @Test func `what is too large, too many, or not named in order is refused`() async throws {
    var limits = Limits()
    limits.maximumAttachmentBytes = 10
    limits.maximumAttachmentsPerMessage = 1
    limits.maximumChunkBytes = 4
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await say(alice, Data(), at: 0, of: Data(count: 11)).uploadRefusals.map(\.code) == [.tooLarge])
    #expect(
      await say(alice, Data(count: 5), at: 0, of: Data(count: 6)).uploadRefusals.map(\.code) == [.tooLarge])
    _ = await say(alice, Data([1]), at: 0, of: Data([1]))
    let own = item(Data([1]))
    #expect(await alice.send(message("m", own, own)).refusals.map(\.kind) == [.rejected])
    #expect(await alice.send(message("m", item(Data([1]), name: "../a"))).refusals.map(\.kind) == [.rejected])
    #expect(
      await alice.send(message("m", item(Data([1]), mediaType: "image"))).refusals.map(\.kind) == [.rejected])
    var other = own
    other.bytes = 2
    #expect(await alice.send(message("m", other)).refusals.map(\.kind) == [.missing])
    #expect(await alice.send(message("m", own)).receipts.count == 1)
  }

  @Test func `what no message has is kept within bounds, and what one has is not counted`() async throws {
    var limits = Limits()
    limits.maximumUnsentAttachments = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let files = (0..<4).map { Data([UInt8($0)]) }
    _ = await upload(files[0], by: alice)
    await alice.send(message("m0", item(files[0])))
    for file in files.dropFirst() { _ = await upload(file, by: alice) }
    #expect(await alice.send(message("m1", item(files[1]))).refusals.map(\.kind) == [.missing])
    #expect(await alice.send(message("m2", item(files[2]), item(files[3]))).receipts.count == 1)
    #expect(try parts(of: bench).isEmpty)
    #expect(try names(of: bench) == Set([0, 2, 3].map { checksum(files[$0]) }))
  }

  @Test func `pieces that come too fast are busy, and messages are not`() async throws {
    var limits = Limits()
    limits.transferBurst = 1
    limits.transfersPerSecond = 1
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await say(alice, Self.file.prefix(10), at: 0, of: Self.file)
    let refused = await say(alice, Self.file.prefix(10), at: 0, of: Self.file).uploadRefusals
    #expect(refused.map(\.code) == [.busy])
    #expect(refused.first?.retryAfter == 1_000)
    #expect(await alice.send(eg("m")).receipts.count == 1)
    bench.advance(by: .seconds(1))
    #expect(await say(alice, Data(), at: 0, of: Self.file).uploadRefusals.isEmpty)
  }

  @Test func `a message that the server has is never refused for its attachments`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m"))
    #expect(await alice.send(message("m", item(Self.file))).receipts.map(\.order) == [1])
    #expect(
      await alice.send(message("n", item(Self.file)), eg("o", predecessor: "n")).refusals.map(\.kind) == [
        .missing, .gap,
      ])
  }

  private func operation(_ kind: String, of target: String, id: String, body: String = "") -> Wire.Outgoing {
    var operation = eg(id)
    operation.members = nil
    operation.body = body
    operation.operation = .init(kind: kind, target: target)
    return operation
  }

  @Test func `an edit keeps the attachments, and a deletion takes them away with their file`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    _ = await upload(Self.file, by: alice)
    await alice.send(message("m", item(Self.file)))
    await alice.send(operation("edit", of: "m", id: "e", body: "look"))
    let attachments = try await bench.server.attachments(in: "c")
    #expect(attachments == ["m": [item(Self.file)]])
    #expect(await fetch(Self.file, by: bob) == Self.file)
    let pages = await alice.send(operation("delete", of: "m", id: "d")).pages
    #expect(pages.flatMap(\.items).compactMap(\.message).map(\.attachments) == [nil])
    #expect(try await bench.server.attachments(in: "c").isEmpty)
    #expect(await fetch(Self.file, by: bob) == nil)
    #expect(try names(of: bench).isEmpty)
    #expect(await alice.send(message("n", item(Self.file))).refusals.map(\.kind) == [.missing])
    _ = await upload(Self.file, by: alice)
    #expect(await alice.send(message("n", item(Self.file))).receipts.map(\.order) == [2])
  }

  @Test func `a deletion leaves what another message has, or somebody else has brought`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    _ = await upload(Self.file, by: alice)
    await alice.send(message("m", item(Self.file)))
    await alice.send(message("n", item(Self.file, name: "b.png")))
    await alice.send(operation("delete", of: "m", id: "d1"))
    #expect(await fetch(Self.file, by: bob) == Self.file)
    _ = await upload(Self.file, by: bob)
    await alice.send(operation("delete", of: "n", id: "d2"))
    #expect(try names(of: bench) == [checksum(Self.file)])
    #expect(await bob.send(message("o", item(Self.file))).receipts.map(\.order) == [3])
    #expect(await fetch(Self.file, by: alice) == Self.file)
  }

  @Test(arguments: [Gate.Failure.beforeCommit, .afterCommit])
  func `a crash at the last piece leaves an attachment that can be brought again`(_ failure: Gate.Failure)
    async throws
  {
    let gate = Gate()
    let bench = try await Bench(gate: gate)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await say(alice, Self.file.prefix(60_000), at: 0, of: Self.file)
    gate.failure = failure
    #expect(await say(alice, Self.file.dropFirst(60_000), at: 60_000, of: Self.file).isEmpty)
    let again = try await bench.reopened().client("alice")
    #expect(try parts(of: bench).isEmpty)
    _ = await upload(Self.file, by: again)
    #expect(await again.send(message("m", item(Self.file))).receipts.count == 1)
    #expect(await fetch(Self.file, by: again) == Self.file)
  }

  @Test func `files are private, and what the database does not know is swept`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await say(alice, Self.file.prefix(10), at: 0, of: Self.file)
    _ = await upload(Data([1]), by: alice)
    let folder = bench.folder.appending(path: "attachments")
    for path in [folder]
      + (try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
    {
      let mode = try FileManager.default.attributesOfItem(atPath: path.path)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0)
    }
    try Data([9]).write(to: folder.appending(path: checksum(Data([9]))))
    try Data([9]).write(to: folder.appending(path: "x.part"))
    _ = try await bench.reopened()
    #expect(try names(of: bench) == [checksum(Data([1]))])
    #expect(try parts(of: bench).count == 1)
  }

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
    _ = await upload(Self.file, by: alice)
    #expect(await alice.send(message("m", item(Self.file))).receipts.map(\.order) == [2])
  }

  private func parts(of bench: Bench) throws -> [String] {
    try listing(of: bench).filter { $0.hasSuffix(".part") }
  }

  private func names(of bench: Bench) throws -> Set<String> {
    Set(try listing(of: bench).filter { !$0.hasSuffix(".part") })
  }

  private func listing(of bench: Bench) throws -> [String] {
    let folder = bench.folder.appending(path: "attachments").path
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
  }
}

extension [Wire.ServerFrame] {
  fileprivate var uploadRefusals: [Wire.TransferRefused] {
    compactMap { if case .uploadRefused(let frame) = $0 { frame } else { nil } }
  }
  fileprivate var fetchRefusals: [Wire.TransferRefused] {
    compactMap { if case .fetchRefused(let frame) = $0 { frame } else { nil } }
  }
}
