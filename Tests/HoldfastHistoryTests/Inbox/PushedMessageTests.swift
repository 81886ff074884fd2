import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// Messages that did not arrive over the transport (rule A8).
@Suite(.timeLimit(.minutes(10))) struct PushedMessageTests {
  private func page(_ messages: IncomingMessage...) -> TransportEvent {
    .items(messages.map { .message($0) }, cursor: nil)
  }

  // A8.1, A8.2
  @Test func `a pushed message is there at once, and takes the server's place when the server sends it`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, page(eg.incoming("1", "first", order: 1)))
        try await bench.rest()
        #expect(try await client.receive(eg.incoming("3", "third", order: nil)))
        #expect(try await client.receive(eg.incoming("3", "third", order: nil)) == false)
        try expect(try client.bodies() == ["first", "third"], "it is behind the others")
        try expect(try client.reader.list(limit: 1).rows.first?.unreadCount == 2, "it is unread")

        let later = eg.date.addingTimeInterval(3)
        bench.transport.say(
          page(eg.incoming("2", "second", order: 2)), page(eg.incoming("3", "third", order: 3, at: later)),
          page(eg.incoming("4", "fourth", order: 4)))
        try await bench.rest()
        try expect(try client.bodies() == ["first", "second", "third", "fourth"], "the server's order")
        try expect(try client.storedMessage("3")?.serverOrder == 3, "the server's order is known")
      }
    }
  }

  // A8.2, A8.3
  @Test func `what was read stays read when the server's place comes`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready, page(eg.incoming("1", order: 1)))
        try await bench.rest()
        try await client.receive(eg.incoming("5", "pushed", order: nil))
        try client.conversation(eg.conversation).markRead()
        bench.transport.say(page(eg.incoming("5", "pushed", order: 5)))
        try await bench.rest()
        try expect(try client.reader.list(limit: 1).rows.first?.unreadCount == 0, "nothing is unread again")
        try expect(
          try client.store.read { try $0.readMarks.pending(of: eg.user) }.allSatisfy {
            $0.mark.message == "5"
          },
          "the mark names the same message")
        bench.transport.say(page(eg.incoming("6", order: 6)))
        try await bench.rest()
        try expect(try client.reader.list(limit: 1).rows.first?.unreadCount == 1, "a new one is unread")
      }
    }
  }

  // A8.1
  @Test func `a push of the own message delivers it, and nothing leaves twice`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        let id = try client.send("mine", in: eg.conversation)
        #expect(try await client.receive(eg.incoming(id, from: eg.user, "mine", order: nil)) == false)
        try expect(try client.rows().map(\.status.state) == [.delivered], "it is delivered")
        bench.transport.say(.ready, page(eg.incoming(id, from: eg.user, "mine", order: 1)))
        try await bench.rest()
        try expect(bench.transport.sent.isEmpty, "it is no longer sent")
        try expect(try client.bodies() == ["mine"], "it is there once")
      }
    }
  }

  // A8.1
  @Test func `an extension stores a message in a client that does not run, and makes the conversation`()
    async throws
  {
    let bench = try Bench(inMemory: true)
    let client = try bench.client()
    try await client.receive(eg.incoming("new", in: "elsewhere", "hi", order: nil))
    let row = try #require(try client.reader.list(limit: 10).rows.first)
    #expect((row.id, row.excerpt, row.unreadCount) == ("elsewhere", "hi", 1))
  }

  // A8.1, O6
  @Test func `a message that cannot be the server's is refused, and changes nothing`() async throws {
    let bench = try Bench(inMemory: true)
    let client = try bench.client()
    try client.createConversation("notes", isOnDevice: true)
    try await client.receive(eg.incoming("1", "theirs", order: 1))
    for wrong in [
      eg.incoming("1", from: "mallory", "forged"), eg.incoming("1", in: "elsewhere", "forged"),
      eg.incoming("", "without an ID"), eg.incoming("2", order: -1), eg.incoming("2", in: "notes"),
    ] {
      let error = await #expect(throws: ChatError.self) { try await client.receive(wrong) }
      #expect(error?.code == .malformedID)
    }
    #expect(try client.bodies() == ["theirs"])
    bench.gate.fail()
    let full = await #expect(throws: ChatError.self) { try await client.receive(eg.incoming("2", order: 2)) }
    #expect(full?.code == .storageFull)
  }
}
