import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The server's own names of messages and reactions (rule B1).
@Suite(.timeLimit(.minutes(10))) struct ServerNamesTests {
  private static func named(
    _ id: MessageID, from sender: UserID = eg.user, _ text: String = "mine", order: Int64? = 7,
    revision: Int64 = 0, deletedAt: Date? = nil, reactions: [IncomingMessage.Reaction] = [],
    replyTo: MessageID? = nil, as name: String
  ) -> IncomingMessage {
    var message = eg.incoming(
      id, from: sender, text, order: order, revision: revision, deletedAt: deletedAt, reactions: reactions,
      serverID: name)
    message.content.replyTo = replyTo
    return message
  }

  private static func say(_ messages: IncomingMessage..., on bench: Bench) async throws {
    bench.transport.say(.items(messages.map(IncomingItem.message), cursor: nil))
    try await bench.rest()
  }

  private static func say(_ receipt: Receipt, on bench: Bench) async throws {
    bench.transport.say(.receipts([receipt]))
    try await bench.rest()
  }

  /// Sends a message, and returns its ID once it has been sent.
  private static func send(
    _ text: String, _ count: Int, _ client: ChatClient, _ bench: Bench
  ) async throws -> MessageID {
    bench.transport.say(.ready)
    let id = try client.send(text, in: eg.conversation)
    await bench.transport.transmission(count)
    return id
  }

  /// A client with one delivered message of its own. The receipt has given the message's name.
  private static func withDelivered(
    _ body: @escaping @Sendable (ChatClient, MessageID, Bench) async throws -> Void
  ) throws {
    try Bench.simulate(supportsReadReceipts: true) { bench in
      try await bench.running { client in
        let id = try await send("mine", 1, client, bench)
        try await say(eg.receipt(id, order: nil, serverID: "$1"), on: bench)
        try await body(client, id, bench)
      }
    }
  }

  // B1.3
  @Test func `an echo under the server's name is the message whose receipt had the name, and places it`()
    throws
  {
    try Self.withDelivered { client, id, bench in
      try await Self.say(Self.named("$0", from: eg.other, "theirs", order: 6, as: "$0"), on: bench)
      try await Self.say(Self.named("$1", as: "$1"), on: bench)
      #expect(try client.rows().map(\.id) == ["$0", id])
      #expect(try client.rows().allSatisfy { $0.status.state == .delivered })
    }
  }

  // B1.3, O6
  @Test func `an echo under the server's name that comes before the receipt becomes the message`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await Self.send("mine", 1, client, bench)
        let reaction = IncomingMessage.Reaction("👍", from: eg.other, serverID: "$r")
        try await Self.say(
          Self.named("$1", revision: 3, reactions: [reaction], as: "$1"),
          Self.named("$2", from: eg.other, "an answer", order: 8, replyTo: "$1", as: "$2"), on: bench)
        try client.message("$1").react("❤️")
        try await Self.say(eg.receipt(id, order: nil, serverID: "$1"), on: bench)
        let rows = try client.rows()
        #expect(rows.map(\.id) == [id, "$2"])
        #expect(rows.map(\.status.state) == [.delivered, .delivered])
        #expect(rows[0].reactions.map(\.value).sorted() == ["❤️", "👍"])
        #expect(rows[1].quote?.excerpt == "mine")
        let operation = await bench.transport.transmission(2)
        #expect(operation.operation?.target == id)
        #expect(operation.serverIDs.target == "$1")
      }
    }
  }

  // B1.3, O6
  @Test func `an echo that has our ID joins the row that came under its name`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await Self.send("mine", 1, client, bench)
        try await Self.say(Self.named("$1", as: "$1"), on: bench)
        #expect(try client.rows().count == 2)
        try await Self.say(Self.named(id, as: "$1"), on: bench)
        #expect(try client.rows().map(\.id) == [id])
        #expect(try client.outbox.unsentCount() == 0)
      }
    }
  }

  // B1.1, B1.3: the crash is between the echo and the receipt. The receipt comes again with the next attempt.
  @Test func `a row under the server's name waits for the receipt across a crash`() throws {
    try Bench.simulate { bench in
      let sent = Mutexed<MessageID?>(nil)
      try await bench.running { client in
        let id = try await Self.send("mine", 1, client, bench)
        sent.withLock { $0 = id }
        try await Self.say(Self.named("$1", as: "$1"), on: bench)
      }
      try await bench.running { client in
        bench.transport.say(.ready)
        let again = await bench.transport.transmission(2)
        try await Self.say(eg.receipt(again.id, order: 7, serverID: "$1"), on: bench)
        #expect(try client.rows().map(\.id) == [sent.withLock { $0! }])
      }
    }
  }

  // B1.2
  @Test func `names are given back with what is done to a message`() throws {
    try Self.withDelivered { client, id, bench in
      try await Self.say(Self.named("$2", from: eg.other, "theirs", order: 8, as: "$2"), on: bench)
      try client.message(id).edit(to: "mended")
      #expect(await bench.transport.transmission(2).serverIDs == OutgoingMessage.ServerIDs(target: "$1"))
      try await Self.say(eg.receipt(bench.transport.sent[1].id, serverID: "$edit"), on: bench)
      try client.send("an answer", in: eg.conversation, replyTo: "$2")
      #expect(await bench.transport.transmission(3).serverIDs == OutgoingMessage.ServerIDs(replyTo: "$2"))
      try client.conversation(eg.conversation).markRead(upTo: "$2")
      try await bench.pass(.seconds(2))
      #expect(bench.transport.marks.map(\.message) == ["$2"])
      #expect(bench.transport.marks.map(\.serverID) == ["$2"])
    }
  }

  // B1.2
  @Test(arguments: [nil, 4] as [Int64?])
  func `a reaction is taken back under the name that its receipt had`(revision: Int64?) throws {
    try Self.withDelivered { client, id, bench in
      try client.message(id).react("👍")
      let reaction = await bench.transport.transmission(2)
      try await Self.say(eg.receipt(reaction.id, revision: revision, serverID: "$r"), on: bench)
      if let revision {
        let named = IncomingMessage.Reaction("👍", from: eg.user)
        try await Self.say(Self.named(id, revision: revision, reactions: [named], as: "$1"), on: bench)
      }
      #expect(try client.row(id).reactions.map(\.value) == ["👍"])
      try client.message(id).unreact("👍")
      #expect(
        await bench.transport.transmission(3).serverIDs
          == OutgoingMessage.ServerIDs(target: "$1", reaction: "$r"))
    }
  }

  // B1.2, O14: the deletion arrives before the receipt.
  @Test func `the name of a reaction does not bring it back to a deleted message`() throws {
    try Self.withDelivered { client, id, bench in
      try client.message(id).react("👍")
      let reaction = await bench.transport.transmission(2)
      try await Self.say(Self.named(id, "", revision: 5, deletedAt: eg.date, as: "$1"), on: bench)
      try await Self.say(eg.receipt(reaction.id, revision: 4, serverID: "$r"), on: bench)
      #expect(try client.row(id).reactions.isEmpty)
    }
  }

  // B1.1, B13.2
  @Test func `the server's name in a read mark or an answer means the message`() throws {
    try Self.withDelivered { client, id, bench in
      let mark = IncomingItem.ReadMark(
        conversation: eg.conversation, reader: eg.other, message: "$1", order: nil)
      bench.transport.say(.items([.readMark(mark)], cursor: nil))
      try await Self.say(
        Self.named("$2", from: eg.other, "an answer", order: 9, replyTo: "$1", as: "$2"), on: bench)
      #expect(try client.row(id).readBy == [eg.other])
      #expect(try client.row("$2").quote?.id == id)
    }
  }

  // B1.4
  @Test func `a name that comes twice for two messages is refused, and reported`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await Self.send("mine", 1, client, bench)
        try await Self.say(
          Self.named("theirs", from: eg.other, "theirs", order: 1, as: "$1"),
          Self.named("another", from: eg.other, "another", order: 2, as: "$1"), on: bench)
        #expect(try client.rows().map(\.id) == ["theirs", id])
        try await Self.say(eg.receipt(id, order: 3, serverID: "$1"), on: bench)
        #expect(try client.row(id).status.state != .delivered, "The receipt cannot be right.")
        let warnings = bench.log.lines.filter { $0.hasPrefix("warning") }
        #expect(warnings.count { $0.contains("its ID or its name is known as another message's") } == 1)
        #expect(warnings.count { $0.contains("the server calls another message by this name") } == 1)
        #expect(!warnings.contains { $0.contains("$1") })
      }
    }
  }

  // B1.4
  @Test(arguments: [eg.other, eg.user])
  func `a message under the name of another sender's is refused`(sender: UserID) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let first = sender == eg.user ? eg.other : eg.user
        try await Self.say(
          Self.named("ours", from: first, "first", order: 1, as: "$1"),
          Self.named("$1", from: sender, "second", order: 2, as: "$1"), on: bench)
        #expect(try client.rows().map(\.text) == ["first"])
      }
    }
  }

  // B1.4, H11.1: our IDs are written by clients where a server names messages itself.
  @Test(arguments: [["ours", "theirs"], ["theirs", "ours"]])
  func `a message under the ID of another sender's is beside it, whichever came first`(
    order: [String]
  ) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        for text in order {
          let (sender, name) = text == "ours" ? (eg.user, "$1") : (eg.other, "$2")
          try await Self.say(Self.named("one", from: sender, text, order: nil, as: name), on: bench)
        }
        #expect(try client.rows().map(\.text) == order)
        #expect(try client.rows().map(\.id) == ["one", order[0] == "ours" ? "$2" : "$1"])
        // An operation on either message changes the right one.
        for name in ["$1", "$2"] {
          let edit = IncomingOperation(
            MessageOperation(.edit, of: MessageID(rawValue: name)), MessageContent("edited"),
            in: eg.conversation, by: name == "$1" ? eg.user : eg.other, at: eg.date + 1, serverID: "$e\(name)"
          )
          bench.transport.say(.items([.operation(edit)], cursor: nil))
          try await bench.rest()
          #expect(try client.rows().count { $0.text == "edited" } == (name == "$1" ? 1 : 2))
        }
      }
    }
  }

  // B1.3, O6
  @Test func `a second copy under another name changes nothing`() throws {
    try Self.withDelivered { client, id, bench in
      try await Self.say(
        Self.named(id, as: "$1"),
        Self.named(id, "", order: 9, revision: 5, deletedAt: eg.date, as: "$2"), on: bench)
      #expect(try client.rows().map(\.text) == ["mine"])
      try client.message(id).edit(to: "mended")
      #expect(await bench.transport.transmission(2).serverIDs.target == "$1")
    }
  }

  // B1.1, L8
  @Test func `a forgotten message does not come back under the server's name`() throws {
    try Bench.simulate { bench in
      try await bench.running(ChatConfiguration(recordsDeliveries: true)) { client in
        let id = try await Self.send("mine", 1, client, bench)
        try await Self.say(eg.receipt(id, order: 7, serverID: "$1"), on: bench)
        let outcome = try #require(try client.outbox.storedDeliveries(after: 0).last)
        try client.outbox.acknowledge(upTo: outcome.number, forgettingMessages: true)
        try await Self.say(Self.named("$1", as: "$1"), on: bench)
        #expect(try client.rows().isEmpty)
      }
    }
  }

  // B1.4
  @Test(arguments: ["", "a\u{1}b", String(repeating: "x", count: 256)])
  func `a malformed name is refused with what came with it`(name: String) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try await Self.send("mine", 1, client, bench)
        try await Self.say(Self.named("theirs", from: eg.other, as: name), on: bench)
        try await Self.say(eg.receipt(id, order: 1, serverID: name), on: bench)
        #expect(try client.rows().map(\.id) == [id])
        #expect(try client.row(id).status.state != .delivered)
      }
    }
  }
}
