import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

/// References to images and videos that are stored elsewhere.
@Suite struct ReferenceTests {
  private let bench = try! Bench()
  private static let longest = String(repeating: "ä", count: 1_024)
  private static let most = Array(repeating: longest, count: 32)

  // L6.1, L6.2
  @Test func `references are in the row, and a message of references alone is listed by its kind`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    let id = try chat.send(
      MessageContent("look", images: ["https://example.org/a.png", "b.png"], videos: ["c.mov"]))
    #expect(try client.row(id).images == ["https://example.org/a.png", "b.png"])
    #expect(try client.row(id).videos == ["c.mov"])
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "look")
    try chat.send(MessageContent(" ", videos: ["c.mov"]))
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "Video")
    #expect(try client.reader.list(limit: 1).rows.first?.excerptKind == .video)
    try chat.send(MessageContent("", images: ["b.png"], videos: ["c.mov"]))
    #expect(try client.reader.list(limit: 1).rows.first?.excerpt == "Image")
    #expect(try client.reader.list(limit: 1).rows.first?.excerptKind == .image)
  }

  // L6.1
  @Test func `32 references of 2 KB are carried, and more or longer or empty ones are refused`() throws {
    let client = try bench.client()
    let chat = client.conversation(eg.conversation)
    let id = try chat.send(MessageContent("hi", images: Self.most, videos: Self.most))
    #expect(try client.row(id).images == Self.most)
    for images in [Self.most + ["a"], [Self.longest + "a"], [""]] {
      let error = #expect(throws: ChatError.self) { try chat.send(MessageContent("hi", images: images)) }
      #expect(error?.code == .referencesTooLarge)
      #expect(throws: ChatError.self) { try chat.send(MessageContent("hi", videos: images)) }
      #expect(throws: ChatError.self) {
        try chat.store(
          FinishedMessage(
            id: "r", sender: "assistant", content: MessageContent("hi", images: images), createdAt: eg.date))
      }
    }
    #expect(try client.rows().map(\.id) == [id])
  }

  // L6.2
  @Test func `references leave with their message, and stay through an edit and not through a deletion`()
    throws
  {
    try Bench.simulate { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        let id = try client.conversation(eg.conversation).send(
          MessageContent("one", images: ["a"], videos: ["b"]))
        #expect(await bench.transport.transmission(1).content.images == ["a"])
        bench.transport.say(.receipts([eg.receipt(id, order: 1)]))
        try await bench.rest()
        let edit = try #require(try client.message(id).edit(to: "two"))
        bench.transport.say(.receipts([eg.receipt(edit, order: 1)]))
        try await bench.rest()
        #expect(try client.row(id).text == "two")
        #expect(try client.row(id).images == ["a"])
        #expect(try client.row(id).videos == ["b"])
        let deletion = try #require(try client.message(id).delete())
        bench.transport.say(.receipts([eg.receipt(deletion, order: 1)]))
        try await bench.rest()
        #expect(try client.row(id).images == [])
        #expect(try client.row(id).videos == [])
      }
    }
  }

  // L6.2
  @Test func `references come with a message of somebody else, and with a reply that is finished`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        var message = eg.incoming("m", "theirs")
        message.content.images = ["a"]
        var tooMany = eg.incoming("n", "theirs too")
        tooMany.content.images = ["", "b", Self.longest + "a"] + Self.most
        bench.transport.say(.ready)
        bench.transport.say(.items([.message(message), .message(tooMany)], cursor: nil))
        try await bench.rest()
        #expect(try client.row("m").images == ["a"])
        #expect(try client.row("n").text == "theirs too")
        #expect(try client.row("n").images == ["b"] + Self.most.dropLast())

        let reply = try await client.conversation(eg.conversation).beginReply()
        await #expect(throws: ChatError.self) { try await reply.finish() }
        try await reply.finish(images: ["drawn.png"])
        #expect(try client.row(reply.id).images == ["drawn.png"])
        #expect(await bench.transport.transmission(1).content.images == ["drawn.png"])
      }
    }
  }
}
