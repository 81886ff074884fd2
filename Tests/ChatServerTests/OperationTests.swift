import Foundation
import GRDB
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// Edits, deletions and reactions (rule O14): each is carried out once, only for members who may, and is sent as
/// the message's present state.
@Suite struct OperationTests {
  private func operation(
    _ id: String, _ kind: String, of target: String = "m", _ body: String = "", in conversation: String = "c",
    predecessor: String? = nil, handover: Int64 = 0
  ) -> Wire.Outgoing {
    Wire.Outgoing(
      id: id, conversation: conversation, members: nil, title: nil, role: "user",
      content: MessageContent(body), at: 5, predecessor: predecessor, handover: handover,
      operation: .init(kind: kind, target: target))
  }

  private static var small: Limits {
    var limits = Limits()
    limits.maximumMessageBytes = 10
    return limits
  }

  /// A server with one message of Alice, `m`, and connections of both members.
  private func conversation(
    limits: Limits = Limits()
  ) async throws -> (bench: Bench, alice: Client, bob: Client) {
    let bench = try await Bench(limits: limits)
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await alice.send(eg("m", reasoning: "because"))
    _ = bob.heard()
    return (bench, alice, bob)
  }

  private func page(_ bench: Bench, _ account: UserID = "bob") async throws -> [Wire.MessageItem] {
    try await bench.connect(account).say(.hello(.init(after: nil))).messages
  }

