import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Statements of the server about a whole conversation (rule B5): its ID, its end, and its refusal.
@Suite(.timeLimit(.minutes(10))) struct WholeConversationTests {
  private static let new: ConversationID = "server-17"
  private static let refusal = FailureReason(.conversationRefused, "The conversation is closed.")

  private static func named(
    _ id: ConversationID = new, before earlier: [ConversationID] = [eg.conversation],
    refusal: FailureReason? = nil
  ) -> IncomingItem {
    .conversation(
      IncomingConversation(
        id: id, title: nil, members: [eg.user, eg.other], earlierIDs: earlier, refusal: refusal))
  }

  private static func texts(_ client: ChatClient, _ conversation: ConversationID) throws -> [String] {
    try client.reader.conversation(conversation, limit: 100).rows.map(\.text)
  }

  private static func listed(_ client: ChatClient) throws -> [ConversationID] {
    try client.reader.list(limit: 10).rows.map(\.id)
  }

  private static func say(_ items: IncomingItem..., cursor: SyncCursor? = nil, on bench: Bench) async throws {
    bench.transport.say(.items(items, cursor: cursor))
    try await bench.rest()
  }

  // B5.1, D15.1, D15.2, D15.3
  @Test func `the server's ID takes over draft, queue, what is held and what is open`() throws {
    try Bench.simulate(window: 8) { bench in
      try await bench.running { client in
        let composer = client.conversation(eg.conversation).composer()
        composer.edit("typed")
        try client.send("held", in: eg.conversation)
        try client.hold()
        bench.transport.say(.ready)
        let sent = try client.send("sent", in: eg.conversation)
        await bench.transport.transmission(1)
        try await Self.say(
          Self.named(), .message(eg.incoming("m1", in: Self.new, "theirs", order: 1)),
          cursor: SyncCursor(rawValue: "1"), on: bench)
        bench.transport.say(.receipts([eg.receipt(sent, in: Self.new, order: 2)]))
        try await bench.rest()
        #expect(try Self.listed(client) == [Self.new])
        #expect(try Self.texts(client, eg.conversation) == ["theirs", "sent", "held"])
        composer.edit("typed, and more")
        try client.hardSave()
        #expect(try client.drafts.stored(in: Self.new) == ["typed, and more"])
        #expect(try client.store.read { try $0.settings.cursor() } == SyncCursor(rawValue: "1"))
        try client.outbox.answerHeld(.send)
        try await bench.rest()
        #expect(bench.transport.sent.last?.conversation == Self.new)
      }
    }
  }

  // B5.1, D15.1, D15.3
  @Test func `a conversation that has come under the server's ID already takes the phone's own in`() throws {
    try Bench.simulate(window: 8) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try client.send("mine", in: eg.conversation)
        let composers = [eg.conversation, Self.new].map { client.conversation($0).composer() }
        composers[0].edit("typed here")
        try await Self.say(.message(eg.incoming("m1", in: Self.new, "theirs", order: 1)), on: bench)
        composers[1].edit("typed there")
        try await Self.say(Self.named(), Self.named(), on: bench)
        #expect(try Set(Self.texts(client, Self.new)) == ["theirs", "mine"])
        #expect(try Self.listed(client) == [Self.new])
        try client.hardSave()
        #expect(try client.drafts.stored(in: Self.new) == ["typed there\ntyped here"])
      }
    }
  }

  // B5.1, D15
  @Test func `a phone that never knew the earlier ID still finds the conversation by it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await Self.say(Self.named(before: ["on-another-phone"]), on: bench)
        try await Self.say(.message(eg.incoming("m1", in: "on-another-phone", "late", order: 1)), on: bench)
        #expect(try Self.texts(client, Self.new) == ["late"])
      }
    }
  }

  // B5.1, H5.2
  @Test(arguments: [false, true])
  func `a conversation that was deleted here stays so under the server's ID`(isErased: Bool) throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await Self.say(.message(eg.incoming("m1", "old", order: 3)), on: bench)
        try await client.conversation(eg.conversation).delete()
        if isErased { try await bench.pass(.seconds(20)) }
        try await Self.say(
          Self.named(), .message(eg.incoming("m1", in: Self.new, "old", order: 3)), on: bench)
        #expect(try Self.listed(client) == [])
        guard !isErased else { return }
        try await client.conversation(Self.new).undoDeletion()
        #expect(try Self.listed(client) == [Self.new])
        #expect(try Self.texts(client, eg.conversation) == ["old"])
      }
    }
  }

  // B5.2, R5.1, R5.2
  @Test func `a conversation that the server has removed is not found, and its messages are erased`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await Self.say(.message(eg.incoming("m1", "old", order: 3)), on: bench)
        let window = PlainScene(client, "window")
        window.open(eg.conversation)
        try client.hardSave()
        try await Self.say(.removed(eg.conversation), .removed("unknown"), on: bench)
        #expect(try Self.listed(client) == [])
        #expect(try !client.reader.conversation(eg.conversation, limit: 1).exists)
        try await bench.pass(.seconds(20))
        #expect(try client.storedConversation(eg.conversation) == nil)
        let later = PlainScene(client, "window")
        #expect(later.conversation == nil)
        try await Self.say(.message(eg.incoming("m1", "old", order: 3)), on: bench)
        #expect(try Self.listed(client) == [])
      }
    }
  }

  // B5.2, O8, D1
  @Test func `what its user has written and not sent stays when the server removes a conversation`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let composer = client.conversation(eg.conversation).composer()
        try await Self.say(.message(eg.incoming("m1", "theirs", order: 1)), on: bench)
        let mine = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(mine, order: 2)]))
        try await bench.rest()
        try client.send("on its way", in: eg.conversation)
        try client.send("queued", in: eg.conversation)
        try client.message(mine).react("👍")
        composer.edit("typed")
        try await Self.say(.removed(eg.conversation), cursor: SyncCursor(rawValue: "2"), on: bench)
        try await bench.pass(.seconds(20))
        let snapshot = try client.reader.conversation(eg.conversation, limit: 10)
        #expect(snapshot.rows.map(\.text) == ["on its way", "queued"])
        #expect(snapshot.refusal == FailureReason(.conversationRemoved))
        #expect(
          snapshot.rows.allSatisfy {
            $0.status.failure?.cause == .conversationRemoved || $0.status.state == .sending
          })
        #expect(try composer.content().text == "typed")
        #expect(try client.drafts.stored(in: eg.conversation) == ["typed"])
        #expect(try client.overlays() == 0, "A change goes with its message.")
        #expect(try client.storedMessage("m1") == nil)
        #expect(try client.reader.list(limit: 10).rows.map(\.refusal?.cause) == [.conversationRemoved])
        // The user is admitted again, and continues.
        try await Self.say(Self.named(eg.conversation, before: []), on: bench)
        #expect(try client.reader.conversation(eg.conversation, limit: 10).refusal == nil)
      }
    }
  }

  // B5.2, D1
  @Test @MainActor func `the text of an unfinished edit goes behind the draft when its message is removed`()
    async throws
  {
    let bench = try Bench()
    let client = try bench.client()
    let id = try client.delivered("at eight")
    let composer = ComposerModel(client, eg.conversation)
    composer.beginEdit(id)
    composer.edit("at nine")
    try await client.take(.items([.removed(eg.conversation)], cursor: nil))
    composer.refresh()
    let later = ComposerModel(try bench.client(), eg.conversation)
    #expect(later.snapshot.unfinishedEdit == id)
    later.beginEdit(id)
    #expect(later.snapshot.text == "at nine")
    #expect(later.snapshot.editing == nil)
  }

  // B5.3, O8
  @Test func `a refusal by the server stops a conversation until the server takes messages again`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await Self.say(
          Self.named(eg.conversation, before: [], refusal: Self.refusal), on: bench)
        try client.send("waits", in: eg.conversation)
        try await bench.rest()
        #expect(bench.transport.sent.isEmpty)
        #expect(try client.reader.conversation(eg.conversation, limit: 1).refusal == Self.refusal)
        try await Self.say(Self.named(eg.conversation, before: []), on: bench)
        #expect(await bench.transport.transmission(1).text == "waits")
      }
    }
  }

  // B5.1, B5.2
  @Test func `a word that could not be stored comes again with the event, and counts once`() throws {
    try Bench.simulate { bench in
      let client = try bench.client(isSimulated: true)
      try client.send("mine", in: eg.conversation)
      client.drafts.edit("typed", in: eg.conversation)
      for word in [Self.named(), .removed(Self.new)] {
        let event = TransportEvent.items([word], cursor: SyncCursor(rawValue: "1"))
        bench.gate.fail()
        do { try await client.take(event) } catch {}
        bench.gate.heal()
        try await client.take(event)
        try await client.take(event)
      }
      #expect(try Self.texts(client, Self.new) == ["mine"])
      try client.hardSave()
      #expect(try client.drafts.stored(in: Self.new) == ["typed"])
    }
  }

  // B5.2, L1
  @Test func `a conversation on this device alone is the server's neither to name nor to remove`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try client.createConversation("notes", isOnDevice: true)
        try client.send("mine", in: "notes")
        try await Self.say(Self.named(before: ["notes"]), .removed("notes"), on: bench)
        #expect(try Self.texts(client, "notes") == ["mine"])
        #expect(try Self.texts(client, Self.new) == [])
      }
    }
  }
}

extension ChatClient {
  fileprivate func take(_ event: TransportEvent) throws { try parts.inbox.apply(event) }
}
