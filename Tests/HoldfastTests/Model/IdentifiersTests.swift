import Testing

@testable import Holdfast

@Suite struct IdentifiersTests {
  @Test(arguments: ["a", "!room:server.example", "é", String(repeating: "x", count: 255)])
  func `an ID of 1 to 255 bytes is well formed`(raw: String) {
    #expect(MessageID(rawValue: raw).isWellFormed)
    #expect(ConversationID(rawValue: raw).isWellFormed)
    #expect(UserID(rawValue: raw).isWellFormed)
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
