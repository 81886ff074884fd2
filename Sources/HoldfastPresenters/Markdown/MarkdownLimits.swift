/// The bounds of a text in Markdown. A text is untrusted.
package enum MarkdownLimits {
  /// The largest text that is parsed at once, in bytes of UTF-8.
  package static let maximumBytes = 65_536
  /// The most containers, or cells of a table, that a line begins.
  private static let maximumWidth = 64
  /// The most of both in all lines.
  private static let maximumArea = 65_536
  /// The most characters of a kind for which the parser looks back at all that came before.
  private static let maximumMarks = 2_048

  /// Whether cmark-gfm, which Foundation uses too, takes time in proportion to the text. With deep nesting, wide
  /// tables, or many addresses and images the time grows with the square.
  package static func isModest(_ text: String) -> Bool {
    guard text.utf8.count <= maximumBytes else { return false }
    var (lines, widest, width, marks) = (1, 0, 0, 0)
    // Whether only marks of containers were in the line, and whether the last byte ended one if a space follows.
    var (isBeginning, isMark) = (true, false)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\n"):
        (lines, width, isBeginning, isMark) = (lines + 1, 0, true, false)
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if isBeginning, isMark { width += 1 }
        isMark = false
      case UInt8(ascii: ">"), UInt8(ascii: "|"): width += isBeginning || byte == UInt8(ascii: "|") ? 1 : 0
      case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: ")"):
        isMark = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): isMark = false
      default:
        if byte == UInt8(ascii: "@") || byte == UInt8(ascii: "!") { marks += 1 }
        isBeginning = false
      }
      widest = max(widest, width)
    }
    return widest <= maximumWidth && widest * lines <= maximumArea && marks <= maximumMarks
  }

  /// The text without a last line that may become a mark once more of it has come: `-` under a paragraph would make it
  /// a heading for a moment, before it begins a list.
  package static func withoutMark(_ text: String) -> Substring {
    let begin = text.utf8.lastIndex(of: UInt8(ascii: "\n")).map(text.utf8.index(after:)) ?? text.startIndex
    let isMark = text.utf8[begin...].allSatisfy { "-=*_+>#`~|:.) \t0123456789".utf8.contains($0) }
    return isMark ? text[..<begin] : text[...]
  }
}
