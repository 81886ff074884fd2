import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

private typealias Example = AttachmentExample

/// Attachments that are uploaded, sent in messages, and downloaded (rule O13).
@Suite struct AttachmentTests {
  // O13
  @Test(arguments: [Data(), Data([7]), Example.file])
  func `an uploaded attachment is in the message, and every member gets it`(_ file: Data) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    #expect(
      await alice.upload(file) == [
        .uploaded(.init(checksum: Example.checksum(file), bytes: Int64(file.count)))
      ])
    let answer = await alice.send(Example.message("m", Example.item(file)))
    #expect(answer.receipts.map(\.id) == ["m"])
    #expect(bob.heard().messages.first?.attachments == [Example.item(file)])
    #expect(await bob.fetch(file) == file)
    // By the log, too, and after a restart.
    let later = try await bench.reopened().connect("bob")
    #expect(await later.say(.hello(.init(after: nil))).messages.map(\.attachments) == [[Example.item(file)]])
    #expect(await later.fetch(file) == file)
  }

  // O13.3
  @Test func `an upload goes on after a restart, where the server says`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(
      await alice.bring(Example.file.prefix(40_000), at: 0, of: Example.file)
        == [.uploaded(.init(checksum: Example.checksum(Example.file), bytes: 40_000))])
    let again = try await bench.reopened().client("alice")
    let question = Wire.Upload(checksum: Example.checksum(Example.file), total: Int64(Example.file.count))
    #expect(
      await again.say(.upload(question)) == [
        .uploaded(.init(checksum: Example.checksum(Example.file), bytes: 40_000))
      ])
    #expect(
      await again.bring(Example.file.dropFirst(40_000), at: 40_000, of: Example.file)
        == [.uploaded(.init(checksum: Example.checksum(Example.file), bytes: 100_000))])
    #expect(await again.send(Example.message("m", Example.item(Example.file))).receipts.count == 1)
  }

  @Test func `a piece that comes twice, too early or from the middle changes nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let first = Example.file.prefix(40_000)
    _ = await alice.bring(first, at: 0, of: Example.file)
    for (piece, offset) in [(first, 0), (first, 20_000), (first, 60_000), (Data(), 40_000)] {
      #expect(
        await alice.bring(piece, at: Int64(offset), of: Example.file)
          == [.uploaded(.init(checksum: Example.checksum(Example.file), bytes: 40_000))])
    }
    #expect(await alice.upload(Example.file).count == 1)
    #expect(await alice.send(Example.message("m", Example.item(Example.file))).receipts.count == 1)
  }

  @Test func `bytes that are not the attachment are dropped, and it can be brought again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.bring(Data([1, 2, 3]), at: 0, of: Data([3, 2, 1]))
    guard case .uploadRefused(let refused) = answer.first else {
      Issue.record("it was taken: \(answer)")
      return
    }
    #expect(refused.code == .wrongChecksum)
    #expect(
      await alice.send(Example.message("m", Example.item(Data([3, 2, 1])))).refusals.map(\.kind) == [.missing]
    )
    _ = await alice.upload(Data([3, 2, 1]))
    #expect(await alice.send(Example.message("m", Example.item(Data([3, 2, 1])))).receipts.count == 1)
    #expect(try bench.attachmentParts().isEmpty)
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
    let answer = await alice.bring(Data(count: bytes), at: offset, of: Example.file, total: total)
    #expect(answer.uploadRefusals.map(\.code) == [.malformed])
    #expect(!alice.isClosed)
    #expect(try bench.attachmentParts().isEmpty)
  }

  @Test func `a size that changes is refused, and the upload begins again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await alice.bring(Example.file.prefix(10), at: 0, of: Example.file)
    #expect(
      await alice.bring(Data(), at: 0, of: Example.file, total: 5).uploadRefusals.map(\.code) == [.malformed])
    #expect(
      await alice.bring(Data(), at: 0, of: Example.file)
        == [.uploaded(.init(checksum: Example.checksum(Example.file), bytes: 0))])
    _ = await alice.upload(Example.file)
    #expect(
      await alice.bring(Data(), at: 0, of: Example.file, total: 5).uploadRefusals.map(\.code) == [.malformed])
    #expect(
      await alice.send(Example.message("m", Example.item(Example.file))).receipts.count == 1,
      "What is whole stays.")
  }

  @Test(arguments: [
    "", "../../server.sqlite", String(repeating: "A", count: 64), String(repeating: "a", count: 63),
  ])
  func `an invalid checksum names no file`(_ name: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(
      await alice.bring(Data([1]), at: 0, of: Data([1]), as: name).uploadRefusals.map(\.code) == [.malformed])
    #expect(
      await alice.say(.fetch(.init(checksum: name, offset: 0))).fetchRefusals.map(\.code) == [.malformed])
    var bad = Example.item(Data([1]))
    bad.checksum = name
    #expect(await alice.send(Example.message("m", bad)).refusals.map(\.kind) == [.rejected])
  }

  @Test func `to know a checksum is worth nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let carol = try await bench.client("carol")
    _ = await alice.upload(Example.file)
    // Neither before the message is sent nor after: Carol is not a member.
    #expect(
      await carol.say(.fetch(.init(checksum: Example.checksum(Example.file), offset: 0))).fetchRefusals.map(
        \.code) == [
          .unknown
        ])
    await alice.send(Example.message("m", Example.item(Example.file)))
    #expect(
      await carol.say(.fetch(.init(checksum: Example.checksum(Example.file), offset: 0))).fetchRefusals.map(
        \.code) == [
          .unknown
        ])
    var own = Example.message("n", Example.item(Example.file), members: ["carol"])
    own.conversation = "hers"
    #expect(await carol.send(own).refusals.map(\.kind) == [.missing])
    let question = Wire.Upload(checksum: Example.checksum(Example.file), total: Int64(Example.file.count))
    #expect(
      await carol.say(.upload(question)) == [
        .uploaded(.init(checksum: Example.checksum(Example.file), bytes: 0))
      ],
      "Whether somebody else has brought it is not revealed.")
  }

  @Test func `a place beyond the end, or before the beginning, is refused`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await alice.upload(Data([1, 2, 3]))
    await alice.send(Example.message("m", Example.item(Data([1, 2, 3]))))
    for offset in [Int64.min, -1, 4, .max] {
      #expect(
        await alice.say(.fetch(.init(checksum: Example.checksum(Data([1, 2, 3])), offset: offset)))
          .fetchRefusals
          .map(\.code) == [.malformed])
    }
    guard
      case .data(let end) = await alice.say(
        .fetch(.init(checksum: Example.checksum(Data([1, 2, 3])), offset: 3))
      )
      .first
    else {
      Issue.record("the end is a place")
      return
    }
    #expect(end.data.isEmpty)
  }

  @Test func `attachments that are too large, too many, or invalid are refused`() async throws {
    var limits = Limits()
    limits.maximumAttachmentBytes = 10
    limits.maximumAttachmentsPerMessage = 1
    limits.maximumChunkBytes = 4
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await alice.bring(Data(), at: 0, of: Data(count: 11)).uploadRefusals.map(\.code) == [.tooLarge])
    #expect(
      await alice.bring(Data(count: 5), at: 0, of: Data(count: 6)).uploadRefusals.map(\.code) == [.tooLarge])
    _ = await alice.bring(Data([1]), at: 0, of: Data([1]))
    let own = Example.item(Data([1]))
    #expect(await alice.send(Example.message("m", own, own)).refusals.map(\.kind) == [.rejected])
    #expect(
      await alice.send(Example.message("m", Example.item(Data([1]), name: "../a"))).refusals.map(\.kind) == [
        .rejected
      ])
    #expect(
      await alice.send(Example.message("m", Example.item(Data([1]), mediaType: "image"))).refusals.map(\.kind)
        == [.rejected])
    var other = own
    other.bytes = 2
    #expect(await alice.send(Example.message("m", other)).refusals.map(\.kind) == [.missing])
    #expect(await alice.send(Example.message("m", own)).receipts.count == 1)
  }

  @Test func `attachments without a message are limited, and those of messages are not counted`() async throws
  {
    var limits = Limits()
    limits.maximumUnsentAttachments = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let files = (0..<4).map { Data([UInt8($0)]) }
    _ = await alice.upload(files[0])
    await alice.send(Example.message("m0", Example.item(files[0])))
    for file in files.dropFirst() { _ = await alice.upload(file) }
    #expect(
      await alice.send(Example.message("m1", Example.item(files[1]))).refusals.map(\.kind) == [.missing])
    #expect(
      await alice.send(Example.message("m2", Example.item(files[2]), Example.item(files[3]))).receipts.count
        == 1)
    #expect(try bench.attachmentParts().isEmpty)
    #expect(try bench.attachmentNames() == Set([0, 2, 3].map { Example.checksum(files[$0]) }))
  }

  // O7.8, O13
  @Test func `pieces that come too fast are busy, and messages are not`() async throws {
    var limits = Limits()
    limits.transferBurst = 1
    limits.transfersPerSecond = 1
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    _ = await alice.bring(Example.file.prefix(10), at: 0, of: Example.file)
    let refused = await alice.bring(Example.file.prefix(10), at: 0, of: Example.file).uploadRefusals
    #expect(refused.map(\.code) == [.busy])
    #expect(refused.first?.retryAfter == 1_000)
    #expect(await alice.send(eg("m")).receipts.count == 1)
    bench.advance(by: .seconds(1))
    #expect(await alice.bring(Data(), at: 0, of: Example.file).uploadRefusals.isEmpty)
  }

  // O6.2, O13
  @Test func `a message that the server has is never refused for its attachments`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m"))
    #expect(await alice.send(Example.message("m", Example.item(Example.file))).receipts.map(\.order) == [1])
    #expect(
      await alice.send(Example.message("n", Example.item(Example.file)), eg("o", predecessor: "n")).refusals
        .map(\.kind) == [
          .missing, .gap,
        ])
  }

  // O14, S9.4
  @Test func `an edit keeps the attachments, and a deletion takes them away with their file`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    _ = await alice.upload(Example.file)
    await alice.send(Example.message("m", Example.item(Example.file)))
    await alice.send(Example.operation("edit", of: "m", id: "e", body: "look"))
    let attachments = try await bench.server.attachments(in: "c")
    #expect(attachments == ["m": [Example.item(Example.file)]])
    #expect(await bob.fetch(Example.file) == Example.file)
    let pages = await alice.send(Example.operation("delete", of: "m", id: "d")).pages
    #expect(pages.flatMap(\.items).compactMap(\.message).map(\.attachments) == [nil])
    #expect(try await bench.server.attachments(in: "c").isEmpty)
    #expect(await bob.fetch(Example.file) == nil)
    #expect(try bench.attachmentNames().isEmpty)
    #expect(
      await alice.send(Example.message("n", Example.item(Example.file))).refusals.map(\.kind) == [.missing])
    _ = await alice.upload(Example.file)
    #expect(await alice.send(Example.message("n", Example.item(Example.file))).receipts.map(\.order) == [2])
  }

  // S9.4
  @Test func `a deletion keeps a file that another message has, or that another account has uploaded`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    _ = await alice.upload(Example.file)
    await alice.send(Example.message("m", Example.item(Example.file)))
    await alice.send(Example.message("n", Example.item(Example.file, name: "b.png")))
    await alice.send(Example.operation("delete", of: "m", id: "d1"))
    #expect(await bob.fetch(Example.file) == Example.file)
    _ = await bob.upload(Example.file)
    await alice.send(Example.operation("delete", of: "n", id: "d2"))
    #expect(try bench.attachmentNames() == [Example.checksum(Example.file)])
    #expect(await bob.send(Example.message("o", Example.item(Example.file))).receipts.map(\.order) == [3])
    #expect(await alice.fetch(Example.file) == Example.file)
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
