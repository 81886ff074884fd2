import Testing

@testable import HoldfastCore

/// Text from others as plain text.
@Suite struct PlainLineTests {
  private static let breaks = [
    "\n", "\r", "\r\n", "\u{2028}", "\u{2029}", "\u{85}", "\u{B}", "\u{C}", "\n\u{301}", "\r\n\u{200D}",
  ]

  // H9.9
  @Test(arguments: [
    "", "hello", "a\ttab", "Grüße, 北京 👩🏽‍💻 🇹🇷", "שלום عليكم", "می\u{200C}خواهم", "a\u{200F}b",
  ])
  func `ordinary words stay as they are`(words: String) {
    #expect(words.plainLine.hasSameBytes(as: words) && words.plainLines.hasSameBytes(as: words))
  }

  // H9.9
  @Test(arguments: breaks) func `every line break is one`(lineBreak: String) {
    let words = "one\(lineBreak)2026-01-01T10:00:00Z bob: two"
    let scalars = lineBreak.unicodeScalars.drop { $0.isLineBreak }
    #expect(words.plainLine == "one \(String(scalars))2026-01-01T10:00:00Z bob: two")
    #expect(words.plainLines == "one\n    \(String(scalars))2026-01-01T10:00:00Z bob: two")
    #expect(!words.plainLine.unicodeScalars.contains { $0.isLineBreak })
  }

  // H9.9
  @Test func `lines between breaks are counted, also empty ones`() {
    #expect("a\n\nb\n".plainLines == "a\n    \n    b\n    ")
    #expect("a\n\r\nb".plainLine == "a  b")
    #expect("\n".plainLines == "\n    ")
  }

  // H9.9
  @Test(arguments: ["\u{0}", "\u{7}", "\u{8}", "\u{1B}", "\u{1C}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9D}"])
  func `a terminal's orders are shown and not obeyed`(control: String) {
    #expect("a\(control)[2Jb".plainLine == "a\u{FFFD}[2Jb")
    #expect("a\(control)[2Jb".plainLines == "a\u{FFFD}[2Jb")
  }

  // H9.9
  @Test(arguments: [
    ("\u{202E}evil", "\u{2068}\u{202E}evil\u{202C}\u{2069}"),
    ("\u{202A}one\u{202C}", "\u{2068}\u{202A}one\u{202C}\u{2069}"),
    ("a\u{2067}b\u{202B}c", "\u{2068}a\u{2067}b\u{202B}c\u{202C}\u{2069}\u{2069}"),
    ("a\u{2066}b\u{202D}c\u{2069}d", "\u{2068}a\u{2066}b\u{202D}c\u{202C}\u{2069}d\u{2069}"),
    ("a\u{2069}\u{202C}b", "\u{2068}ab\u{2069}"),
    ("\u{202E}a\u{2068}b\u{202C}c", "\u{2068}\u{202E}a\u{2068}bc\u{2069}\u{202C}\u{2069}"),
  ])
  func `what turns the direction ends with the words`(words: String, plain: String) {
    #expect(words.plainLine.hasSameBytes(as: plain))
  }

  // H9.9
  @Test func `what turns the direction ends with its line`() {
    #expect(
      "\u{2067}a\nb\u{2069}".plainLines
        == "\u{2068}\u{2067}a\u{2069}\u{2069}\n    \u{2068}b\u{2069}")
  }

  // H8.3, H9.9
  @Test func `a line is cut where it was asked for, whatever was added or taken away`() {
    let line = PlainLine("\u{2069}🚢 \u{202E}ferry".unicodeScalars, cutAt: [1, 3, 5, 10])
    #expect(line.parts == ["\u{2068}", "🚢", " \u{202E}", "ferry", "\u{202C}\u{2069}"])
    #expect(PlainLine("ab".unicodeScalars, cutAt: [0, 2]).parts == ["", "ab", ""])
    #expect(PlainLine("".unicodeScalars, cutAt: [0, 0]).parts == ["", "", ""])
  }
}
