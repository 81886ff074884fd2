import CMarkGFM
import HoldfastPresenters

extension MarkdownParser {
  /// cmark-gfm in place of Foundation's parser, which is made of it and which Linux lacks. Its runs have the blocks and
  /// the styles that Foundation is documented to give. That Foundation does so has to be seen on a device.
  package static let cmark = MarkdownParser { text in
    _ = extensionsAreRegistered
    let parser = cmark_parser_new(CMARK_OPT_DEFAULT)
    defer { cmark_parser_free(parser) }
    for name in ["table", "strikethrough", "autolink"] {
      cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(name))
    }
    cmark_parser_feed(parser, text, text.utf8.count)
    let document = cmark_parser_finish(parser)
    defer { cmark_node_free(document) }
    let steps = cmark_iter_new(document)
    defer { cmark_iter_free(steps) }
    var reading = CMarkReading()
    while true {
      let event = cmark_iter_next(steps)
      guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(steps) else { return reading.runs }
      if event == CMARK_EVENT_ENTER { reading.enter(node) } else { reading.exit(node) }
    }
  }

  /// Done once, because it is not safe on two threads.
  private static let extensionsAreRegistered: Void = cmark_gfm_core_extensions_ensure_registered()
}

/// The runs of a text so far, and the nodes around the next one.
private struct CMarkReading {
  private(set) var runs: [MarkdownRun] = []
  /// The innermost first.
  private var intents: [MarkdownIntent] = []
  private var styles: [MarkdownStyles] = []
  private var links: [String?] = []
  /// The number of the next item of each open list.
  private var ordinals: [Int] = []
  private var identity = 0
  private var (column, row) = (0, 0)

  mutating func enter(_ node: OpaquePointer) {
    switch Self.kind(node) {
    case "text", "html_inline": add(Self.literal(node))
    case "softbreak", "linebreak": add("\n")
    case "code": add(Self.literal(node), .code)
    case "emph": styles.append(.emphasis)
    case "strong": styles.append(.strong)
    case "strikethrough": styles.append(.strikethrough)
    case "link", "image":
      links.append(links.last ?? cmark_node_get_url(node).map { String(cString: $0) })
      if cmark_node_first_child(node) == nil { add("") }
    default:
      guard let kind = block(node) else { return }
      identity += 1
      intents.insert(MarkdownIntent(kind, identity), at: 0)
      // They have no nodes within, and are not left.
      if ["code_block", "html_block", "thematic_break"].contains(Self.kind(node)) {
        add(Self.literal(node))
        intents.removeFirst()
      }
    }
  }

  mutating func exit(_ node: OpaquePointer) {
    switch Self.kind(node) {
    case "emph", "strong", "strikethrough": styles.removeLast()
    case "link", "image": links.removeLast()
    case "document": break
    case "list":
      ordinals.removeLast()
      intents.removeFirst()
    default: if !intents.isEmpty { intents.removeFirst() }
    }
  }

  private mutating func add(_ text: String, _ style: MarkdownStyles = []) {
    let all = styles.reduce(into: style) { $0.formUnion($1) }
    runs.append(MarkdownRun(text, in: intents, all, link: links.last ?? nil))
  }

  private mutating func block(_ node: OpaquePointer) -> MarkdownIntent.Kind? {
    switch Self.kind(node) {
    case "paragraph", "html_block": return .paragraph
    case "heading": return .heading(level: Int(cmark_node_get_heading_level(node)))
    case "code_block": return .code(language: cmark_node_get_fence_info(node).map { String(cString: $0) })
    case "thematic_break": return .rule
    case "block_quote": return .quote
    case "list": return list(node)
    case "item": return item()
    case "table":
      row = 0
      return .table(columns: alignments(node))
    case "table_header":
      column = 0
      return .headerRow
    case "table_row":
      (column, row) = (0, row + 1)
      return .row(index: row)
    case "table_cell":
      column += 1
      return .cell(column: column - 1)
    default: return nil
    }
  }

  private mutating func list(_ node: OpaquePointer) -> MarkdownIntent.Kind {
    ordinals.append(Int(cmark_node_get_list_start(node)))
    return cmark_node_get_list_type(node) == CMARK_ORDERED_LIST ? .orderedList : .unorderedList
  }

  private mutating func item() -> MarkdownIntent.Kind {
    defer { ordinals[ordinals.count - 1] += 1 }
    return .listItem(ordinal: ordinals[ordinals.count - 1])
  }

  private func alignments(_ table: OpaquePointer) -> [MarkdownTable.Alignment] {
    let letters = cmark_gfm_extensions_get_table_alignments(table)
    return (0..<Int(cmark_gfm_extensions_get_table_columns(table))).map { column in
      switch letters?[column] {
      case UInt8(ascii: "c"): .center
      case UInt8(ascii: "r"): .trailing
      default: .leading
      }
    }
  }

  private static func kind(_ node: OpaquePointer) -> String {
    String(cString: cmark_node_get_type_string(node))
  }

  private static func literal(_ node: OpaquePointer) -> String {
    cmark_node_get_literal(node).map { String(cString: $0) } ?? ""
  }
}
