import Holdfast
import Testing

@testable import ChatServer

@Suite struct ConversationTests {
  @Test func `the first message creates its conversation, and the conversation comes first`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    _ = bob.heard()
    await alice.send(eg("m", members: ["bob", "alice", "bob"], title: "Plans"))
    let items = bob.heard().pages.flatMap(\.items)
    #expect(items.first?.conversation == .init(id: "c", title: "Plans", members: ["bob", "alice"]))
    #expect(items.last?.message?.id == "m")
    #expect(items.count == 2)
  }

  // E1.2
  @Test(arguments: [["alice", "bob", "carol"], ["alice"], ["alice", "carol"]])
  func `a first message to others than the members of its conversation is refused`(_ members: [String])
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    #expect(await bob.send(eg("m1", members: ["bob", "alice"])).receipts.map(\.id) == ["m1"])
    let answer = await alice.send(eg("m2", members: members, title: "New"))
    #expect(answer.refusals.map(\.code) == ["rejected"])
    #expect(
      answer.conversations.isEmpty && bob.heard().pages.flatMap(\.items).allSatisfy { $0.message == nil })
    // Their order does not matter, and neither do the members named after an earlier message.
    #expect(await alice.send(eg("m3", members: ["alice", "bob"])).receipts.map(\.id) == ["m3"])
    #expect(await alice.send(eg("m4", members: members, predecessor: "m3")).receipts.map(\.id) == ["m4"])
    let carol = try await bench.connect("carol")
    #expect(await carol.say(.hello(.init(after: nil))).messages.isEmpty)
  }

  @Test(
    arguments: [
      ("that does not exist", nil),
      ("without members", []),
      ("without the sender", ["bob"]),
      ("with a member that has no account", ["alice", "nobody"]),
      ("with a member that is no ID", ["alice", "\u{7}"]),
      ("with too many members", ["alice", "bob", "carol"]),
    ] as [(String, [String]?)])
  func `a message is refused for a conversation`(_ name: String, members: [String]?) async throws {
    var limits = Limits()
    limits.maximumMembers = 2
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m", members: members))
    #expect(answer.refusals.map(\.kind) == [.rejected])
    #expect(answer.refusals.map(\.code) == ["conversationRefused"])
    #expect(answer.pages.isEmpty)
  }

  @Test func `accounts and conversations that only look the same are two`() async throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let bench = try await Bench(accounts: [UserID(rawValue: composed), UserID(rawValue: decomposed)])
    defer { bench.removeFolder() }
    let (one, two) = (
      try await bench.client(UserID(rawValue: composed)), try await bench.client(UserID(rawValue: decomposed))
    )
    _ = two.heard()
    let answer = await one.send(
      eg("m1", in: composed, members: [composed]), eg("m2", in: decomposed, members: [composed]))
    #expect(answer.receipts.map(\.order) == [1, 1], "Each is the first of its conversation.")
    #expect(two.heard().isEmpty, "It is not a member.")
    let refusal = await two.send(eg("m3", in: composed, members: [decomposed])).refusals
    #expect(refusal.map(\.code) == ["conversationRefused"])
  }

  // O8
  @Test func `a sender who is not a member is refused`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let carol = try await bench.client("carol")
    await alice.send(eg("m1"))
    let answer = await carol.send(eg("m2", members: ["alice", "carol"]))
    #expect(answer.refusals.map(\.code) == ["conversationRefused"])
  }

  @Test func `a refused message creates no conversation`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1", role: "nobody"))
    let answer = await alice.send(eg("m2", members: nil))
    #expect(answer.refusals.map(\.code) == ["conversationRefused"])
  }

  @Test func `a long title is cut at a character, and control characters are left out`() async throws {
    var limits = Limits()
    limits.maximumTitleBytes = 6
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m", title: "ab\u{0}cd\u{1F469}\u{200D}\u{1F4BB}"))
    #expect(answer.conversations.map(\.title) == ["abcd"])
  }
}
