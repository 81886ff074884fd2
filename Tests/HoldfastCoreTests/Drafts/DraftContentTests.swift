import Testing

@testable import HoldfastCore

@Suite struct DraftContentTests {
  private func restored(_ text: String, _ start: Int, _ end: Int) -> TextRange? {
    let content = DraftContent(text, selection: TextRange(start: start, end: end))
    #expect(content.restorable.text == text)
    return content.restorable.selection
  }

  // D9.1, D9.3
  @Test(arguments: [
    ("hello", 5, 5), ("hello", 0, 5), ("", 0, 0), ("a😀b", 1, 3), ("e\u{301}", 1, 2), ("שלום", 1, 4),
  ])
  func `a selection that fits comes back`(text: String, start: Int, end: Int) {
    #expect(restored(text, start, end) == TextRange(start: start, end: end))
  }

  // D9.2
  @Test(arguments: [
    ("hello", 5, 6), ("hello", -1, 2), ("hello", 3, 2), ("", 1, 1), ("a😀b", 2, 2), ("a😀b", 0, 2),
    ("hello", Int.max, Int.max), ("hello", Int.min, 0),
  ])
  func `a selection that does not fit is ignored, and the text comes back alone`(
    text: String, start: Int, end: Int
  ) {
    #expect(restored(text, start, end) == nil)
  }

  // D6.1
  @Test(arguments: ["", " ", "\n\t \u{2028}\u{A0}", "\u{200D}"])
  func `white space is no draft`(text: String) {
    #expect(DraftContent(text).isEmpty)
  }

  // D6
  @Test(arguments: ["a", " . ", " \u{301}", "👩\u{200D}🚀"])
  func `anything that would be sent is a draft`(text: String) {
    #expect(!DraftContent(text).isEmpty)
  }

  // D1.4
  @Test func `texts that only look the same are two`() {
    #expect(DraftContent("\u{E9}") != DraftContent("e\u{301}"))
    #expect(DraftContent("e\u{301}") == DraftContent("e\u{301}"))
  }
}
