import Holdfast
import Testing

@testable import ChatServer

/// The rule that lets a client have many messages in flight (rule O5).
@Suite struct GapTests {
  // O5.4
  @Test func `a message whose predecessor was not accepted is a gap`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m2", predecessor: "m1", handover: 4))
    #expect(answer == [.refused(.init(id: "m2", handover: 4, kind: .gap))])
  }

  // O5.4
  @Test func `a predecessor in the same frame counts`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await alice.send(eg("m1"), eg("m2", predecessor: "m1")).refusals.isEmpty)
  }

  // O5.4, O8.3
  @Test func `a refused message makes a gap of those that chain on it, and of no others`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(
      eg("m1", role: "nobody"), eg("m2", predecessor: "m1"), eg("m3", predecessor: "m2"), eg("m4"))
    #expect(answer.refusals.map(\.kind) == [.rejected, .gap, .gap])
    #expect(answer.receipts.map(\.id) == ["m4"])
  }

  // O5.5
  @Test func `after a gap the client starts again behind the last accepted message`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m2", predecessor: "m1"))
    let answer = await alice.send(eg("m1"), eg("m2", predecessor: "m1"))
    #expect(answer.receipts.map(\.order) == [1, 2])
  }

  // O5.9
  @Test func `a second copy of a refused message is refused again, and the next hand-over counts`()
    async throws
  {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let copy = eg("m2", predecessor: "m1", handover: 4)
    let first = await alice.send(copy)
    await alice.send(eg("m1", handover: 3))
    #expect(await alice.send(copy) == first)
    #expect(await alice.send(copy, eg("m3", handover: 6)).receipts.map(\.id) == ["m3"])
    let other = try await bench.client("alice")
    #expect(await other.send(copy).receipts.map(\.id) == ["m2"])
    #expect(await alice.send(eg("m2", predecessor: "m1", handover: 5)).receipts.map(\.id) == ["m2"])
  }

  // O5.4
  @Test func `a message of another account is not a predecessor`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await alice.send(eg("m1"))
    #expect(await bob.send(eg("m2", predecessor: "m1")).refusals.map(\.kind) == [.gap])
  }

  // O5.4
  @Test func `a message of another conversation is not a predecessor`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m1", in: "c1"))
    #expect(await alice.send(eg("m2", in: "c2", predecessor: "m1")).refusals.map(\.kind) == [.gap])
  }

  @Test func `nothing else is looked at before the predecessor is there`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m", in: "", members: ["nobody"], role: "", predecessor: "m0"))
    #expect(answer.refusals.map(\.kind) == [.gap])
  }
}
