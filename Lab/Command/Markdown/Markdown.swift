import CMarkGFM

/// Reads an answer in GitHub's Markdown as the blocks that the page draws. Pure.
///
/// An answer is untrusted. Its blocks have known tags alone: HTML stays text, an image is a link, and only an `http` or
/// `https` address is a link. The page makes elements of the tags, and nothing of it is ever HTML.
enum Markdown {
  /// The deepest element. What is nested deeper is drawn as part of it.
  static let maximumDepth = 32
  /// The largest text, in bytes of UTF-8.
  static let maximumBytes = 65_536
  /// The most containers, or cells of a table, that a line begins.
  private static let maximumWidth = 64
  /// The most of both in all lines.
  private static let maximumArea = 65_536
  /// The most characters of a kind for which the parser looks back at all that came before.
  private static let maximumMarks = 2_048

  /// The blocks, each as JSON: a node is a text, or `[tag, attribute, ...nodes]`. A block whose JSON is the same is the
  /// same block.
  ///
  /// - Parameter isStreaming: whether more text follows. A last line that may become a mark is left out until then: `-`
  ///   under a paragraph would make it a heading for a moment, before it begins a list.
  /// - Returns: nil for a text that would take long, which is shown as it is.
  static func blocks(of text: String, isStreaming: Bool = false) -> [String]? {
    guard isModest(text) else { return nil }
    let document = document(of: isStreaming ? String(withoutMark(text)) : text)
    defer { cmark_node_free(document) }
    let steps = cmark_iter_new(document)
    defer { cmark_iter_free(steps) }
    var writer = MarkdownWriter()
    while true {
      let event = cmark_iter_next(steps)
      guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(steps) else { return writer.blocks }
      if event == CMARK_EVENT_ENTER { writer.enter(node) } else { writer.exit(node) }
    }
  }

  private static let extensions = ["table", "strikethrough", "tasklist", "autolink"]
  /// Done once, because it is not safe on two threads.
  private static let areRegistered: Void = cmark_gfm_core_extensions_ensure_registered()

  private static func document(of text: String) -> OpaquePointer? {
    _ = areRegistered
    let parser = cmark_parser_new(CMARK_OPT_DEFAULT)
    defer { cmark_parser_free(parser) }
    for name in extensions {
      cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(name))
    }
    cmark_parser_feed(parser, text, text.utf8.count)
    return cmark_parser_finish(parser)
  }

  /// Whether the parser takes time in proportion to the text. With deep nesting, wide tables, or many addresses and
  /// images the time grows with the square.
  private static func isModest(_ text: String) -> Bool {
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

  private static func withoutMark(_ text: String) -> Substring {
    let begin = text.utf8.lastIndex(of: UInt8(ascii: "\n")).map(text.utf8.index(after:)) ?? text.startIndex
    let isMark = text.utf8[begin...].allSatisfy { "-=*_+>#`~|:.) \t0123456789".utf8.contains($0) }
    return isMark ? text[..<begin] : text[...]
  }
}
