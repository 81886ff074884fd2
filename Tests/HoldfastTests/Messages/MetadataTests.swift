import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// The app's own data about a message.
@Suite struct MetadataTests {
  private let bench = try! Bench()
  private static let largest = Data(repeating: 7, count: 65_536)

  // L5.1
  @Test func `metadata of 64 KB is carried as it is, and one byte more is refused`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    let id = try chat.send(MessageContent("hi", metadata: Self.largest))
    #expect(try client.row(id).metadata == Self.largest)
    #expect(
      throws: ChatError(
        .metadataTooLarge,
        "The metadata has 65537 bytes, 65536 are allowed. Store it elsewhere, and refer to it.")
    ) { try chat.send(MessageContent("hi", metadata: Self.largest + [7])) }
    #expect(throws: ChatError.self) {
      try chat.store(
        FinishedMessage(
          id: "r", sender: "assistant", content: MessageContent("hi", metadata: Self.largest + [7]),
          createdAt: eg.date))
    }
    #expect(try client.rows().map(\.id) == [id])
  }

  // L5.2
  @Test func `metadata leaves with its message, and stays through an edit and not through a deletion`() throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let chat = client.conversation(eg.conversation)
        let id = try chat.send(MessageContent("one", metadata: Data([1, 2])))
        #expect(await bench.transport.transmission(1).metadata == Data([1, 2]))
        bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
        try await bench.rest()
        let edit = try #require(try client.message(id).edit(to: "two"))
        #expect(await bench.transport.transmission(2).metadata == nil, "It belongs to the message.")
        bench.transport.say(.receipts([eg.receipt(edit, order: 1)]))
        try await bench.rest()
        #expect(try client.row(id).text == "two")
        #expect(try client.row(id).metadata == Data([1, 2]))
        let deletion = try #require(try client.message(id).delete())
        bench.transport.say(.receipts([eg.receipt(deletion, order: 1)]))
        try await bench.rest()
        #expect(try client.row(id).metadata == nil)
      }
    }
  }

  // L5.2
  @Test func `metadata comes with a message of somebody else, and with a reply that is finished`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        var message = eg.incoming("m", "theirs")
        message.metadata = Data([3])
        var tooLarge = eg.incoming("n", "theirs too")
        tooLarge.metadata = Self.largest + [7]
        bench.transport.say(.ready)
        bench.transport.say(.items([.message(message), .message(tooLarge)], cursor: nil))
        try await bench.rest()
        #expect(try client.row("m").metadata == Data([3]))
        #expect(try client.row("n").text == "theirs too")
        #expect(try client.row("n").metadata == nil)

        let reply = try await client.conversation(eg.conversation).beginReply()
        try await reply.append("answer")
        await #expect(throws: ChatError.self) { try await reply.finish(metadata: Self.largest + [7]) }
        try await reply.finish(metadata: Data([4]))
        #expect(try client.row(reply.id).metadata == Data([4]))
        #expect(await bench.transport.transmission(1).metadata == Data([4]))
      }
    }
  }
}
