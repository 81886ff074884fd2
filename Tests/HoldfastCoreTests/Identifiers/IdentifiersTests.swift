import EngineFixtures
import Testing

@testable import Holdfast
@testable import HoldfastCore

@Suite struct IdentifiersTests {
  @Test(arguments: ["a", "!room:server.example", "é", String(repeating: "x", count: 255)])
  func `an ID of 1 to 255 bytes is well formed`(raw: String) {
    #expect(MessageID(rawValue: raw).isWellFormed)
    #expect(ConversationID(rawValue: raw).isWellFormed)
    #expect(UserID(rawValue: raw).isWellFormed)
  }

  @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")])
  func `IDs that only look the same are two`(left: String, right: String) {
    #expect(left == right, "Texts that look the same are one.")
    #expect(MessageID(rawValue: left) != MessageID(rawValue: right))
    #expect(!(ConversationID(rawValue: left) == ConversationID(rawValue: right)))
    #expect(Set([left, right].map(UserID.init(rawValue:))).count == 2)
    #expect(Set([left, left + ""].map(MessageID.init(rawValue:))).count == 1)
  }

  @Test func `conversations whose IDs only look the same are listed side by side, each with its own`() throws
  {
    let bench = try Bench()
    let client = try bench.client()
    for id in ["\u{E9}", "e\u{301}"].map(ConversationID.init(rawValue:)) {
      try client.createConversation(id)
      try client.send("sent \(id.rawValue.utf8.count)", in: id)
      client.drafts.edit("draft \(id.rawValue.utf8.count)", in: id)
      try client.drafts.save(in: id)
    }
    let rows = try client.reader.list(limit: 10).rows.filter { $0.unsentCount > 0 }
    #expect(rows.map(\.excerpt) == ["draft 3", "draft 2"])
    #expect(rows.map(\.unsentCount) == [1, 1])
  }

  @Test(arguments: [
    "", "a\0", "a\nb", "\u{7F}", String(repeating: "x", count: 256), String(repeating: "é", count: 128),
  ])
  func `an empty or long ID, or one with control characters, is not`(raw: String) {
    #expect(!MessageID(rawValue: raw).isWellFormed)
    #expect(!ConversationID(rawValue: raw).isWellFormed)
    #expect(!UserID(rawValue: raw).isWellFormed)
  }

  @Test func `IDs that only look the same are two, in any order of their accents`() throws {
    let lookalikes = ["caf\u{E9}", "cafe\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}"]
    #expect(lookalikes[0] == lookalikes[1], "Swift takes them for one text.")
    #expect(Set(lookalikes.map(MessageID.init(rawValue:))).count == 4)
    #expect(Set(lookalikes.map(ConversationID.init(rawValue:))).count == 4)
    #expect(Set(lookalikes.map(UserID.init(rawValue:))).count == 4)
    #expect(ConversationID(rawValue: lookalikes[0]) == ConversationID(rawValue: String("caf\u{E9}")))
    #expect(MessageID(rawValue: "ab").hashValue == MessageID(rawValue: "a" + "b").hashValue)
  }

  // O4.4
  @Test func `conversations whose IDs only look the same have lanes of their own`() throws {
    try Bench.simulate(window: 1) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        for id in ["caf\u{E9}", "cafe\u{301}"] as [ConversationID] {
          try client.createConversation(id)
          try client.send("hi", in: id)
        }
        // The server does not answer, and the window has room for one message.
        await bench.transport.transmission(2)
        try await bench.rest()
        #expect(bench.transport.sent.map { $0.conversation.rawValue.utf8.count } == [5, 6])
      }
    }
  }
}
