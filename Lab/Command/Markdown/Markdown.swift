import CMarkGFM
import HoldfastPresenters

/// Reads an answer in GitHub's Markdown as the blocks that the page draws. Pure.
///
/// An answer is untrusted. Its blocks have known tags alone: HTML stays text, an image is a link, and only an `http` or
/// `https` address is a link. The page makes elements of the tags, and nothing of it is ever HTML.
enum Markdown {
  /// The deepest element. What is nested deeper is drawn as part of it.
  static let maximumDepth = 32
  /// The blocks, each as JSON: a node is a text, or `[tag, attribute, ...nodes]`. A block whose JSON is the same is the
  /// same block.
  ///
  /// - Parameter isStreaming: whether more text follows. A last line that may become a mark is left out until then: `-`
  ///   under a paragraph would make it a heading for a moment, before it begins a list.
  /// - Returns: nil for a text that would take long, which is shown as it is.
  static func blocks(of text: String, isStreaming: Bool = false) -> [String]? {
    guard MarkdownLimits.isModest(text) else { return nil }
    let document = document(of: isStreaming ? String(MarkdownLimits.withoutMark(text)) : text)
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
}
