import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// One message, one ID, one order (rules O5, O6, S1).
@Suite struct SendingTests {
  @Test func `an accepted message is answered with its order and the server's time`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m"))
    #expect(answer.receipts == [.init(id: "m", conversation: "c", order: 1, at: 1_000_000)])
  }

  @Test func `messages of one frame have one receipts frame`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m1"), eg("m2", predecessor: "m1"), eg("m3", predecessor: "m2"))
    #expect(answer.first == .receipts(.init(items: answer.receipts)))
    #expect(answer.receipts.map(\.order) == [1, 2, 3])
  }

  @Test func `every conversation is numbered from 1`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m1", in: "c1"), eg("m2", in: "c2"), eg("m3", in: "c1"))
    #expect(answer.receipts.map(\.order) == [1, 1, 2])
  }

  // O6.2
  @Test func `the same ID again is answered with the first receipt and changes nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let first = await alice.send(eg("m", body: "first"))
    bench.turnDate(to: 9_000)
    let second = await alice.send(eg("m", body: "second", handover: 2))
    #expect(second == [.receipts(.init(items: first.receipts))])
    let reader = try await bench.connect("bob")
    #expect(await reader.say(.hello(.init(after: nil))).messages.map(\.text) == ["first"])
  }

  // O6
  @Test func `the same ID twice in one frame is one message`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m"), eg("m"))
    #expect(answer.receipts.map(\.order) == [1, 1])
    #expect(answer.messages.count == 1)
  }

  // O6.2
  @Test func `a retry needs neither predecessor nor members again`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m"))
    let answer = await alice.send(eg("m", members: nil, predecessor: "never sent"))
    #expect(answer.receipts.map(\.id) == ["m"])
  }

  @Test func `an ID of another account is rejected`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let bob = try await bench.client("bob")
    await alice.send(eg("m"))
    let refusal = try #require(await bob.send(eg("m", handover: 7)).refusals.first)
    #expect(refusal.kind == .rejected)
    #expect(refusal.code == "rejected")
    #expect(refusal.handover == 7)
    #expect(refusal.explanation != nil)
  }

  @Test func `an ID of another conversation is rejected`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    await alice.send(eg("m", in: "c1"))
    let answer = await alice.send(eg("m", in: "c2"))
    #expect(answer.refusals.map(\.code) == ["rejected"])
    #expect(answer.conversations.isEmpty)
  }

  @Test func `the echo goes to every connection of every member`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let sender = try await bench.client("alice")
    let phone = try await bench.client("alice")
    let bob = try await bench.client("bob")
    let carol = try await bench.client("carol")
    _ = [phone.heard(), bob.heard(), carol.heard()]
    let answer = await sender.send(eg("m"))
    #expect(answer.messages.map(\.id) == ["m"])
    #expect(phone.heard().messages.map(\.id) == ["m"])
    #expect(bob.heard().messages.map(\.id) == ["m"])
    #expect(carol.heard().isEmpty)
  }

  @Test func `a receipt comes before the echo`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m"), eg("x", role: "nobody"))
    #expect(answer.count == 3)
    #expect(!answer.prefix(1).receipts.isEmpty)
    #expect(!answer.dropFirst().prefix(1).refusals.isEmpty)
    #expect(!answer.suffix(1).messages.isEmpty)
  }

  @Test func `a reader gets the text that was sent`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let body = "a\u{0}b / \u{1F469}\u{200D}\u{1F4BB} \u{202E}\"\\\n"
    let echo = await alice.send(eg("m", role: "assistant", body: body, reasoning: "r\u{0}s"))
    let reader = try await bench.connect("bob")
    let page = await reader.say(.hello(.init(after: nil)))
    for message in [try #require(echo.messages.first), try #require(page.messages.first)] {
      #expect(message.text == body)
      #expect(message.reasoning == "r\u{0}s")
      #expect(message.role == "assistant")
      #expect(message.sender == "alice")
    }
  }

  @Test func `a server's clock that goes back orders nothing`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let first = await alice.send(eg("m1"))
    bench.turnDate(to: 10)
    let second = await alice.send(eg("m2"))
    #expect((first + second).receipts.map(\.order) == [1, 2])
    #expect((first + second).receipts.map(\.at) == [1_000_000, 10_000])
  }

  // O7.11
  @Test func `a message may be as long as welcome says, and no longer`() async throws {
    var limits = Limits()
    limits.maximumMessageBytes = 8
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.connect("alice")
    let welcome = await alice.say(.hello(.init(after: nil)))
    #expect(
      welcome.first
        == .welcome(.init(account: "alice", maximumMessageBytes: 8, frames: ["ask", "history", "search"])))
    let answer = await alice.send(
      eg("m1", body: "12345678"), eg("m2", body: "1234567é"), eg("m3", reasoning: "123456789"))
    #expect(answer.receipts.map(\.id) == ["m1"])
    #expect(answer.refusals.map(\.code) == ["tooLong", "tooLong"])
  }
}

extension ArraySlice<Wire.ServerFrame> {
  fileprivate var receipts: [Wire.ReceiptItem] { Array(self).receipts }
  fileprivate var refusals: [Wire.Refused] { Array(self).refusals }
  fileprivate var messages: [Wire.MessageItem] { Array(self).messages }
}
