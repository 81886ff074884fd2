import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// The order of messages of a server without numbers: the order of its events (rule B3).
@Suite(.timeLimit(.minutes(10))) struct PlacingTests {
  private static func say(_ messages: IncomingMessage..., on bench: Bench) async throws {
    bench.transport.say(.items(messages.map(IncomingItem.message), cursor: nil))
    try await bench.rest()
  }

  private static func texts(_ client: ChatClient) throws -> [String] { try client.rows().map(\.text) }

  // B3.1, B3.2, B3.3
  @Test(arguments: [true, false])
  func `the event places a message that its receipt has confirmed, also under the server's name`(
    isNamed: Bool
  ) throws {
    try Bench.simulate(window: 4, placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let ids = [
          try client.send("mine", in: eg.conversation), try client.send("mine too", in: eg.conversation),
        ]
        await bench.transport.transmission(2)
        bench.transport.say(.receipts([eg.receipt(ids[0], order: nil, serverID: "$1")]))
        try await bench.rest()
        #expect(try client.rows().map(\.status.state) == [.delivered, .sending])
        // The server had the other message before.
        try await Self.say(eg.incoming("theirs", "theirs", order: nil), on: bench)
        #expect(try Self.texts(client) == ["theirs", "mine", "mine too"])
        let echo = eg.incoming(
          isNamed ? "$1" : ids[0], from: eg.user, "mine", order: nil, serverID: "$1")
        try await Self.say(echo, eg.incoming("later", "later", order: nil), on: bench)
        #expect(try Self.texts(client) == ["theirs", "mine", "later", "mine too"])
        try await Self.say(echo, on: bench)
        #expect(try Self.texts(client) == ["theirs", "mine", "later", "mine too"], "It is placed once.")
      }
      let client = try bench.client()
      #expect(try Self.texts(client) == ["theirs", "mine", "later", "mine too"])
    }
  }

  // B3.3, D15.1: the messages arrived under two IDs of one conversation.
  @Test func `two conversations that turn out to be one keep the order in which their messages came`() throws
  {
    try Bench.simulate(placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        for number in 1...6 {
          let conversation = number.isMultiple(of: 3) ? "server-17" : eg.conversation
          try await Self.say(
            eg.incoming(MessageID(rawValue: "m\(number)"), in: conversation, "\(number)", order: nil),
            on: bench)
        }
        bench.transport.say(
          .items(
            [
              .conversation(
                IncomingConversation(
                  id: "server-17", title: nil, members: [eg.user, eg.other], earlierIDs: [eg.conversation]))
            ], cursor: nil))
        try await bench.rest()
        #expect(try Self.texts(client) == ["1", "2", "3", "4", "5", "6"])
      }
    }
  }

  // B3.1, L3: a reply begins before the user's next messages, and is sent after them.
  @Test func `messages that no event has placed are in the order of their receipts`() throws {
    try Bench.simulate(window: 4, placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let ids = try ["1", "2", "3"].map { try client.send($0, in: eg.conversation) }
        await bench.transport.transmission(3)
        bench.transport.say(
          .receipts([eg.receipt(ids[1], order: nil)]), .receipts([eg.receipt(ids[0], order: nil)]))
        try await bench.rest()
        #expect(try Self.texts(client) == ["2", "1", "3"])
        #expect(try client.rows().map(\.status.state) == [.delivered, .delivered, .sending])
      }
    }
  }

  // B3.1, B13.2
  @Test func `a read mark waits for the event that places its message`() throws {
    try Bench.simulate(placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        let mark = IncomingItem.ReadMark(
          conversation: eg.conversation, reader: eg.other, message: "$1", order: nil)
        bench.transport.say(
          .receipts([eg.receipt(id, order: nil, serverID: "$1")]), .items([.readMark(mark)], cursor: nil))
        try await bench.rest()
        #expect(try client.row(id).readBy.isEmpty)
        try await Self.say(eg.incoming("$1", from: eg.user, "mine", order: nil, serverID: "$1"), on: bench)
        #expect(try client.row(id).readBy == [eg.other])
      }
    }
  }

  // B3.1, B13.1
  @Test func `reading up to a message without a place is sent once the message has one`() throws {
    try Bench.simulate(supportsReadReceipts: true, placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(id, order: nil, serverID: "$1")]))
        try await bench.rest()
        try client.conversation(eg.conversation).markRead(upTo: id)
        try await bench.pass(.seconds(2))
        #expect(bench.transport.marks.isEmpty)
        try await Self.say(eg.incoming("$1", from: eg.user, "mine", order: nil, serverID: "$1"), on: bench)
        try await bench.pass(.seconds(2))
        #expect(bench.transport.marks.map(\.message) == [id])
      }
    }
  }

  // B3.2
  @Test func `an event that comes before the receipt places the message`() throws {
    try Bench.simulate(placesByEvents: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        try await Self.say(
          eg.incoming("$1", from: eg.user, "mine", order: nil, serverID: "$1"),
          eg.incoming("later", "later", order: nil), on: bench)
        bench.transport.say(.receipts([eg.receipt(id, order: nil, serverID: "$1")]))
        try await bench.rest()
        #expect(try client.rows().map(\.id) == [id, "later"])
      }
    }
  }

  // B3.1: a server that sends no events, and one that numbers messages.
  @Test(arguments: [(false, nil), (true, 7), (false, 7)] as [(Bool, Int64?)])
  func `a receipt places a message where no event will, or where it has a number`(
    placesByEvents: Bool, order: Int64?
  ) throws {
    try Bench.simulate(placesByEvents: placesByEvents) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.send("mine", in: eg.conversation)
        await bench.transport.transmission(1)
        bench.transport.say(.receipts([eg.receipt(id, order: order)]))
        try await bench.rest()
        try await Self.say(eg.incoming("later", "later", order: order.map { $0 + 1 }), on: bench)
        #expect(try Self.texts(client) == ["mine", "later"])
      }
    }
  }
}
