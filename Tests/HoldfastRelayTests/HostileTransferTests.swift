import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay

private typealias eg = EngineExample

/// Frames of a broken or hostile server while one file is uploaded and another one is downloaded. Nothing traps, no
/// file has contents that differ from its checksum, and no other data of the user changes.
@Suite(.timeLimit(.minutes(10))) struct HostileTransferTests {
  private static let own = Data("own".utf8)
  private static let theirs = Data("theirs".utf8)

  private struct Picture: Equatable, Sendable {
    var bodies: [String]
    var unsent: Int
    var hasFailed: Bool
    var draft: String
    /// The complete files in the folder.
    var files: [String: Data]

    init(_ client: ChatClient) throws {
      let rows = try client.rows()
      bodies = rows.map(\.text)
      unsent = try client.outbox.unsentCount()
      hasFailed = rows.contains(where: \.hasFailed)
      draft = client.drafts.text(in: eg.conversation)
      files = try Self.whole(client)
    }

    /// The files and their contents, except the part of the download. The names of parts and of copies are the
    /// engine's own, and their contents do not matter.
    static func whole(_ client: ChatClient) throws -> [String: Data] {
      let folder = client.store.attachments.url
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try names.filter { $0 != "\(HostileTransfer.theirs).part" }.reduce(into: [:]) { files, name in
        files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
      }
    }
  }

  private struct Observed: Sendable {
    var before: Picture
    /// The contents while the client continues, and after a relaunch.
    var afterwards: [Picture]
    var shown: [ChatAttachment]
  }

  /// Runs a client whose message waits for the upload of its file, and that downloads the file of another message.
  private static func deliver(_ frames: [Data]) async throws -> Observed {
    try await Bench.aside {
      let observed = Mutexed<Observed?>(nil)
      try Bench.simulate(inMemory: true) { bench in
        let relay = FakeRelay()
        let client = try relay.client(on: bench)
        try await running(client) {
          try await fill(client, relay, bench)
          let before = try Picture(client)
          for frame in frames { try relay.say(frame) }
          try await bench.pass(.seconds(2))
          let after = try Picture(client)
          let shown = try client.rows().flatMap { $0.attachments.map(\.attachment) }
          observed.withLock { $0 = Observed(before: before, afterwards: [after], shown: shown) }
        }
        let relaunched = try Picture(try relay.client(on: bench))
        observed.withLock { $0?.afterwards.append(relaunched) }
      }
      return observed.withLock { $0! }
    }
  }

  private static func running(_ client: ChatClient, _ body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      defer { group.cancelAll() }
      try await body()
    }
  }

  private static func fill(_ client: ChatClient, _ relay: FakeRelay, _ bench: Bench) async throws {
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    try client.conversation(eg.conversation).attach(own, name: "own.txt")
    client.drafts.edit("look", in: eg.conversation)
    try client.conversation(eg.conversation).sendDraft()
    client.drafts.edit("half a thought", in: eg.conversation)
    try client.drafts.save(in: eg.conversation)
    try await relay.welcome()
    var message = eg.known("m1", order: 1)
    message.attachments = [
      .init(checksum: HostileTransfer.theirs, name: "a.txt", mediaType: "text/plain", bytes: 6)
    ]
    try relay.say(.events(.init(after: nil, cursor: 1, items: [.init(message: message)], more: false)))
    try await bench.pass(.seconds(1))
    var asked = Set<String>()
    while relay.unheard > 0 {
      switch try await relay.hear() {
      case .upload(let upload): asked.insert(upload.checksum)
      case .fetch(let fetch): asked.insert(fetch.checksum)
      default: break
      }
    }
    try #require(asked == [HostileTransfer.own, HostileTransfer.theirs])
  }

  @Test(arguments: HostileTransfer.withoutEffect)
  func `an invalid frame moves no file`(hostile: HostileFrame) async throws {
    let observed = try await Self.deliver(hostile.frames)
    #expect(observed.before.unsent == 1)
    #expect(observed.before.files == [HostileTransfer.own: Self.own])
    for after in observed.afterwards { #expect(after == observed.before) }
  }

  @Test(arguments: HostileTransfer.welcome)
  func `a valid frame moves a file, or stops its message`(frame: HostileFrame) async throws {
    let observed = try await Self.deliver(frame.frames)
    let after = try #require(observed.afterwards.first)
    #expect(after.hasFailed || after.files[HostileTransfer.theirs] == Self.theirs)
    #expect(after != observed.before)
  }

  @Test(arguments: HostileTransfer.absurdAttachments)
  func `attachments that are said absurdly are cleaned, or left out`(hostile: HostileFrame) async throws {
    let observed = try await Self.deliver(hostile.frames)
    for after in observed.afterwards {
      #expect(after.files == observed.before.files)
      #expect(after.unsent == observed.before.unsent)
      #expect(after.draft == observed.before.draft)
    }
    #expect(observed.shown.count <= 2 + ChatAttachment.mostReceived)
    #expect(Set(observed.shown.map(\.id)).count == observed.shown.count)
    for attachment in observed.shown {
      #expect(attachment.sanitized == attachment)
      #expect(!attachment.name.contains("/"))
    }
  }

  @Test
  func `no mutation of what is said about files traps, or leaves a file that is not what its name says`()
    async throws
  {
    try await Bench.aside {
      try Bench.simulate(inMemory: true) { bench in
        let relay = FakeRelay()
        let client = try relay.client(on: bench)
        try await Self.running(client) {
          try await Self.fill(client, relay, bench)
          try await Self.torment(client, relay, bench)
        }
      }
    }
  }

  private static func torment(_ client: ChatClient, _ relay: FakeRelay, _ bench: Bench) async throws {
    var frames: [Wire.ServerFrame] = []
    for (checksum, total) in [(HostileTransfer.own, 3), (HostileTransfer.theirs, 6)] as [(String, Int64)] {
      frames += FrameMutations.transfers(checksum: checksum, total: total)
    }
    var fuzz = FrameMutations(
      seed: 20_260_101, of: frames,
      checksums: [.init(rawValue: HostileTransfer.own), .init(rawValue: HostileTransfer.theirs)])
    var connections = 0
    for number in 1...2_000 {
      try relay.say(fuzz.next())
      guard number.isMultiple(of: 20) else { continue }
      await client.reconnectNow()
      try await bench.pass(.milliseconds(200))
      while relay.unheard > 0 {
        guard case .hello = try await relay.hear() else { continue }
        try relay.say(.welcome(.init(account: "alice", maximumMessageBytes: 100_000)))
        connections += 1
        try await bench.rest()
      }
      for (name, data) in try Picture.whole(client) where !name.hasSuffix(".part") {
        guard ChatAttachment.Checksum(SHA256Sum(of: data)).rawValue == name else {
          throw Changed(name: name, mutation: number)
        }
      }
      guard try client.bodies().contains("look"), client.drafts.text(in: eg.conversation) == "half a thought",
        client.attachmentFile(.init(rawValue: HostileTransfer.own)) != nil
      else { throw Changed(name: "what was written", mutation: number) }
    }
    try #require(connections > 0, "Mutations that break no frame try nothing.")
  }

  private struct Changed: Error {
    var name: String
    var mutation: Int
  }
}