  // O14
  @Test func `an edit replaces the text, and everybody hears the present state`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    bench.turnDate(to: 2_000)
    let answer = await alice.send(operation("o", "edit", "better"))
    #expect(
      answer.receipts == [.init(id: "o", conversation: "c", order: 1, at: 2_000_000, revision: 1)])
    let heard = try #require(bob.heard().messages.first)
    #expect(heard.text == "better")
    #expect(heard.reasoning == "because")
    #expect(heard.revision == 1)
    #expect(heard.editedAt == 2_000_000)
    #expect(heard.at == 1_000_000)
    #expect(answer.messages == [heard])
    // Both events of the log have the same item.
    #expect(try await page(bench) == [heard, heard])
  }

  // L10.7
  @Test func `a whole edit replaces all that the author gave, and not what is answered`() async throws {
    let (bench, alice, bob) = try await conversation(limits: Self.small)
    defer { bench.removeFolder() }
    var first = eg("n", reasoning: "because", replyTo: "m")
    first.content.request = "r"
    (first.content.metadata, first.content.images) = (Data([1]), ["a.png"])
    await alice.send(first)
    _ = bob.heard()
    var edit = operation("e", "edit", of: "n", "better")
    edit.operation?.whole = true
    (edit.content.reasoning, edit.content.metadata, edit.content.videos) = ("since", Data([2]), ["b.mp4"])
    await alice.send(edit)
    let heard = try #require(bob.heard().messages.first)
    #expect(
      heard.content
        == MessageContent(
          "better", reasoning: "since", replyTo: "m", request: "r", metadata: Data([2]), videos: ["b.mp4"]))
    #expect(heard.revision == 1)

    for change in [
      { $0.reasoning = "longer than ten" }, { $0.metadata = Data(count: 65_537) },
      { $0.images = Array(repeating: "a", count: 33) },
    ] as [(inout MessageContent) -> Void] {
      var large = operation("large", "edit", of: "n", "x")
      large.operation?.whole = true
      change(&large.content)
      #expect(await alice.send(large).refusals.map(\.code) == ["tooLong"])
    }
    var empty = operation("empty", "edit", of: "n", " ")
    empty.operation?.whole = true
    #expect(await alice.send(empty).refusals.map(\.code) == ["rejected"])
    empty.content.images = ["c.png"]
    #expect(await alice.send(empty).receipts.map(\.revision) == [2])
    await alice.send(operation("last", "edit", of: "n", "words"))
    #expect(bob.heard().messages.last?.content.images == ["c.png"], "Another edit keeps them.")
  }

  // D1.8, D1.10
  @Test func `the answered message and the formatting come back, until an edit or the deletion`()
    async throws
  {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    await alice.send(eg("n", replyTo: "m", formatting: Data([1, 2])))
    let message = try #require(bob.heard().messages.first)
    #expect(message.replyTo == "m")
    #expect(message.formatting == Data([1, 2]))
    var edit = operation("e", "edit", of: "n", "better")
    edit.formatting = Data([3])
    await alice.send(edit)
    let edited = try #require(bob.heard().messages.first)
    #expect(edited.replyTo == "m")
    #expect(edited.formatting == Data([3]))
    await alice.send(operation("d", "delete", of: "n"))
    let deleted = try #require(bob.heard().messages.first)
    #expect(deleted.replyTo == nil)
    #expect(deleted.formatting == nil)
  }

  // D1
  @Test func `an answer to an invalid ID, and formatting that is too long, are refused`() async throws {
    var limits = Limits()
    limits.maximumMessageBytes = 10
    let (bench, alice, _) = try await conversation(limits: limits)
    defer { bench.removeFolder() }
    #expect(await alice.send(eg("n", replyTo: "")).refusals.map(\.code) == ["rejected"])
    #expect(await alice.send(eg("n", replyTo: "a\u{0}")).refusals.map(\.code) == ["rejected"])
    #expect(await alice.send(eg("n", formatting: Data(count: 11))).refusals.map(\.code) == ["tooLong"])
    #expect(await alice.send(eg("n", formatting: Data(count: 10))).receipts.map(\.id) == ["n"])
    var edit = operation("e", "edit", of: "n", "better")
    edit.formatting = Data(count: 11)
    #expect(await alice.send(edit).refusals.map(\.code) == ["tooLong"])
  }

  // O14
  @Test func `a deletion empties the message, and later changes are refused`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    await bob.send(operation("r", "react", "👍"))
    await alice.send(operation("o", "delete"))
    let item = try #require(try await bench.server.messages(in: "c").first)
    #expect(item.text == "")
    #expect(item.reasoning == nil)
    #expect(item.reactions == nil)
    #expect(item.deletedAt == 1_000_000)
    #expect(item.revision == 2)
    let late = await alice.send(operation("e", "edit", "x"), operation("d", "delete"))
    let reaction = await bob.send(operation("s", "react", "🎉"))
    #expect((late + reaction).refusals.map(\.kind) == [.rejected, .rejected, .rejected])
    #expect(try await bench.server.messages(in: "c") == [item])
  }

  @Test func `reactions are sent by value, with their senders, in one order`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    await bob.send(operation("r1", "react", "👍"), operation("r2", "react", "🎉"))
    let answer = await alice.send(operation("r3", "react", "👍"))
    #expect(
      answer.messages.first?.reactions == [
        .init(value: "🎉", senders: ["bob"]), .init(value: "👍", senders: ["alice", "bob"]),
      ])
    let removal = await bob.send(operation("r4", "unreact", "👍"))
    #expect(removal.messages.first?.reactions?.last == .init(value: "👍", senders: ["alice"]))
    #expect(removal.messages.first?.revision == 4)
  }

  @Test func `a reaction that changes nothing gets a receipt, and no event`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    let none = await bob.send(operation("r0", "unreact", "👍"))
    #expect(none.receipts.map(\.revision) == [0])
    await bob.send(operation("r1", "react", "👍"))
    _ = alice.heard()
    let again = await bob.send(operation("r2", "react", "👍"))
    #expect(again.receipts.map(\.revision) == [1])
    #expect(again.pages.isEmpty)
    #expect(alice.heard().isEmpty)
  }

  // O6.2, O14
  @Test func `the same ID again is answered with the first receipt and changes nothing`() async throws {
    let (bench, alice, _) = try await conversation()
    defer { bench.removeFolder() }
    let first = await alice.send(operation("o", "edit", "two"))
    await alice.send(operation("p", "edit", "three"))
    bench.turnDate(to: 9_000)
    let again = await alice.send(operation("o", "edit", "two", predecessor: "never sent", handover: 2))
    #expect(again == [.receipts(.init(items: first.receipts))])
    #expect(try await bench.server.messages(in: "c").map(\.text) == ["three"])
    let reopened = try await bench.reopened()
    let late = try await reopened.client("alice")
    #expect(await late.send(operation("o", "edit", "two")).receipts == first.receipts)
    #expect(try await reopened.server.messages(in: "c").map(\.revision) == [2])
  }

  @Test func `an ID that is taken by another message or operation is rejected`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    await alice.send(eg("n", members: nil), operation("o", "react", "👍"))
    let answers = [
      await alice.send(operation("m", "edit", "x")), await alice.send(eg("o", members: nil)),
      await bob.send(operation("o", "react", "👍")), await alice.send(operation("o", "react", of: "n", "👍")),
    ]
    #expect(answers.flatMap(\.refusals).map(\.kind) == [.rejected, .rejected, .rejected, .rejected])
    #expect(answers.flatMap(\.receipts).isEmpty)
    #expect(try await bench.server.messages(in: "c").map(\.text) == ["hello", "hello"])
  }

  // O14
  @Test func `only its sender edits or deletes a message, and only members do anything to it`() async throws {
    let (bench, _, bob) = try await conversation()
    defer { bench.removeFolder() }
    let carol = try await bench.client("carol")
    let foreign = await bob.send(operation("o1", "edit", "forged"), operation("o2", "delete"))
    #expect(foreign.refusals.map(\.code) == ["rejected", "rejected"])
    let outside = await carol.send(operation("o3", "react", "👍"))
    #expect(outside.refusals.map(\.code) == ["conversationRefused"])
    // The target must be in the named conversation.
    await carol.send(eg("x", in: "d", members: ["carol"]))
    let elsewhere = await carol.send(operation("o4", "react", "👍", in: "d"))
    #expect(elsewhere.refusals.map(\.code) == ["rejected"])
    let item = try #require(try await bench.server.messages(in: "c").first)
    #expect(item.revision == nil)
    #expect(item.text == "hello")
  }

  @Test(arguments: [
    ("edit", "m", ""), ("edit", "m", " \n\u{2028}"), ("react", "m", ""), ("react", "m", "a\u{0}b"),
    ("react", "m", "\u{85}"), ("react", "m", String(repeating: "x", count: 65)), ("unreact", "m", ""),
    ("paint", "m", "x"), ("", "m", "x"), ("react", "nowhere", "👍"), ("react", "", "👍"),
    ("react", "m\u{0}", "👍"), ("delete", "c", ""),
  ])
  func `an invalid operation is rejected, and the connection stays`(
    _ kind: String, _ target: String, _ body: String
  ) async throws {
    let (bench, alice, _) = try await conversation()
    defer { bench.removeFolder() }
    let answer = await alice.send(operation("o", kind, of: target, body))
    #expect(answer.refusals.map(\.kind) == [.rejected])
    #expect(answer.refusals.first?.explanation?.isEmpty == false)
    #expect(!alice.isClosed)
    #expect(try await page(bench).map(\.revision) == [nil])
  }

  @Test func `an operation creates no conversation`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    var message = operation("o", "react", "👍")
    message.members = ["alice", "bob"]
    let answer = await alice.send(message)
    #expect(answer.refusals.map(\.code) == ["conversationRefused"])
    #expect(answer.conversations.isEmpty)
  }

  @Test func `an edit may be as long as a message, and no longer`() async throws {
    var limits = Limits()
    limits.maximumMessageBytes = 8
    let (bench, alice, _) = try await conversation(limits: limits)
    defer { bench.removeFolder() }
    let answer = await alice.send(operation("o1", "edit", "1234567é"), operation("o2", "edit", "12345678"))
    #expect(answer.refusals.map(\.code) == ["tooLong"])
    #expect(answer.receipts.map(\.id) == ["o2"])
  }

  @Test func `a message has a bounded number of reactions, different ones and in all`() async throws {
    var limits = Limits()
    limits.maximumReactionValues = 2
    limits.maximumReactions = 3
    let (bench, alice, bob) = try await conversation(limits: limits)
    defer { bench.removeFolder() }
    let answer = await alice.send(
      operation("o1", "react", "1"), operation("o2", "react", "2"), operation("o3", "react", "3"))
    #expect(answer.refusals.map(\.id) == ["o3"])
    let others = await bob.send(operation("o4", "react", "1"), operation("o5", "react", "2"))
    #expect(others.receipts.map(\.id) == ["o4"])
    #expect(others.refusals.map(\.id) == ["o5"])
  }

  // O5.4, O14
  @Test func `messages and operations chain: those behind a refused one are a gap`() async throws {
    let (bench, alice, _) = try await conversation()
    defer { bench.removeFolder() }
    let answer = await alice.send(
      eg("n", members: nil, role: "nobody"), operation("o", "react", of: "n", "👍", predecessor: "n"),
      eg("p", members: nil, predecessor: "o"))
    #expect(answer.refusals.map(\.kind) == [.rejected, .gap, .gap])
    let chained = await alice.send(
      eg("n", members: nil), operation("o", "react", of: "n", "👍", predecessor: "n"),
      eg("p", members: nil, predecessor: "o"))
    #expect(chained.receipts.map(\.id) == ["n", "o", "p"])
  }

  @Test func `an operation of another account is not a predecessor`() async throws {
    let (bench, alice, bob) = try await conversation()
    defer { bench.removeFolder() }
    await bob.send(operation("o", "react", "👍"))
    #expect(await alice.send(eg("n", members: nil, predecessor: "o")).refusals.map(\.kind) == [.gap])
  }

  @Test func `operations count for the rate`() async throws {
    var limits = Limits()
    limits.burst = 6
    limits.messagesPerSecond = 1
    let (bench, alice, _) = try await conversation(limits: limits)
    defer { bench.removeFolder() }
    // The connection's page and the message have used two tokens.
    let answer = await alice.send(
      operation("o1", "react", "1"), operation("o2", "react", "2"), operation("o3", "react", "3"),
      operation("o4", "react", "4"), operation("o5", "react", "5"))
    #expect(answer.receipts.map(\.id) == ["o1", "o2", "o3", "o4"])
    #expect(answer.refusals.map(\.kind) == [.busy])
  }

  // O14, S1
  @Test func `after a crash before the commit an operation was not carried out, and is when it comes again`()
    async throws
  {
    let gate = Gate()
    let bench = try await Bench(gate: gate.gate)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m"))
    gate.failure = .beforeCommit
    #expect(await alice.send(operation("o", "edit", "two")).isEmpty)
    let reopened = try await bench.reopened()
    #expect(try await reopened.server.messages(in: "c").map(\.text) == ["hello"])
    let again = try await reopened.client("alice")
    #expect(await again.send(operation("o", "edit", "two")).receipts.map(\.revision) == [1])
  }

  @Test func `a page of messages with many reactions stays within its size`() async throws {
    var limits = Limits()
    limits.maximumPageBytes = 4_000
    let (bench, alice, _) = try await conversation(limits: limits)
    defer { bench.removeFolder() }
    for number in 0..<40 { await alice.send(operation("o\(number)", "react", "reaction \(number)")) }
    let reader = try await bench.connect("bob")
    var frames = await reader.say(.hello(.init(after: nil)))
    var items = 0
    while let page = frames.pages.first {
      items += page.items.count
      let bytes = try JSONEncoder().encode(page).count
      #expect(page.items.count == 1 || bytes <= 4_000)
      guard page.more else { break }
      frames = await reader.say(.sync(.init(after: page.cursor)))
    }
    #expect(items == 42)
  }
}
