import ChatServer
import Foundation
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastStore

private typealias eg = EngineExample

/// Attachments between two phones and the real server (SPEC O13).
@Suite(.timeLimit(.minutes(10))) struct TransferTests {
  /// Five pieces long.
  private static let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  @discardableResult
  private func send(
    _ client: ChatClient, _ bytes: Data, _ text: String = "", name: String = "a.png"
  ) throws -> (id: MessageID, attachment: ChatAttachment) {
    let attachment = try client.conversation(eg.conversation).attach(bytes, name: name)
    client.edit(text, in: eg.conversation)
    return (try client.conversation(eg.conversation).sendDraft(), attachment)
  }

  private func bytes(_ client: ChatClient, _ attachment: ChatAttachment) -> Data? {
    client.attachmentFile(attachment.checksum).flatMap { try? Data(contentsOf: $0) }
  }

  /// Waits until `isTrue`, for two minutes of the virtual clock at most.
  private func until(_ bench: RelayBench, _ isTrue: () throws -> Bool) async throws {
    for _ in 0..<12_000 {
      if try isTrue() { return }
      try await bench.pass(.milliseconds(10))
    }
    Issue.record("it did not come to pass")
  }

  private func isDelivered(_ client: ChatClient) throws -> Bool { try client.unsentCount() == 0 }

  private static func isPiece(_ frame: Wire.ClientFrame) -> Bool {
    if case .upload(let upload) = frame { upload.data != nil } else { false }
  }

  // O13.1, O13.4
  @Test func `the attachment goes first, then its message, then what is behind it`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let picture = try send(alice, Self.picture, "look").attachment
        try alice.send("and this", in: eg.conversation)
        try await until(bench) { try isDelivered(alice) }
        let order = bench.frames.compactMap { frame -> String? in
          switch frame {
          case .upload(let upload): upload.data == nil ? nil : "piece"
          case .send(let send): send.messages.map(\.body).joined(separator: ", ")
          default: nil
          }
        }
        #expect(order == ["piece", "piece", "piece", "piece", "piece", "look, and this"])
        try await bench.running("bob") { bob in
          try await until(bench) { bytes(bob, picture) != nil }
          #expect(bytes(bob, picture) == Self.picture)
          #expect(try bob.bodies() == ["look", "and this"])
          let row = try #require(try bob.rows().first?.attachments.first)
          #expect(row.state == .here)
          #expect(row.attachment == picture)
          #expect(row.fraction == nil)
        }
      }
    }
  }

  // O4.4, O13
  @Test func `another conversation does not wait for an upload`() throws {
    try RelayBench.simulate { bench in
      bench.decide { Self.isPiece($0) ? .isLost : .arrives }
      try await bench.running("alice") { alice in
        try alice.createConversation("other", members: ["alice", "carol"])
        try send(alice, Self.picture)
        try alice.send("behind", in: eg.conversation)
        try alice.send("elsewhere", in: "other")
        try await until(bench) { try alice.unsentCount() == 2 }
        let rows = try alice.conversationSnapshot("other", limit: 1).rows
        #expect(rows.map(\.delivery) == [.delivered])
      }
    }
  }

  // O13.2
  @Test func `the row tells how far it is, on both sides`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let seen = Mutexed<[Double]>([])
        let picture = try send(alice, Self.picture).attachment
        #expect(try alice.rows().first?.attachments.first?.state == .waiting)
        try await until(bench) {
          if let row = try alice.rows().first?.attachments.first, row.state == .uploading {
            seen.withLock { if $0.last != row.fraction { $0.append(row.fraction ?? -1) } }
          }
          return try isDelivered(alice)
        }
        let fractions = seen.withLock { $0 }
        #expect(fractions.count >= 3)
        #expect(fractions == fractions.sorted())
        #expect(try alice.rows().first?.attachments.first?.state == .here)
        try await bench.running("bob") { bob in
          let states = Mutexed<Set<AttachmentRow.State>>([])
          try await until(bench) {
            if let row = try bob.rows().first?.attachments.first {
              states.withLock { _ = $0.insert(row.state) }
            }
            return bytes(bob, picture) != nil
          }
          #expect(states.withLock { $0 }.contains(.downloading))
        }
      }
    }
  }

  // O7.5, O13.3
  @Test func `an upload goes on where the link broke, and burns no attempt`() throws {
    try RelayBench.simulate { bench in
      let count = Mutexed(0)
      bench.decide { frame in
        guard Self.isPiece(frame) else { return .arrives }
        return count.withLock { count in
          count += 1
          return count == 3 || count == 5 ? .cutsTheLink : .arrives
        }
      }
      try await bench.running("alice") { alice in
        let id = try send(alice, Self.picture).id
        try await until(bench) { try isDelivered(alice) }
        #expect(bench.pieces.map(\.offset) == [0, 49_152, 98_304, 98_304, 147_456, 147_456, 196_608])
        #expect(try alice.rows().map(\.id) == [id])
      }
    }
  }

  // O13.3
  @Test func `an upload goes on where the app was killed`() throws {
    try RelayBench.simulate { bench in
      let picture = Mutexed<ChatAttachment?>(nil)
      try await bench.running("alice") { alice in
        picture.withLock { $0 = try? send(alice, Self.picture).attachment }
        try await until(bench) { bench.pieces.count == 3 }
      }
      try await bench.running("alice") { alice in
        try await until(bench) { try isDelivered(alice) }
        #expect(bench.pieces.count <= 6)
      }
      try await bench.running("bob") { bob in
        let picture = try #require(picture.withLock { $0 })
        try await until(bench) { bytes(bob, picture) == Self.picture }
      }
    }
  }

  // O13
  @Test func `frames that are lost or doubled lead to the same file`() throws {
    try RelayBench.simulate { bench in
      let count = Mutexed(0)
      bench.decide { frame in
        switch frame {
        case .upload, .fetch:
          count.withLock { count in
            count += 1
            return count % 4 == 0 ? .isLost : count % 3 == 0 ? .arrivesTwice : .arrives
          }
        default: .arrives
        }
      }
      try await bench.running("alice") { alice in
        let picture = try send(alice, Self.picture).attachment
        try await until(bench) { try isDelivered(alice) }
        try await bench.running("bob") { bob in
          try await until(bench) { bytes(bob, picture) != nil }
          #expect(bytes(bob, picture) == Self.picture)
        }
        #expect(bench.pieces.count < 12, "An answer that came twice must not double what follows.")
      }
    }
  }

  // O13
  @Test func `a large one is fetched once it is asked for, also after a kill, and goes on where it stopped`()
    throws
  {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let picture = try send(alice, Self.picture).attachment
        try await until(bench) { try isDelivered(alice) }
        let small = ChatConfiguration.AttachmentLimits(fetchedUnasked: 10)
        try await bench.running("bob", attachments: small) { bob in
          try await until(bench) { try bob.rows().count == 1 }
          try await bench.pass(.seconds(5))
          #expect(try bob.rows().first?.attachments.first?.state == .remote)
          #expect(try bob.rows().first?.attachments.first?.file == nil)
          await #expect(throws: ChatError.self) { try await bob.download("unknown") }
          try await bob.download(picture.checksum)
          try await until(bench) { try bob.rows().first?.attachments.first?.fraction ?? 0 > 0.4 }
        }
        try await bench.running("bob", attachments: small) { bob in
          #expect(bytes(bob, picture) == nil)
          try await until(bench) { bytes(bob, picture) != nil }
          #expect(bytes(bob, picture) == Self.picture)
        }
        let offsets = bench.frames.compactMap { frame -> Int64? in
          if case .fetch(let fetch) = frame { fetch.offset } else { nil }
        }
        #expect(Set(offsets).count >= offsets.count - 1)
      }
    }
  }

  // O13
  @Test func `an empty file travels, and one that is sent twice travels once`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let empty = try send(alice, Data(), name: "empty").attachment
        try send(alice, Self.picture)
        let picture = try send(alice, Self.picture, name: "again.png").attachment
        try await until(bench) { try isDelivered(alice) }
        #expect(bench.pieces.count == 5)
        try await bench.running("bob") { bob in
          try await until(bench) { bytes(bob, empty) == Data() && bytes(bob, picture) == Self.picture }
          #expect(
            try bob.rows().map(\.attachments.first?.attachment.name) == ["empty", "a.png", "again.png"])
        }
      }
    }
  }

  // O13.4, O17.1
  @Test func `a message that waits for its upload is explained, and so is the one behind it`() throws {
    try RelayBench.simulate { bench in
      bench.decide { Self.isPiece($0) ? .isLost : .arrives }
      try await bench.running("alice") { alice in
        let first = try send(alice, Self.picture).id
        let second = try alice.send("behind", in: eg.conversation)
        try await until(bench) { alice.live.link == .online }
        #expect(try await alice.message(first).explain().code == .uploading)
        #expect(try await alice.message(second).explain().waitsFor == first)
      }
    }
  }

  // O13, O14.4
  @Test func `a reaction to a message waits for its upload, and goes behind it`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let id = try send(alice, Self.picture).id
        let reaction = try #require(try alice.message(id).react("👍"))
        try await until(bench) { bench.pieces.count == 2 }
        #expect(try await alice.message(reaction).explain().waitsFor == id)
        try await until(bench) { try isDelivered(alice) }
        #expect(
          try alice.rows().map(\.reactions) == [[MessageRow.Reaction(value: "👍", count: 1, isMine: true)]])
        #expect(try alice.rows().map(\.operation) == [nil])
      }
    }
  }

  // O14, S9.4
  @Test func `a message that is deleted leaves no file, on no phone and not on the server`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        try await bench.running("bob") { bob in
          let (id, picture) = try send(alice, Self.picture)
          try await until(bench) { bytes(bob, picture) == Self.picture }
          try alice.message(id).delete()
          try await until(bench) { try isDelivered(alice) && bob.rows().first?.isDeleted == true }
          #expect(try alice.rows().map(\.attachments) == [[]])
          #expect(try bob.rows().map(\.attachments) == [[]])
          for folder in [bench.folder(of: "alice"), bench.folder(of: "bob"), bench.serverFolder] {
            let files = try FileManager.default.contentsOfDirectory(
              atPath: folder.appendingPathComponent("attachments").path)
            #expect(files.isEmpty)
          }
        }
      }
    }
  }

  // O9.2, O13, S9.4
  @Test func `a message that is deleted in mid-upload frees those behind it, and its file goes`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let (id, picture) = try send(alice, Self.picture)
        try alice.send("behind", in: eg.conversation)
        try await until(bench) { bench.pieces.count == 2 }
        try await alice.message(id).cancel()
        try await until(bench) { try isDelivered(alice) }
        #expect(try alice.bodies() == ["behind"])
        #expect(alice.attachmentFile(picture.checksum) == nil)
        #expect(bench.pieces.count <= 3)
        let folder = bench.folder(of: "alice").appendingPathComponent("attachments").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      }
    }
  }

  // O7.9, O8.3, O13
  @Test func `a refused attachment stops its message, with the reason, and no other message`() throws {
    var limits = Limits()
    limits.maximumAttachmentBytes = 100
    try RelayBench.simulate(limits: limits) { bench in
      try await bench.running("alice") { alice in
        let id = try send(alice, Self.picture).id
        try alice.send("behind", in: eg.conversation)
        try await until(bench) { try alice.unsentCount() == 1 }
        let row = try #require(try alice.rows().first { $0.id == id })
        guard case .failed(let reason) = row.delivery else {
          Issue.record("it is \(row.delivery)")
          return
        }
        #expect(reason.code == .attachmentRefused)
        #expect(reason.explanation == "This attachment is larger than the server accepts.")
        #expect(try await alice.message(id).takeBack().attachments.count == 1)
      }
    }
  }

  // O13
  @Test func `a file that is not what it was stops its message after three times`() throws {
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let (id, picture) = try send(alice, Self.picture)
      let file = try #require(alice.attachmentFile(picture.checksum))
      try Data(count: Self.picture.count).write(to: file)
      try await bench.running("alice") { alice in
        try await until(bench) { try alice.rows().first?.hasFailed == true }
        guard case .failed(let reason) = try alice.rows().first?.delivery else { return }
        #expect(reason.code == .attachmentDamaged)
        #expect(bench.pieces.count == 15)
        // Picked again, the file is complete again.
        try alice.conversation(eg.conversation).attach(Self.picture, name: "a.png")
        try await alice.message(id).retry()
        try await until(bench) { try isDelivered(alice) }
      }
    }
  }

  // O13
  @Test func `a file that is gone stops its message`() throws {
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let picture = try send(alice, Self.picture).attachment
      try FileManager.default.removeItem(at: try #require(alice.attachmentFile(picture.checksum)))
      try await bench.running("alice") { alice in
        try await until(bench) { try alice.rows().first?.hasFailed == true }
        #expect(bench.pieces.isEmpty)
      }
    }
  }

  // O13
  @Test func `an attachment that the server has lost is uploaded again when its message is refused`() throws {
    var limits = Limits()
    limits.maximumUnsentAttachments = 1
    try RelayBench.simulate(limits: limits) { bench in
      let hasDropped = Mutexed(false)
      bench.decide { frame in
        // The first hand-over is held back until the server has dropped the attachment for another one.
        guard case .send = frame, hasDropped.withLock({ !$0 }) else { return .arrives }
        hasDropped.withLock { $0 = true }
        return .cutsTheLink
      }
      try await bench.running("alice") { alice in
        try send(alice, Self.picture)
        try await until(bench) { hasDropped.withLock { $0 } }
        try await bench.bring(Data([1]), as: "alice")
        try await until(bench) { try isDelivered(alice) }
        #expect(bench.pieces.count == 10)
      }
    }
  }

  // O13
  @Test func `an attachment of no visible message cannot be downloaded, and is left alone`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("bob") { bob in
        let stranger = ChatAttachment(
          checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "x",
          mediaType: "image/png", byteCount: 5)
        var forged = eg.incoming("m", from: "alice")
        forged.attachments = [stranger]
        let message = forged
        try bob.store.write { _ = try $0.take(message, now: eg.date) }
        try await bench.pass(.seconds(30))
        let fetches = bench.frames.count { if case .fetch = $0 { true } else { false } }
        #expect(fetches <= 1)
        #expect(try bob.rows().first?.attachments.first?.state == .remote)
      }
    }
  }
}

extension MessageRow {
  var hasFailed: Bool { if case .failed = delivery { true } else { false } }
}
