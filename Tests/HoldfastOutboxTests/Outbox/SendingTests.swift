import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The user's intents about messages. Only the intents run.
@Suite(.timeLimit(.minutes(10))) struct SendingTests {
  private let bench: Bench

  init() throws { bench = try Bench(maximumMessageBytes: 100) }

  // O2.1, O2.4
  @Test func `a message is trimmed, in the timeline, and queued when the call returns`() throws {
    let client = try bench.client()
    let id = try client.send("  hello\n", in: eg.conversation)
    let row = try #require(try client.rows().first)
    #expect(row.id == id)
    #expect(row.text == "hello")
    #expect(row.isMine)
    #expect(row.status.state == .queued)
    #expect(try client.outbox.unsentCount() == 1)
    #expect(try client.queue() == [id])
  }

  // O2.4, O11.1, H2.1
  @Test func `messages are there after a relaunch, in order, with their IDs`() throws {
    let ids = try {
      let client = try bench.client()
      return try ["one", "two", "three"].map { try client.send($0, in: eg.conversation) }
    }()
    let client = try bench.client()
    #expect(try client.rows().map(\.id) == ids)
    #expect(try client.queue() == ids)
  }

  // O2.2
  @Test(arguments: ["", "   ", "\n\t\u{A0}\u{2028}"])
  func `nothing to send is refused`(text: String) async throws {
    let client = try bench.client()
    #expect(await failureCode { try client.send(text, in: eg.conversation) } == .emptyMessage)
    #expect(try client.rows().isEmpty)
  }

  // O2.1, O2.2, O7.11
  @Test func `a text of exactly the limit is sent, and one byte more is refused`() async throws {
    let client = try bench.client()
    let longest = String(repeating: "é", count: 50)
    try client.send(" " + longest + " ", in: eg.conversation)
    #expect(await failureCode { try client.send(longest + "x", in: eg.conversation) } == .messageTooLong)
    // The replacement of U+0000 is longer, and counts with its own length.
    #expect(
      await failureCode { try client.send("ab" + String(repeating: "\0", count: 33), in: eg.conversation) }
        == .messageTooLong)
    #expect(try client.bodies() == [longest])
  }

  // O2.2
  @Test(arguments: ["nowhere", "alice-bob\0", ""] as [ConversationID])
  func `an unknown conversation is refused`(conversation: ConversationID) async throws {
    let client = try bench.client()
    #expect(await failureCode { try client.send("hi", in: conversation) } == .unknownConversation)
    #expect(try client.outbox.unsentCount() == 0)
  }

  @Test func `a text with U+0000 is sent whole`() throws {
    let client = try bench.client()
    try client.send("before\0after", in: eg.conversation)
    #expect(try client.bodies() == ["before\u{FFFD}after"])
  }

  // O12.1, O12.2
  @Test func `the outbox is bounded for each conversation and in all, failed messages included`() async throws
  {
    let client = try bench.client(.init(outbox: .init(perConversation: 2, total: 3)))
    try client.createConversation("other")
    let first = try client.send("1", in: eg.conversation)
    try client.send("2", in: eg.conversation)
    #expect(await failureCode { try client.send("3", in: eg.conversation) } == .outboxFull)
    try client.send("4", in: "other")
    #expect(await failureCode { try client.send("5", in: "other") } == .outboxFull)
    try client.fail(first)
    #expect(await failureCode { try client.send("6", in: eg.conversation) } == .outboxFull)
    try await client.message(first).cancel()
    try client.send("7", in: eg.conversation)
    #expect(try client.outbox.unsentCount() == 3)
  }

  // O12.1
  @Test func `a long-waiting failed message does not count for those that have left`() throws {
    let client = try bench.client(.init(outbox: .init(perConversation: 3, total: 3)))
    try client.fail(try client.send("stays", in: eg.conversation))
    for order in 1...20 as ClosedRange<Int64> {
      try client.confirm(try client.send("\(order)", in: eg.conversation), order: order)
    }
    #expect(try client.outbox.unsentCount() == 1)
  }

  // D7.1, O2.3
  @Test func `sending a draft moves it into the outbox in one transaction`() throws {
    let client = try bench.client()
    client.drafts.edit("hello ", in: eg.conversation)
    try client.drafts.save(in: eg.conversation)
    let commits = Mutexed(0)
    let signal = Signal()
    _ = client.store.changes.subscribe(signal) { changes in
      if changes.concernsTimelines {
        commits.withLock { $0 += 1 }
        #expect(
          changes.drafts.contains(eg.conversation.key),
          "The draft goes in the commit that brings the message.")
      }
      return false
    }
    let id = try client.conversation(eg.conversation).sendDraft()
    #expect(commits.withLock { $0 } == 1)
    #expect(try client.rows().map(\.id) == [id])
    #expect(client.drafts.text(in: eg.conversation) == "")
    #expect(try client.drafts.stored(in: eg.conversation) == [])
  }

  // D7.1, D7.3, S4.1, S4.3
  @Test func `when the transaction fails, the text stays in the composer and nowhere else`() async throws {
    let client = try bench.client()
    client.drafts.edit("hello", in: eg.conversation)
    try client.drafts.save(in: eg.conversation)
    bench.gate.fail()
    #expect(await failureCode { try client.conversation(eg.conversation).sendDraft() } == .storageFull)
    #expect(client.drafts.text(in: eg.conversation) == "hello")
    #expect(client.draft().problem?.code == .storageFull)
    #expect(try client.rows().isEmpty)
    #expect(try client.outbox.unsentCount() == 0)
    #expect(try client.drafts.stored(in: eg.conversation) == ["hello"])
    bench.gate.heal()
    try client.conversation(eg.conversation).sendDraft()
    #expect(try client.bodies() == ["hello"])
    #expect(client.draft().problem == nil)
  }

  // D7.3
  @Test func `a draft that cannot be sent stays in the composer`() async throws {
    let client = try bench.client()
    #expect(await failureCode { try client.conversation(eg.conversation).sendDraft() } == .emptyMessage)
    let long = String(repeating: "x", count: 101)
    client.drafts.edit(long, in: eg.conversation)
    #expect(await failureCode { try client.conversation(eg.conversation).sendDraft() } == .messageTooLong)
    #expect(client.drafts.text(in: eg.conversation) == long)
    #expect(client.draft().problem?.code == .messageTooLong)
    client.drafts.edit(long + "\ntyped meanwhile", in: eg.conversation)
    try client.hardSave()
    #expect(client.draft().problem?.code == .messageTooLong, "That it is stored does not make it shorter.")
    client.drafts.edit("shorter", in: eg.conversation)
    #expect(client.draft().problem == nil, "It was about another text.")
    #expect(try client.rows().isEmpty)
  }

  // D8.2, U3
  @Test func `a sent text does not come back into the composer, not even by a late save`() throws {
    let client = try bench.client()
    client.drafts.edit("hello", in: eg.conversation)
    try client.conversation(eg.conversation).sendDraft()
    try client.hardSave()
    #expect(client.drafts.text(in: eg.conversation) == "")
    #expect(try bench.client().drafts.text(in: eg.conversation) == "")
  }

  // O9.3
  @Test func `a queued message can be taken back, in front of what is in the composer`() async throws {
    let client = try bench.client()
    let id = try client.send("first", in: eg.conversation)
    client.drafts.edit("second", in: eg.conversation)
    #expect(try await client.message(id).takeBack().text == "first\nsecond")
    #expect(try client.rows().isEmpty)
    #expect(try client.outbox.unsentCount() == 0)
    #expect(try bench.client().drafts.text(in: eg.conversation) == "first\nsecond", "It is on disk already.")
  }

  // O9, S4.1
  @Test func `when taking back fails, the message stays where it is`() async throws {
    let client = try bench.client()
    let id = try client.send("first", in: eg.conversation)
    bench.gate.fail()
    #expect(await failureCode { try await client.message(id).takeBack() } == .storageFull)
    #expect(await failureCode { try await client.message(id).cancel() } == .storageFull)
    #expect(client.drafts.text(in: eg.conversation) == "")
    #expect(try client.bodies() == ["first"])
  }

  // O9.2, O9.5
  @Test func `a message that may have arrived can be neither taken back nor cancelled`() async throws {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    try client.transmit(id)
    #expect(await failureCode { try await client.message(id).takeBack() } == .tooLate)
    #expect(await failureCode { try await client.message(id).cancel() } == .tooLate)
    // The connection ended, and the delivery outcome of the message is unknown.
    try client.comeBack(id, isRefused: false)
    #expect(await failureCode { try await client.message(id).cancel() } == .tooLate)
    #expect(try client.bodies() == ["hi"])
    // The server has reported that it does not have the message.
    try client.comeBack(id, isRefused: true)
    #expect(await failureCode { try await client.message(id).cancel() } == nil)
    #expect(try client.rows().isEmpty)
  }

  // O9.5
  @Test func `a message that is delivered or unknown can be neither taken back, cancelled nor retried`()
    async throws
  {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    try client.confirm(id, order: 1)
    for id in [id, "stranger"] {
      #expect(await failureCode { try await client.message(id).takeBack() } == .tooLate)
      #expect(await failureCode { try await client.message(id).cancel() } == .tooLate)
      #expect(await failureCode { try await client.message(id).retry() } == .tooLate)
    }
    #expect(try client.rows().map(\.status.state) == [.delivered])
  }

  // O8.2
  @Test func `failed -> queued by retry: behind what waits, with all its attempts`() async throws {
    let client = try bench.client()
    let first = try client.send("first", in: eg.conversation)
    let second = try client.send("second", in: eg.conversation)
    try client.spend(3, of: first)
    try client.fail(first)
    #expect(try client.queue() == [second])
    #expect(try client.bodies() == ["first", "second"])
    try await client.message(first).retry()
    #expect(try client.queue() == [second, first])
    #expect(try client.bodies() == ["second", "first"])
    #expect(try client.rows().map(\.status.state) == [.queued, .queued])
    #expect(try client.attempts(of: first) == 0)
  }

  // O4.1, O8
  @Test func `a message that waits already keeps its place when it is retried`() async throws {
    let client = try bench.client()
    let ids = try ["first", "second"].map { try client.send($0, in: eg.conversation) }
    try await client.message(ids[0]).retry()
    #expect(try client.queue() == ids)
    #expect(try client.bodies() == ["first", "second"])
  }

  // O8.2
  @Test func `failed -> edit, and failed -> delete`() async throws {
    let client = try bench.client()
    let ids = try ["first", "second"].map { try client.send($0, in: eg.conversation) }
    for id in ids { try client.fail(id) }
    #expect(try await client.message(ids[0]).takeBack().text == "first")
    try await client.message(ids[1]).cancel()
    #expect(try client.rows().isEmpty)
  }

  // O2.6, O8.1
  @Test
  func `a failed message stays where it failed, and delivered, queued and failed ones keep their places`()
    throws
  {
    let client = try bench.client()
    let ids = try (1...5).map { try client.send("\($0)", in: eg.conversation) }
    try client.confirm(ids[0], order: 10)
    try client.fail(ids[1])
    try client.confirm(ids[2], order: 11)
    try client.fail(ids[3])
    #expect(try client.bodies() == ["1", "2", "3", "4", "5"])
    // A message that another user wrote meanwhile is where the server placed it.
    try client.takeIn(eg.incoming("b1", "b", order: 12))
    #expect(try client.bodies() == ["1", "2", "3", "4", "b", "5"])
    try client.confirm(ids[4], order: 13)
    #expect(try bench.client().bodies() == ["1", "2", "3", "4", "b", "5"])
  }

  // O8.1
  @Test func `a failed message is there after a relaunch, with its reason`() throws {
    let id = try {
      let client = try bench.client()
      let id = try client.send("hi", in: eg.conversation)
      try client.fail(id)
      return id
    }()
    let client = try bench.client()
    #expect(try client.rows().first?.status.failure == eg.rejection)
    #expect(try client.queue().isEmpty)
    #expect(try client.outbox.health().waiting == 0)
    #expect(try client.rows().first?.id == id)
  }

  // O3.5
  @Test func `the server's time replaces this device's on delivery`() throws {
    let client = try bench.client()
    let id = try client.send("hi", in: eg.conversation)
    let later = eg.date.addingTimeInterval(42)
    try client.confirm(id, at: later)
    #expect(try client.rows().first?.createdAt == later)
  }

  // H1.2
  @Test func `the first message names a conversation that has no name and no other member`() throws {
    let client = try bench.client()
    try client.createConversation("assistant")
    try client.createConversation("named", title: "Mine\0!")
    try client.send("What is a kelp?\nI wonder.", in: "assistant")
    try client.send("And why?", in: "assistant")
    try client.send("Hello", in: "named")
    try client.send("Hello", in: eg.conversation)
    let titles = try client.reader.list(limit: 10).rows.map { [$0.id.rawValue, $0.title] }
    #expect(
      titles == [["alice-bob", "bob"], ["named", "Mine\u{FFFD}!"], ["assistant", "What is a kelp?"]])
  }

  @Test(arguments: ["", "a\0", String(repeating: "x", count: 256)])
  func `a conversation's ID and its members must be well formed`(raw: String) async throws {
    let client = try bench.client()
    #expect(
      await failureCode { try client.createConversation(ConversationID(rawValue: raw)) } == .malformedID)
    #expect(
      await failureCode { try client.createConversation("c", members: [UserID(rawValue: raw)]) }
        == .malformedID)
  }

  // H2.2
  @Test func `creating a conversation again changes nothing`() throws {
    let client = try bench.client()
    try client.createConversation("c", title: "First", members: ["bob"])
    let before = try client.storedConversation("c")
    try client.createConversation("c", title: "Second", members: ["carol"])
    #expect(try client.storedConversation("c") == before)
    #expect(before?.members == ["alice", "bob"])
  }

  // O6.1
  @Test func `a text is sent once under an ID, also after a relaunch, and also once it has been delivered`()
    throws
  {
    do {
      let client = try bench.client()
      #expect(try client.conversation(eg.conversation).sendOnce(" hello ", id: "answer"))
      #expect(try !client.conversation(eg.conversation).sendOnce("hello again", id: "answer"))
    }
    let client = try bench.client()
    #expect(try !client.conversation(eg.conversation).sendOnce("hello", id: "answer"))
    try client.confirm("answer", order: 1)
    #expect(try !client.conversation(eg.conversation).sendOnce("hello", id: "answer"))
    #expect(try client.bodies() == ["hello"])
    #expect(try client.queue().isEmpty)
  }

  // O6.1
  @Test func `the ID of a message that was cancelled is free again`() async throws {
    let client = try bench.client()
    try client.conversation(eg.conversation).sendOnce("hello", id: "answer")
    try await client.message("answer").cancel()
    #expect(try client.conversation(eg.conversation).sendOnce("hello again", id: "answer"))
    #expect(try client.bodies() == ["hello again"])
  }

  // O6
  @Test func `an ID that is not well formed, or is another message's, is refused`() async throws {
    let client = try bench.client()
    try client.createConversation("elsewhere")
    try client.conversation("elsewhere").sendOnce("hello", id: "taken")
    try client.takeIn(eg.incoming("theirs"))
    for id in ["", "taken", "theirs", MessageID(rawValue: String(repeating: "x", count: 256))] {
      let code = await failureCode { try client.conversation(eg.conversation).sendOnce("hello", id: id) }
      #expect(code == .malformedID, "\(id)")
    }
    #expect(try client.bodies() == ["hi"])
  }
}
