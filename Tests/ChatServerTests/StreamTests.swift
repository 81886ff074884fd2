import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// Messages that are still being written (rule H3).
@Suite struct StreamTests {
  /// Alice and Bob, live, in conversation `c`.
  private func pair(_ limits: Limits = Limits()) async throws -> (Bench, Client, Client) {
    let bench = try await Bench(limits: limits)
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await alice.send(eg("m"))
    _ = bob.heard()
    return (bench, alice, bob)
  }

  // H3
  @Test func `a piece is passed on to the other connections, with its sender`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    let carol = try await bench.client("carol")
    _ = carol.heard()
    #expect(await alice.say(.piece(egPiece("s", 0, "To", sender: "carol"))).isEmpty)
    #expect(bob.heard() == [.piece(egPiece("s", 0, "To", sender: "alice"))])
    #expect(carol.heard().isEmpty)
  }

  @Test func `a piece that came before, or whose predecessor is missing, is dropped`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    for sequence: Int64 in [1, 0, 0, 2, 1, -1, .max, .min, 2] {
      await alice.say(.piece(egPiece("s", sequence)))
    }
    #expect(bob.heard().pieces.map(\.sequence) == [0, 1, 2])
  }

  // H3
  @Test func `a member that connects in mid-stream gets all pieces so far, after the last page`() async throws
  {
    var limits = Limits()
    limits.pageSize = 1
    let (bench, alice, _) = try await pair(limits)
    defer { bench.removeFolder() }
    for sequence: Int64 in 0..<3 { await alice.say(.piece(egPiece("s", sequence))) }
    let late = try await bench.connect("bob")
    let first = await late.say(.hello(.init(after: nil)))
    #expect(first.pieces.isEmpty)
    await alice.say(.piece(egPiece("s", 3)))
    #expect(late.heard().isEmpty)
    let second = await late.say(.sync(.init(after: first.pages.last?.cursor)))
    #expect(second.pieces.map(\.sequence) == [0, 1, 2, 3])
    #expect(second.last?.isPiece == true)
    await alice.say(.piece(egPiece("s", 4)))
    #expect(late.heard().pieces.map(\.sequence) == [4])
  }

  @Test func `a live client that asks for a page does not get the pieces again`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    await alice.say(.piece(egPiece("s", 0)))
    #expect(await bob.say(.sync(.init(after: 2))).pieces.isEmpty)
  }

  // H3
  @Test func `the final message ends its stream`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    await alice.say(.piece(egPiece("s", 0)))
    await alice.send(eg("s", role: "assistant"))
    _ = bob.heard()
    await alice.say(.piece(egPiece("s", 1)))
    await alice.say(.piece(egPiece("s", 0)))
    #expect(bob.heard().isEmpty)
    let late = try await bench.connect("bob")
    #expect(await late.say(.hello(.init(after: nil))).pieces.isEmpty)
  }

  @Test func `a refused final message leaves its stream`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    await alice.say(.piece(egPiece("s", 0)))
    await alice.send(eg("s", predecessor: "missing"))
    await alice.say(.piece(egPiece("s", 1)))
    #expect(bob.heard().pieces.map(\.sequence) == [0, 1])
  }

  @Test func `an account cannot block another's stream by taking its ID`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    await bob.say(.piece(egPiece("s", 0, "forged")))
    _ = alice.heard()
    await alice.say(.piece(egPiece("s", 0, "true")))
    #expect(bob.heard().pieces.map(\.text) == ["true"])
    await bob.send(eg("s"))
    await alice.say(.piece(egPiece("s", 1)))
    #expect(bob.heard().pieces.map(\.sequence) == [1])
  }

  // O6
  @Test func `a message cannot take the ID of what another account is writing`() async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    await alice.say(.piece(egPiece("s", 0)))
    await bob.say(.piece(egPiece("s", 0, "mine")))
    let answer = await bob.send(eg("s", body: "stolen"))
    #expect(answer.receipts.isEmpty)
    #expect(answer.refusals.map(\.code) == ["rejected"])
    #expect(await alice.send(eg("s", body: "whole")).receipts.map(\.id) == ["s"])
  }

  @Test(arguments: [
    egPiece("s", 0, in: "unknown"), egPiece("s", 0, in: ""), egPiece("s", 0, role: "nobody"), egPiece("", 0),
    egPiece("\u{1}", 0), egPiece("m", 0),
  ])
  func `an invalid piece is dropped`(_ piece: Wire.Piece) async throws {
    let (bench, alice, bob) = try await pair()
    defer { bench.removeFolder() }
    #expect(await alice.say(.piece(piece)).isEmpty)
    #expect(bob.heard().isEmpty)
    #expect(!alice.isClosed)
  }

  @Test func `a piece of a sender who is not a member is dropped`() async throws {
    let (bench, _, bob) = try await pair()
    defer { bench.removeFolder() }
    let carol = try await bench.client("carol")
    await carol.say(.piece(egPiece("s", 0)))
    #expect(bob.heard().isEmpty)
  }
}

extension Wire.ServerFrame {
  fileprivate var isPiece: Bool { if case .piece = self { true } else { false } }
}
