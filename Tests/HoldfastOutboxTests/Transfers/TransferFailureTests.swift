import ChatServer
import EngineFixtures
import Foundation
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// Files that the server refuses or has lost, and files that are damaged or missing.
@Suite(.timeLimit(.minutes(10))) struct TransferFailureTests {
  // O7.9, O8.3, O13
  @Test func `a refused attachment stops its message, with the reason, and no other message`() throws {
    var limits = Limits()
    limits.maximumAttachmentBytes = 100
    try RelayBench.simulate(limits: limits) { bench in
      try await bench.running("alice") { alice in
        let id = try alice.sendFile(RelayBench.picture).id
        try alice.send("behind", in: eg.conversation)
        try await bench.until { try alice.outbox.unsentCount() == 1 }
        let row = try #require(try alice.rows().first { $0.id == id })
        guard let reason = row.status.failure else {
          Issue.record("it is \(row.status)")
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
      let (id, picture) = try alice.sendFile(RelayBench.picture)
      let file = try #require(alice.attachmentFile(picture.checksum))
      try Data(count: RelayBench.picture.count).write(to: file)
      try await bench.running("alice") { alice in
        try await bench.until { try alice.rows().first?.hasFailed == true }
        guard let reason = try alice.rows().first?.status.failure else { return }
        #expect(reason.code == .attachmentDamaged)
        #expect(bench.pieces.count == 15)
        // Once it is picked again, the file is complete.
        try alice.conversation(eg.conversation).attach(RelayBench.picture, name: "a.png")
        try await alice.message(id).retry()
        try await bench.until { try alice.isDelivered() }
      }
    }
  }

  // O13
  @Test func `a file that is gone stops its message`() throws {
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let picture = try alice.sendFile(RelayBench.picture).attachment
      try FileManager.default.removeItem(at: try #require(alice.attachmentFile(picture.checksum)))
      try await bench.running("alice") { alice in
        try await bench.until { try alice.rows().first?.hasFailed == true }
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
        // The first transmission cuts the link, so that the server can drop the attachment for another one.
        guard case .send = frame, hasDropped.withLock({ !$0 }) else { return .arrives }
        hasDropped.withLock { $0 = true }
        return .cutsTheLink
      }
      try await bench.running("alice") { alice in
        try alice.sendFile(RelayBench.picture)
        try await bench.until { hasDropped.withLock { $0 } }
        try await bench.bring(Data([1]), as: "alice")
        try await bench.until { try alice.isDelivered() }
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
        try bob.takeIn(forged)
        try await bench.pass(.seconds(30))
        let fetches = bench.frames.count { if case .fetch = $0 { true } else { false } }
        #expect(fetches <= 1)
        #expect(try bob.rows().first?.attachments.first?.state == .remote)
      }
    }
  }
}
