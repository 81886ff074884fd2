import ChatServer
import EngineFixtures
import Foundation
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastStore

private typealias eg = EngineExample

/// Attachments between two phones and the real server (rule O13).
@Suite(.timeLimit(.minutes(10))) struct TransferTests {
  private static func isPiece(_ frame: Wire.ClientFrame) -> Bool {
    if case .upload(let upload) = frame { upload.data != nil } else { false }
  }

  // O13.1, O13.4
  @Test func `the attachment goes first, then its message, then what is behind it`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let picture = try alice.sendFile(RelayBench.picture, "look").attachment
        try alice.send("and this", in: eg.conversation)
        try await bench.until { try alice.isDelivered() }
        let order = bench.frames.compactMap { frame -> String? in
          switch frame {
          case .upload(let upload): upload.data == nil ? nil : "piece"
          case .send(let send): send.messages.map(\.text).joined(separator: ", ")
          default: nil
          }
        }
        #expect(order == ["piece", "piece", "piece", "piece", "piece", "look, and this"])
        try await bench.running("bob") { bob in
          try await bench.until { bob.bytes(of: picture) != nil }
          #expect(bob.bytes(of: picture) == RelayBench.picture)
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
        try alice.sendFile(RelayBench.picture)
        try alice.send("behind", in: eg.conversation)
        try alice.send("elsewhere", in: "other")
        try await bench.until { try alice.outbox.unsentCount() == 2 }
        let rows = try alice.reader.conversation("other", limit: 1).rows
        #expect(rows.map(\.status.state) == [.delivered])
      }
    }
  }

  // O13.2
  @Test func `the row shows how far it is, on both sides`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let seen = Mutexed<[Double]>([])
        let picture = try alice.sendFile(RelayBench.picture).attachment
        #expect(try alice.rows().first?.attachments.first?.state == .waiting)
        try await bench.until {
          if let row = try alice.rows().first?.attachments.first, row.state == .uploading {
            seen.withLock { if $0.last != row.fraction { $0.append(row.fraction ?? -1) } }
          }
          return try alice.isDelivered()
        }
        let fractions = seen.withLock { $0 }
        #expect(fractions.count >= 3)
        #expect(fractions == fractions.sorted())
        #expect(try alice.rows().first?.attachments.first?.state == .here)
        try await bench.running("bob") { bob in
          let states = Mutexed<Set<AttachmentRow.State>>([])
          try await bench.until {
            if let row = try bob.rows().first?.attachments.first {
              states.withLock { _ = $0.insert(row.state) }
            }
            return bob.bytes(of: picture) != nil
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
        let id = try alice.sendFile(RelayBench.picture).id
        try await bench.until { try alice.isDelivered() }
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
        picture.withLock { $0 = try? alice.sendFile(RelayBench.picture).attachment }
        try await bench.until { bench.pieces.count == 3 }
      }
      try await bench.running("alice") { alice in
        try await bench.until { try alice.isDelivered() }
        #expect(bench.pieces.count <= 6)
      }
      try await bench.running("bob") { bob in
        let picture = try #require(picture.withLock { $0 })
        try await bench.until { bob.bytes(of: picture) == RelayBench.picture }
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
        let picture = try alice.sendFile(RelayBench.picture).attachment
        try await bench.until { try alice.isDelivered() }
        try await bench.running("bob") { bob in
          try await bench.until { bob.bytes(of: picture) != nil }
          #expect(bob.bytes(of: picture) == RelayBench.picture)
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
        let picture = try alice.sendFile(RelayBench.picture).attachment
        try await bench.until { try alice.isDelivered() }
        let small = ChatConfiguration.AttachmentLimits(automaticDownloadLimit: 10)
        try await bench.running("bob", attachments: small) { bob in
          try await bench.until { try bob.rows().count == 1 }
          try await bench.pass(.seconds(5))
          #expect(try bob.rows().first?.attachments.first?.state == .remote)
          #expect(try bob.rows().first?.attachments.first?.file == nil)
          await #expect(throws: ChatError.self) { try await bob.download("unknown") }
          try await bob.download(picture.checksum)
          try await bench.until { try bob.rows().first?.attachments.first?.fraction ?? 0 > 0.4 }
        }
        try await bench.running("bob", attachments: small) { bob in
          #expect(bob.bytes(of: picture) == nil)
          try await bench.until { bob.bytes(of: picture) != nil }
          #expect(bob.bytes(of: picture) == RelayBench.picture)
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
        let empty = try alice.sendFile(Data(), name: "empty").attachment
        try alice.sendFile(RelayBench.picture)
        let picture = try alice.sendFile(RelayBench.picture, name: "again.png").attachment
        try await bench.until { try alice.isDelivered() }
        #expect(bench.pieces.count == 5)
        try await bench.running("bob") { bob in
          try await bench.until {
            bob.bytes(of: empty) == Data() && bob.bytes(of: picture) == RelayBench.picture
          }
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
        let first = try alice.sendFile(RelayBench.picture).id
        let second = try alice.send("behind", in: eg.conversation)
        try await bench.until { alice.connectivity == .online }
        #expect(try alice.message(first).explain().code == .uploading)
        #expect(try alice.message(second).explain().waitsFor == first)
      }
    }
  }

  // O13, O14.4
  @Test func `a reaction to a message waits for its upload, and goes behind it`() throws {
    try RelayBench.simulate { bench in
      try await bench.running("alice") { alice in
        let id = try alice.sendFile(RelayBench.picture).id
        let reaction = try #require(try alice.message(id).react("👍"))
        try await bench.until { bench.pieces.count == 2 }
        #expect(try alice.message(reaction).explain().waitsFor == id)
        try await bench.until { try alice.isDelivered() }
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
          let (id, picture) = try alice.sendFile(RelayBench.picture)
          try await bench.until { bob.bytes(of: picture) == RelayBench.picture }
          try alice.message(id).delete()
          try await bench.until { try alice.isDelivered() && bob.rows().first?.isDeleted == true }
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
        let (id, picture) = try alice.sendFile(RelayBench.picture)
        try alice.send("behind", in: eg.conversation)
        try await bench.until { bench.pieces.count == 2 }
        try await alice.message(id).cancel()
        try await bench.until { try alice.isDelivered() }
        #expect(try alice.bodies() == ["behind"])
        #expect(alice.attachmentFile(picture.checksum) == nil)
        #expect(bench.pieces.count <= 3)
        let folder = bench.folder(of: "alice").appendingPathComponent("attachments").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
      }
    }
  }
}
