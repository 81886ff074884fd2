import Testing

@testable import HoldfastCore

@Suite struct TextLossTests {
  // D18
  @Test(arguments: [
    ("", "", 0), ("", "abc", 0), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abcd", 0), ("abc", "xabc", 0),
    ("abc", "axbc", 0), ("abc", "ac", 1), ("abc", "xyz", 3), ("aaa", "aa", 1), ("aa", "aaa", 0),
    ("at eight by", "at nine by", 5),
  ])
  func `text that stays at the start and at the end is not lost`(before: String, after: String, lost: Int) {
    #expect(TextLoss.bytes(from: before, to: after) == lost)
  }

  // D18: additions and small corrections make no version. Deleting and replacing by a paste do.
  @Test(arguments: [
    ("Shall we meet at eight?", "", true), ("Shall we meet at eight?", "Something else", true),
    ("Shall we meet at eight?", "Shall we meet at eight? Or nine?", false),
    ("Shall we meet at eight?", "Shall we meet at nine?", false),
    ("Shall we meet at eight?", "we meet at eight?", false), ("Shall we meet at eight?", "Shall we", true),
    ("Hallo", "Bye", false), ("0123456", "", false), ("01234567", "", true), ("明天八点见", "", true),
  ])
  func `much is more than half, and eight bytes or more`(before: String, after: String, isMuch: Bool) {
    #expect(TextLoss.isMuch(from: before, to: after) == isMuch)
  }

  @Test func `large texts are compared to the byte`() {
    let text = String(repeating: "0123456789", count: 30_000)
    let middle = text.index(text.startIndex, offsetBy: 131_071)
    var shorter = text
    shorter.remove(at: middle)
    #expect(TextLoss.bytes(from: text, to: shorter) == 1)
    #expect(TextLoss.bytes(from: shorter, to: text) == 0)
    #expect(TextLoss.bytes(from: text, to: text + "x") == 0)
    #expect(TextLoss.bytes(from: text, to: "x" + text) == 0)
    #expect(TextLoss.bytes(from: text, to: String(repeating: "x", count: 300_000)) == 300_000)
  }
}
