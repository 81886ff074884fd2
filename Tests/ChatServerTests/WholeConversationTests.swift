import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// An operator's acts on a whole conversation (rule B5).
@Suite struct WholeConversationTests {
  // B5.1
  @Test func `another ID is announced to members, also to those who come later, and either ID is good`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    await alice.send(eg("m1"))
    _ = bob.heard()
    #expect(try await bench.server.rename("c", to: "server-17"))
    let announced = Wire.ConversationItem(
      id: "server-17", title: nil, members: ["alice", "bob"], earlier: ["c"])
    #expect(bob.heard().pages.flatMap(\.items).compactMap(\.conversation) == [announced])
    // Alice has not been notified.
    let answer = await alice.send(eg("m1"), eg("m2", predecessor: "m1"))
    #expect(answer.receipts.map(\.id) == ["m1", "m2"])
    #expect(answer.receipts.map(\.conversation) == ["server-17", "server-17"])
    await bob.say(.read(.init(conversation: "c", message: "m2")))
    for bench in [bench, try await bench.reopened()] {
      let later = try await bench.connect("bob")
      let items = await later.say(.hello(.init(after: nil))).pages.flatMap(\.items)
      #expect(items.compactMap(\.message?.conversation) == ["server-17", "server-17"])
      #expect(items.compactMap(\.conversation).last == announced)
      #expect(items.compactMap(\.readMark?.message) == ["m2"])
    }
  }

  // B5.1
  @Test func `an ID that another conversation has or had is not given again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1"), eg("m2", in: "d", members: ["alice"]))
    #expect(try await bench.server.rename("d", to: "e"))
    for taken in ["c", "d", "e", ""] as [ConversationID] {
      #expect(try await !bench.server.rename("c", to: taken), "\(taken)")
    }
    #expect(try await !bench.server.rename("nowhere", to: "f"))
    // Its own earlier ID is.
    #expect(try await bench.server.rename("e", to: "d"))
    #expect(await alice.send(eg("m3", in: "e", predecessor: "m2")).receipts.map(\.conversation) == ["d"])
  }

  // B5.2, R5
  @Test func `a conversation that is deleted for everyone leaves nothing, and takes nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    await alice.send(eg("m1"), eg("m2", predecessor: "m1"))
    await bob.say(.read(.init(conversation: "c", message: "m2")))
    _ = (alice.heard(), bob.heard())
    #expect(try await bench.server.remove("c"))
    #expect(try await !bench.server.remove("c"), "It is gone.")
    #expect(bob.heard().pages.flatMap(\.items) == [Wire.Item(removed: "c")])
    let refusal = try #require(await alice.send(eg("m3", predecessor: "m2")).refusals.first)
    #expect(refusal.kind == .rejected || refusal.kind == .gap)
    let other = try #require(await alice.send(eg("m4")).refusals.first)
    #expect(other.code == "conversationRefused")
    let later = try await bench.connect("bob")
    let items = await later.say(.hello(.init(after: nil))).pages.flatMap(\.items)
    #expect(items == [Wire.Item(removed: "c")])
    #expect(try await bench.server.messages(in: "c").isEmpty)
  }

  // B5.3, O8
  @Test func `a refused conversation says why, and takes messages again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let (alice, bob) = (try await bench.client("alice"), try await bench.client("bob"))
    await alice.send(eg("m1"))
    _ = bob.heard()
    #expect(try await bench.server.refuse("c", because: "It is closed."))
    #expect(bob.heard().pages.flatMap(\.items).compactMap(\.conversation?.refusal) == ["It is closed."])
    let refusal = try #require(await alice.send(eg("m2", predecessor: "m1")).refusals.first)
    #expect((refusal.code, refusal.explanation) == ("conversationRefused", "It is closed."))
    #expect(try await bench.server.refuse("c", because: nil))
    #expect(bob.heard().pages.flatMap(\.items).compactMap(\.conversation).map(\.refusal) == [nil])
    #expect(await alice.send(eg("m3", predecessor: "m1")).receipts.map(\.id) == ["m3"])
  }
}
