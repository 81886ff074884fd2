import CMarkGFM
import HoldfastPresenters

/// Writes the nodes of a parsed text as JSON, one block after the other. It follows the parser's iterator, so that no
/// nesting takes memory of the stack.
struct MarkdownWriter {
  private(set) var blocks: [String] = []
  private var json: [UInt8] = []
  /// The text of adjacent nodes, which becomes one.
  private var text = ""
  /// Whether each open node is an element. The children of another one belong to its parent.
  private var open: [Bool] = []
  private var depth = 0
  private var column = 0
  private var isInLink = false

  private struct Tag {
    var name: String
    var attribute = "null"
  }

  mutating func enter(_ node: OpaquePointer) {
    switch Self.kind(node) {
    case "document": break
    case "text", "html_inline": text += Self.literal(node)
    case "softbreak", "linebreak": text += "\n"
    case "code": add(Tag(name: "code"), Self.literal(node))
    case "html_block": add(Tag(name: "p"), Self.literal(node))
    case "thematic_break": add(Tag(name: "hr"), nil)
    case "code_block":
      let info = cmark_node_get_fence_info(node).map { String(cString: $0) } ?? ""
      let language = info.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
      add(Tag(name: "pre", attribute: Self.quoted(language)), Self.literal(node))
    default:
      let tag = depth < Markdown.maximumDepth ? tag(of: node) : nil
      if let tag { begin(tag) }
      open.append(tag != nil)
    }
  }

  mutating func exit(_ node: OpaquePointer) {
    guard let isElement = open.popLast() else { return }
    if ["link", "image"].contains(Self.kind(node)) { isInLink = isInLink && !isElement }
    if isElement { end() }
  }

  /// The element of a node. Nil: its children are drawn in its parent.
  private mutating func tag(of node: OpaquePointer) -> Tag? {
    switch Self.kind(node) {
    case "paragraph": Self.isTight(node) ? nil : Tag(name: "p")
    case "heading": Tag(name: "h\(cmark_node_get_heading_level(node))")
    case "block_quote": Tag(name: "blockquote")
    case "list":
      cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
        ? Tag(name: "ol", attribute: "\(cmark_node_get_list_start(node))") : Tag(name: "ul")
    case "item": Tag(name: "li")
    case "tasklist":
      Tag(name: "li", attribute: cmark_gfm_extensions_get_tasklist_item_checked(node) ? "true" : "false")
    case "table": Tag(name: "table")
    case "table_header", "table_row":
      row()
    case "table_cell": cell(node)
    case "emph": Tag(name: "em")
    case "strong": Tag(name: "strong")
    case "strikethrough": Tag(name: "del")
    case "link", "image": link(node)
    default: nil
    }
  }

  private mutating func row() -> Tag {
    column = 0
    return Tag(name: "tr")
  }

  private mutating func cell(_ node: OpaquePointer) -> Tag {
    defer { column += 1 }
    let row = cmark_node_parent(node)
    let table = row.flatMap { cmark_node_parent($0) }
    var alignment = "null"
    if let table, column < cmark_gfm_extensions_get_table_columns(table),
      let letter = cmark_gfm_extensions_get_table_alignments(table)?[column], letter != 0
    {
      alignment = Self.quoted(String(UnicodeScalar(letter)))
    }
    return Tag(name: row.map(Self.kind) == "table_header" ? "th" : "td", attribute: alignment)
  }

  private mutating func link(_ node: OpaquePointer) -> Tag? {
    let address = cmark_node_get_url(node).map { String(cString: $0) } ?? ""
    guard !isInLink, PresentedReference.isWeb(address) else { return nil }
    isInLink = true
    return Tag(name: Self.kind(node) == "link" ? "a" : "img", attribute: Self.quoted(address))
  }

  private mutating func add(_ tag: Tag, _ content: String?) {
    begin(tag)
    if let content {
      text = content.hasSuffix("\n") && tag.name != "code" ? String(content.dropLast()) : content
      if text.isEmpty { json += Array(",\"\"".utf8) }
    }
    end()
  }

  private mutating func begin(_ tag: Tag) {
    endText()
    if depth > 0 { json.append(UInt8(ascii: ",")) }
    json += Array("[\"\(tag.name)\",\(tag.attribute)".utf8)
    depth += 1
  }

  private mutating func end() {
    endText()
    json.append(UInt8(ascii: "]"))
    depth -= 1
    guard depth == 0 else { return }
    blocks.append(String(decoding: json, as: UTF8.self))
    json = []
  }

  private mutating func endText() {
    guard !text.isEmpty else { return }
    json += Array((",\(Self.quoted(text))").utf8)
    text = ""
  }

  private static func kind(_ node: OpaquePointer) -> String {
    String(cString: cmark_node_get_type_string(node))
  }

  private static func literal(_ node: OpaquePointer) -> String {
    cmark_node_get_literal(node).map { String(cString: $0) } ?? ""
  }

  /// Whether a paragraph is in an item of a list without blank lines, and is no paragraph to the eye.
  private static func isTight(_ paragraph: OpaquePointer) -> Bool {
    let list = cmark_node_parent(paragraph).flatMap { cmark_node_parent($0) }
    return list.map { cmark_node_get_type($0) == CMARK_NODE_LIST && cmark_node_get_list_tight($0) != 0 }
      ?? false
  }

  /// A text as JSON.
  private static func quoted(_ text: String) -> String {
    var json = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\n"): json += Array("\\n".utf8)
      case 0..<0x10: json += Array("\\u000\(String(byte, radix: 16))".utf8)
      case 0x10..<0x20: json += Array("\\u00\(String(byte, radix: 16))".utf8)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      default: json.append(byte)
      }
    }
    return String(decoding: json + [UInt8(ascii: "\"")], as: UTF8.self)
  }
}
