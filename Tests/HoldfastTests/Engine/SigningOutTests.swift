import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct SigningOutTests {
  private func files(with text: String, in folder: URL) throws -> [String] {
    try FolderContents(folder).names.filter { name in
      let url = folder.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue
      else {
        return false
      }
      return try Data(contentsOf: url).range(of: Data(text.utf8)) != nil
    }
  }

  // S8.2, S8.3
  @Test func `unsent messages and drafts are counted, and can be exported as plain text`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        #expect(try client.outbox.unsentSummary().isEmpty)
        #expect(try client.outbox.exportUnsent() == "")
        bench.transport.say(.ready)
        let delivered = try client.send("delivered", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(delivered)]))
        try await bench.rest()
        try client.message(delivered).edit(to: "better")
        let failed = try client.send("failed", in: eg.conversation)
        try client.fail(failed)
        try client.send("queued", in: eg.conversation)
        client.drafts.edit("half a thought", in: eg.conversation)

        #expect(
          try client.outbox.unsentSummary() == UnsentSummary(messages: 2, failed: 1, operations: 1, drafts: 1)
        )
        let text = try client.outbox.exportUnsent()
        let parts = [
          "Draft, alice-bob, 2026", "half a thought", "Edit that was not sent", "better", "failed", "queued",
        ]
        var rest = text[...]
        for part in parts {
          let found = try #require(rest.range(of: part), "\(part) in \(text)")
          rest = rest[found.upperBound...]
        }
        #expect(!text.contains("delivered"))
      }
    }
  }

  // S8.4
  @Test func `what only this device has is counted and exported, beside a server`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        bench.transport.say(.items([.message(eg.incoming("known", "from the server"))], cursor: nil))
        try await bench.rest()
        #expect(try client.outbox.unsentSummary().isEmpty)

        try client.createConversation("notes", isOnDevice: true)
        try client.send("a note", in: "notes")
        #expect(try !client.outbox.unsentSummary().isEmpty)
        try client.conversation(eg.conversation).store(
          FinishedMessage(
            id: "r", sender: "carol", role: .user, content: MessageContent("recorded"), createdAt: eg.date))
        let reply = try await client.conversation(eg.conversation).beginReply()
        try await reply.append("half a reply")
        try await reply.interrupt()
        #expect(
          try client.outbox.unsentSummary()
            == UnsentSummary(messages: 0, failed: 0, operations: 0, drafts: 0, onDevice: 2, replies: 1))
        let text = try client.outbox.exportUnsent()
        for part in [
          "a note", "recorded", "carol", "half a reply", "On this device alone", "Unfinished reply",
        ] {
          #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(!text.contains("from the server"))

        // The server has the recorded message, and the reply is discarded.
        bench.transport.say(
          .items([.message(eg.incoming("r", from: "carol", "recorded", order: 2))], cursor: nil))
        try client.message(reply.id).delete()
        try await client.conversation("notes").delete()
        try await bench.rest()
        #expect(try client.outbox.unsentSummary().isEmpty)
        #expect(try client.outbox.exportUnsent() == "")
      }
    }
  }

  // S8.4, L1.1
  @Test func `without a server everything is on this device alone`() throws {
    let bench = try Bench()
    let client = try ChatClient(
      storage: .folder(bench.scratch.url), transport: DeviceTransport(), user: eg.user,
      configuration: ChatConfiguration(environment: bench.environment))
    try client.createConversation(eg.conversation)
    #expect(try client.outbox.unsentSummary().isEmpty)
    try client.send("one", in: eg.conversation)
    let deleted = try client.send("two", in: eg.conversation)
    try client.message(deleted).delete()
    #expect(try client.outbox.unsentSummary().onDevice == 1)
    #expect(try client.outbox.exportUnsent().contains("one"))
  }

  // H5, S8.2
  @Test func `deleted conversations do not count as unsent, even while Undo is offered`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.send("unwanted", in: eg.conversation)
        client.drafts.edit("half a thought", in: eg.conversation)
        try client.hardSave()
        #expect(
          try client.outbox.unsentSummary() == UnsentSummary(messages: 1, failed: 0, operations: 0, drafts: 1)
        )
        try await client.conversation(eg.conversation).delete()
        #expect(try client.outbox.unsentSummary().isEmpty)
        #expect(try client.outbox.exportUnsent() == "")
        try await client.conversation(eg.conversation).undoDeletion()
        #expect(
          try client.outbox.unsentSummary() == UnsentSummary(messages: 1, failed: 0, operations: 0, drafts: 1)
        )
      }
    }
  }

  // S8.2
  @Test func `an erased store leaves nothing, and everything says so`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try client.send("a secret", in: eg.conversation)
        client.drafts.edit("another secret", in: eg.conversation)
        try client.hardSave()
        try await client.erase()
        #expect(!FileManager.default.fileExists(atPath: bench.scratch.url.path))
        #expect(throws: ChatError.self) { try client.send("hello", in: eg.conversation) }
        #expect(client.drafts.text(in: eg.conversation) == "")
        await #expect(throws: ChatError(.storageErased, "The store was erased. Open a new one.")) {
          try await client.resume()
        }
      }
      try makePrivateFolder(bench.scratch.url)
      #expect(try bench.client().outbox.unsentCount() == 0)
    }
  }

  // S8
  @Test func `a store that another process sends from is not erased`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (first, second) = (try shared.client(shared.app), try shared.client(shared.other))
      try first.send("kept", in: eg.conversation)
      try await shared.running(first) {
        await #expect(throws: ChatError.self) { try await second.erase() }
        let bodies = try first.bodies()
        #expect(bodies == ["kept"])
      }
    }
  }

  // S9.1, S9.2
  @Test(arguments: ["cancelled", "taken back and discarded", "deleted here", "deleted there"])
  func `a deleted text is in none of the store's files`(how: String) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let secret = "a secret of some length"
        if how == "deleted there" {
          bench.transport.say(.ready)
          bench.transport.say(.items([.message(eg.incoming("m", secret))], cursor: nil))
          try await bench.rest()
          #expect(try !files(with: secret, in: bench.scratch.url).isEmpty)
          bench.transport.say(
            .items([.message(eg.incoming("m", "", revision: 1, deletedAt: eg.date))], cursor: nil))
          try await bench.rest()
        } else {
          let id = try client.send(secret, in: eg.conversation)
          #expect(try !files(with: secret, in: bench.scratch.url).isEmpty)
          switch how {
          case "cancelled": try await client.message(id).cancel()
          case "deleted here": _ = try client.message(id).delete()
          default:
            try await client.message(id).takeBack()
            _ = try client.drafts.discard(in: eg.conversation)
          }
        }
        #expect(try files(with: secret, in: bench.scratch.url) == [])
      }
    }
  }
}
