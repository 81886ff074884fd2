import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct ConversationRenamingTests {
  private let bench: Bench
  private let new: ConversationID = "server-17"

  init() throws { bench = try Bench() }

  private func bodies(_ client: ChatClient, _ conversation: ConversationID) throws -> [String] {
    try client.reader.conversation(conversation, limit: 100).rows.map(\.text)
  }

  // D15.1, D15.2, D15.3
  @Test func `draft, versions, outbox, timeline and what is held go with the conversation`() async throws {
    do {
      let client = try bench.client()
      try client.send("one", in: eg.conversation)
      try client.hold()
      try client.send("two", in: eg.conversation)
      client.drafts.edit("This is kept as a version", in: eg.conversation)
      try client.hardSave()
      client.drafts.edit("draft", in: eg.conversation)
      try client.hardSave()
      try await client.conversation(eg.conversation).replaceID(with: new)
    }
    let client = try bench.client()
    #expect(try client.reader.list(limit: 10).rows.map(\.id) == [new], "Nothing is left of the old ID.")
    #expect(try bodies(client, new) == ["one", "two"])
    #expect(try client.rows().map(\.status.state).first == .held, "The old ID means the conversation.")
    #expect(client.drafts.text(in: new) == "draft")
    #expect(client.drafts.text(in: eg.conversation) == "draft")
    #expect(try client.drafts.versions(DraftKey(conversation: new.key)).count == 1)
    #expect(try client.outbox.unsentCount() == 2)
    try client.send("three", in: eg.conversation)
    #expect(try bodies(client, new) == ["one", "two", "three"])
  }

  // D15.1, D15.3
  @Test @MainActor func `composers and timelines on the screen follow`() async throws {
    let client = try bench.client()
    let composer = ComposerModel(client, eg.conversation)
    let timeline = ConversationModel(client, eg.conversation)
    composer.edit("draft")
    try await client.conversation(eg.conversation).replaceID(with: new)
    composer.edit("draft, and more")
    #expect(composer.snapshot.text == "draft, and more")
    #expect(composer.snapshot.generation == 0)
    #expect(composer.send() != nil)
    for await snapshot in client.conversation(timeline.snapshot.id).timeline() {
      #expect(snapshot.id == new)
      #expect(snapshot.rows.map(\.text) == ["draft, and more"])
      break
    }
    #expect(try bodies(client, new) == ["draft, and more"])
    #expect(ComposerModel(client, new).snapshot.text == "")
  }

  // D15.1, D15.2, D15.3
  @Test func `where the new ID is there already the two become one, and nothing is lost or doubled`()
    async throws
  {
    let client = try bench.client()
    try client.send("mine", in: eg.conversation)
    client.drafts.edit("typed here", in: eg.conversation)
    try client.takeIn(eg.incoming("m1", in: new, "theirs", order: 1))
    client.drafts.edit("typed there", in: new)
    try client.hardSave()
    // This message is newer than the draft of the old ID, and must not hide that draft.
    try client.send("also mine", in: new)
    try await client.conversation(eg.conversation).replaceID(with: new)
    let expected = ["theirs", "mine", "also mine"]
    for client in [client, try bench.client()] {
      #expect(try Set(bodies(client, new)) == Set(expected))
      #expect(try bodies(client, new).count == 3)
      #expect(client.drafts.text(in: new) == "typed there\ntyped here")
      #expect(try client.reader.list(limit: 10).rows.map(\.id).filter { $0 == eg.conversation } == [])
    }
    let stored = try client.drafts.stored(in: new)
    #expect(stored == ["typed there\ntyped here"])
  }

  // D15.1
  @Test func `the same draft under both IDs is there once, and one alone moves as it is`() async throws {
    let client = try bench.client()
    for id in ["a", "b", "c", "d"] as [ConversationID] { try client.createConversation(id) }
    client.drafts.edit("same", in: "a")
    client.drafts.edit("same", in: "b")
    client.drafts.edit("alone", in: "c")
    try client.hardSave()
    try client.conversation("b").sendDraft()
    client.drafts.edit("same", in: "b")
    try client.hardSave()
    try await client.conversation("a").replaceID(with: "b")
    #expect(client.drafts.text(in: "b") == "same")
    // The draft of "c" is older than the message that was sent in "d".
    client.drafts.edit("sent", in: "d")
    try client.conversation("d").sendDraft()
    try await client.conversation("c").replaceID(with: "d")
    #expect(try bench.client().drafts.text(in: "d") == "alone")
  }

  // D1, D15.1
  @Test @MainActor func `of two unfinished edits of different messages, one joins the new message`()
    async throws
  {
    let client = try bench.client()
    try client.createConversation(new)
    let ids = try [eg.conversation, new].map { try client.send("said", in: $0) }
    let composers = [eg.conversation, new].map { ComposerModel(client, $0) }
    for (composer, id) in zip(composers, ids) {
      composer.beginEdit(id)
      composer.edit("edit of \(id)")
      composer.hardSave()
    }
    try await client.conversation(eg.conversation).replaceID(with: new)
    for composer in composers { composer.refresh() }
    #expect(composers[1].snapshot.text == "edit of \(ids[1])")
    #expect(composers[0].snapshot.editing == nil)
    #expect(composers[0].snapshot.text == "edit of \(ids[0])")
    let later = ComposerModel(try bench.client(), new)
    #expect(later.snapshot.text == "edit of \(ids[0])")
    #expect(later.snapshot.unfinishedEdit == ids[1])
  }

  // D15.2, D15.3
  @Test func `receipts, echoes and pages under either ID belong to the conversation`() throws {
    try Bench.simulate(window: 8) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let ids = try ["1", "2", "3"].map { try client.send($0, in: eg.conversation) }
        await bench.transport.transmission(3)
        try await client.conversation(eg.conversation).replaceID(with: new)
        bench.transport.say(
          .receipts([eg.receipt(ids[0], order: 1)]),
          .receipts([eg.receipt(ids[1], in: new, order: 2)]),
          .items(
            [
              .message(eg.incoming(ids[2], from: eg.user, "3", order: 3)),
              .message(eg.incoming("m4", "4", order: 4)),
            ],
            cursor: nil))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try bodies(client, new) == ["1", "2", "3", "4"])
        // The lane continues under the new ID.
        try client.send("5", in: eg.conversation)
        let fifth = await bench.transport.transmission(4)
        #expect(fifth.conversation == new)
        #expect(bench.transport.sent.count == 4, "Nothing left twice.")
      }
    }
  }

  // D15.2
  @Test func `two lanes with messages on their way become one, and each message is confirmed once`() throws {
    try Bench.simulate(window: 8) { bench in
      try await bench.running { client in
        try client.createConversation(new)
        bench.transport.say(.ready)
        let old = try client.send("old", in: eg.conversation)
        let there = try client.send("there", in: new)
        await bench.transport.transmission(2)
        try await client.conversation(eg.conversation).replaceID(with: new)
        let last = await bench.transport.transmission(4)
        #expect(last.conversation == new)
        #expect(Set(bench.transport.sent.map(\.id)) == [old, there])
        bench.transport.say(.receipts([eg.receipt(old, order: 1), eg.receipt(there, in: new, order: 2)]))
        try await bench.rest()
        #expect(try client.outbox.unsentCount() == 0)
        #expect(try bodies(client, new) == ["old", "there"])
      }
    }
  }

  // D15.3, H3
  @Test func `an answer that is being streamed goes on, whoever writes it`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, .piece(eg.piece(0, "to")))
        let own = try await client.conversation(eg.conversation).beginReply().id
        try await client.reply(own).append("my ")
        try await bench.rest()
        try await client.conversation(eg.conversation).replaceID(with: new)
        bench.transport.say(.piece(eg.piece(1, "kens")))
        try await client.reply(own).append("own")
        try await bench.rest()
        try await client.reply(own).finish()
        #expect(try Set(bodies(client, new)) == ["tokens", "my own"])
        #expect(await bench.transport.transmission(1).conversation == new)
      }
    }
  }

  // D15
  @Test func `it is done whole or not at all, and may be asked for again`() async throws {
    let client = try bench.client()
    try client.send("one", in: eg.conversation)
    client.drafts.edit("draft", in: eg.conversation)
    try client.hardSave()
    bench.gate.fail()
    await #expect(throws: ChatError.self) {
      try await client.conversation(eg.conversation).replaceID(with: new)
    }
    bench.gate.heal()
    #expect(try bodies(client, eg.conversation) == ["one"])
    #expect(try client.reader.conversation(new, limit: 1).exists == false)
    #expect(client.drafts.text(in: eg.conversation) == "draft")
    try await client.conversation(eg.conversation).replaceID(with: new)
    try await client.conversation(eg.conversation).replaceID(with: new)
    #expect(try bodies(client, new) == ["one"])
    // The conversation gets its first ID back, and then a third one. Every earlier ID still refers to it.
    try await client.conversation(new).replaceID(with: eg.conversation)
    try await client.conversation(eg.conversation).replaceID(with: "third")
    for id in [eg.conversation, new, "third"] { #expect(try bodies(client, id) == ["one"]) }
    #expect(try bench.client().drafts.text(in: new) == "draft")
  }

  // D15
  @Test(arguments: [
    ("nowhere", "x", ChatError.Code.unknownConversation), ("alice-bob", "", .malformedID),
    ("alice-bob", "a\u{0}b", .malformedID), ("", "x", .malformedID),
    ("alice-bob", "alice-bob", .sameConversation),
  ])
  func `a rename that makes no sense is refused with its reason`(
    old: String, new: String, code: ChatError.Code
  ) async throws {
    let client = try bench.client()
    await #expect {
      try await client.conversation(ConversationID(rawValue: old)).replaceID(
        with: ConversationID(rawValue: new))
    } throws: { ($0 as? ChatError)?.code == code }
    #expect(try client.reader.conversation(eg.conversation, limit: 1).exists)
  }

  // D15.2, O14
  @Test func `waiting operations follow their conversation, also into another one`()
    async throws
  {
    for isThere in [false, true] {
      let client = try Bench().client()
      let id = try client.delivered("at eight")
      if isThere { try client.createConversation(new) }
      let edit = try #require(try client.message(id).edit(to: "at nine"))
      try await client.conversation(eg.conversation).replaceID(with: new)
      #expect(try bodies(client, new) == ["at nine"])
      #expect(try client.queue(of: new).map(\.id) == [edit])
      #expect(try client.outbox.unsentCount() == 1, "Nothing is left under the old ID.")
      try await client.message(edit).cancel()
      #expect(try bodies(client, new) == ["at eight"])
    }
  }

  // D15.2, O15
  @Test func `a receipt under the old ID counts after another process has renamed the conversation`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (app, other) = (try shared.client(shared.app), try shared.client(shared.other))
      try await shared.running(app) {
        shared.app.say(.ready)
        try await bench.rest()
        let id = try app.send("one", in: eg.conversation)
        await shared.app.transmission(1)
        try app.send("two", in: eg.conversation)
        try await other.conversation(eg.conversation).replaceID(with: new)
        shared.app.say(.receipts([eg.receipt(id)]))
        let second = await shared.app.transmission(2)
        #expect(second.text == "two")
        #expect(second.conversation == new)
        #expect(try bodies(app, new) == ["one", "two"])
        shared.app.say(.items([.message(eg.incoming("m2", "late", order: 9))], cursor: nil))
        try await bench.rest()
        #expect(try bodies(app, new).contains("late"))
        #expect(try app.reader.list(limit: 10).rows.map(\.id) == [new])
      }
    }
  }

  // D15.3, O15
  @Test func `a screen shows all of a conversation that another process has renamed a moment ago`() throws {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let (app, other) = (try shared.client(shared.app), try shared.client(shared.other))
      try app.send("one", in: eg.conversation)
      try await other.conversation(eg.conversation).replaceID(with: new)
      let snapshot = try app.reader.conversation(eg.conversation, limit: 10)
      #expect(snapshot.id == new)
      #expect(snapshot.exists)
      #expect(snapshot.rows.map(\.text) == ["one"])
    }
  }

  // O4, O15, H2.1, H3
  @Test func `a reply is finished, or cut off, right after another process has renamed its conversation`()
    throws
  {
    try Bench.simulate { bench in
      let shared = SharedBench(bench)
      let app = try shared.client(shared.app)
      let other = try shared.client(shared.other)
      let finished = try await app.conversation(eg.conversation).beginReply().id
      try await app.reply(finished).append("whole")
      let cutOff = try await app.conversation(eg.conversation).beginReply().id
      try await app.reply(cutOff).append("a part")
      try await other.conversation(eg.conversation).replaceID(with: new)
      // This process does not know of the change yet.
      try await app.reply(finished).finish()
      try await app.reply(cutOff).interrupt()
      let begun = try await app.conversation(eg.conversation).beginReply().id
      let rows = try other.reader.conversation(new, limit: 10).rows
      try expect(rows.map(\.id) == [finished, cutOff, begun], "\(rows)")
      try expect(rows.map(\.status.state) == [.queued, .interrupted, .streaming], "\(rows)")
      try expect(try other.outbox.unsentCount() == 1, "it leaves")
    }
  }
}
