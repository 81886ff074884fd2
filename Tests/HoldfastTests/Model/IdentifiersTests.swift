import Testing

@testable import Holdfast

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
      client.edit("draft \(id.rawValue.utf8.count)", in: id)
      try client.saveDraft(in: id)
    }
    let rows = try client.listSnapshot(limit: 10).rows.filter { $0.unsentCount > 0 }
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
}
