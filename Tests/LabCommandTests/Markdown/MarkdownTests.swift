import Foundation
import Testing

@testable import holdfast_lab

/// An answer's Markdown as the blocks that the page draws.
@Suite(.timeLimit(.minutes(5))) struct MarkdownTests {
  /// A node of a block, as the page reads it.
  private indirect enum Node: Decodable, Equatable {
    case text(String)
    case element(String, String?, [Node])

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
        return
      }
      var parts = try decoder.unkeyedContainer()
      let tag = try parts.decode(String.self)
      var attribute: String?
      if try !parts.decodeNil() {
        if let text = try? parts.decode(String.self) {
          attribute = text
        } else if let number = try? parts.decode(Int.self) {
          attribute = String(number)
        } else {
          attribute = String(try parts.decode(Bool.self))
        }
      }
      var nodes: [Node] = []
      while !parts.isAtEnd { nodes.append(try parts.decode(Node.self)) }
      self = .element(tag, attribute, nodes)
    }

    /// As HTML would have it, to be read in a test.
    var drawing: String {
      switch self {
      case .text(let text): text
      case .element(let tag, let attribute, let nodes):
        "<\(tag)\(attribute.map { " \($0)" } ?? "")>\(nodes.map(\.drawing).joined())</>"
      }
    }

    var depth: Int {
      guard case .element(_, _, let nodes) = self else { return 0 }
      return 1 + (nodes.map(\.depth).max() ?? 0)
    }

    var tags: Set<String> {
      guard case .element(let tag, _, let nodes) = self else { return [] }
      return nodes.reduce(into: [tag]) { $0.formUnion($1.tags) }
    }
  }

  private static let tags: Set = [
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "hr", "pre", "code", "table",
    "tr", "th",
    "td", "em", "strong", "del", "a", "img",
  ]

  private func nodes(_ text: String, isStreaming: Bool = false) throws -> [Node] {
    try #require(Markdown.blocks(of: text, isStreaming: isStreaming)).map {
      try JSONDecoder().decode(Node.self, from: Data($0.utf8))
    }
  }

  private func drawing(_ text: String, isStreaming: Bool = false) throws -> [String] {
    try nodes(text, isStreaming: isStreaming).map(\.drawing)
  }

  /// A text with every construct.
  private static let everything = """
    # Title *one*

    Title two
    ---------

    A paragraph with **bold**, *slanted*, ~~gone~~, `co"de` and [a link](https://example.org/a?b=c&d=%20 "title"),
    a line, a\\
    break, <b>HTML</b>, https://example.net and ![a picture](https://example.org/p.png). Entities: &lt;&amp;&#128077;

    - one
      - deeper
      - [x] done
      - [ ] to do

    3. three

       with a paragraph
    4. four

    > A quote
    > > of a quote

    | Left | Middle | Right |
    |:-----|:------:|------:|
    | 👍🏽    | `a\\|b`  | 3     |

    ***

    <div onclick="evil()">

    ```swift title
    let tab = "\t"

    ```

        indented
    """

  @Test func `paragraphs, headings, quotes and marks in a line are elements`() throws {
    #expect(
      try drawing("# A *b*\n\nc **d** ~~e~~ `f`\ng\n\n> h\n\n---")
        == [
          "<h1>A <em>b</></>", "<p>c <strong>d</> <del>e</> <code>f</>\ng</>", "<blockquote><p>h</></>",
          "<hr></>",
        ])
  }

  @Test func `lists have their numbers, their depth and what is done`() throws {
    #expect(try drawing("- a\n  - b\n- c") == ["<ul><li>a<ul><li>b</></></><li>c</></>"])
    #expect(try drawing("3. a\n\n4. b") == ["<ol 3><li><p>a</></><li><p>b</></></>"])
    #expect(try drawing("- [x] a\n- [ ] b") == ["<ul><li true>a</><li false>b</></>"])
  }

  @Test func `a table has a head and the sides of its columns`() throws {
    #expect(
      try drawing("| a | b |\n|:-:|--:|\n| c | **d** |\n| e |")
        == [
          "<table><tr><th c>a</><th r>b</></><tr><td c>c</><td r><strong>d</></></><tr><td c>e</><td r></></></>"
        ])
  }

  @Test func `code has its language, and all of its text`() throws {
    #expect(try drawing("```swift x\nlet a = \"<b>\"\n\n```") == ["<pre swift>let a = \"<b>\"\n</>"])
    #expect(try drawing("    a\n     b") == ["<pre >a\n b</>"])
    #expect(try drawing("```\n```") == ["<pre ></>"])
  }

  @Test func `a fence without an end is code`() throws {
    #expect(
      try drawing("Look:\n```py\nprint(1)\n- no list", isStreaming: true) == [
        "<p>Look:</>", "<pre py>print(1)\n- no list</>",
      ])
  }

  @Test func `HTML is text`() throws {
    #expect(try drawing("a <b onclick=x>b</b> <!-- c -->") == ["<p>a <b onclick=x>b</b> <!-- c --></>"])
    #expect(try nodes("a <b>").map(\.tags) == [["p"]])
    #expect(try nodes("<script>alert(1)</script>").map(\.tags) == [["p"]])
    #expect(try drawing("<script>alert(1)</script>") == ["<p><script>alert(1)</script></>"])
  }

  @Test(arguments: [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
    "/intent",
    "//example.org", "mailto:a@example.org", "java&#10;script:x", "&#106;avascript:x", " ", "blob:https://a",
  ])
  func `only an address in the web is a link`(_ address: String) throws {
    for text in ["[a](<\(address)>)", "![a](<\(address)>)", "<\(address)>", "[a]\n\n[a]: <\(address)>"] {
      #expect(try nodes(text).allSatisfy { $0.tags.isDisjoint(with: ["a", "img"]) }, "\(text)")
    }
  }

  @Test func `addresses are links, an image is one, and none is in another`() throws {
    #expect(
      try drawing("[a *b*](https://example.org/?q=\"1\") https://example.net.")
        == [
          "<p><a https://example.org/?q=\"1\">a <em>b</></> <a https://example.net>https://example.net</>.</>"
        ])
    #expect(try drawing("![a](http://example.org/a.png)") == ["<p><img http://example.org/a.png>a</></>"])
    #expect(
      try drawing("[![a](http://b.example) c](http://d.example)") == ["<p><a http://d.example>a c</></>"])
  }

  @Test func `a text that may become a mark waits for the next word`() throws {
    #expect(try drawing("Three things:\n-", isStreaming: true) == ["<p>Three things:</>"])
    #expect(
      try drawing("Three things:\n- a", isStreaming: true) == ["<p>Three things:</>", "<ul><li>a</></>"])
    #expect(try drawing("A number:\n42") == ["<p>A number:\n42</>"], "Nothing follows.")
    #expect(try drawing("12", isStreaming: true) == [])
  }

  @Test func `each construct that is cut at each byte gives blocks that the page can draw`() throws {
    let bytes = Array(Self.everything.utf8)
    for end in 0...bytes.count {
      let text = String(decoding: bytes[..<end], as: UTF8.self)
      for isStreaming in [true, false] {
        let nodes = try nodes(text, isStreaming: isStreaming)
        #expect(nodes.allSatisfy { $0.tags.isSubset(of: Self.tags) }, "\(text)")
      }
    }
    let all = try nodes(Self.everything).reduce(into: Set<String>()) { $0.formUnion($1.tags) }
    #expect(all == Self.tags.subtracting(["h3", "h4", "h5", "h6"]), "The text has every construct.")
  }

  @Test func `words that are added change the last block alone`() throws {
    let words = Self.everything.split(separator: " ", omittingEmptySubsequences: false)
    var before: [String] = []
    for count in 1...words.count {
      let text = words[..<count].joined(separator: " ")
      let blocks = try #require(Markdown.blocks(of: text, isStreaming: true))
      // The last one may have become two.
      #expect(Array(blocks.prefix(max(0, before.count - 1))) == Array(before.dropLast()), "\(text)")
      before = blocks
    }
  }

  @Test func `control characters and lone marks of JSON are carried`() throws {
    let text = "a\u{1}\u{1F}\t\"\\\u{7F}\u{2028}🏳️‍🌈b"
    #expect(try nodes(text) == [.element("p", nil, [.text(text)])])
    #expect(try drawing("a\0b") == ["<p>a\u{FFFD}b</>"])
    #expect(try drawing("") == [])
  }

  @Test(arguments: [
    String(repeating: ">", count: 10_000) + "a",
    String(repeating: "> ", count: 10_000) + "a\n" + String(repeating: "\n", count: 10_000),
    String(repeating: "- ", count: 10_000) + "a" + String(repeating: "\n", count: 10_000),
    String(repeating: "1. ", count: 10_000) + "a",
    String(repeating: "*a _b ", count: 10_000),
    String(repeating: "**a ", count: 5_000) + "b"
      + String(repeating: "**", count: 5_000),
    String(repeating: "[", count: 60_000), String(repeating: "![[]()", count: 10_000),
    String(repeating: "a@b.", count: 16_000), String(repeating: "`a``b", count: 12_000),
    String(repeating: "a|", count: 16_000) + "\n" + String(repeating: "-|", count: 16_000),
    String(repeating: "|x", count: 60) + "\n" + String(repeating: "|-", count: 60) + "\n"
      + String(repeating: "a\n", count: 30_000),
    (0..<350).map { String(repeating: " ", count: 2 * $0) + "- a\n" }.joined().prefix(65_000).description,
    String(repeating: "a", count: 10_000_000),
  ])
  func `what is made to take long does not`(_ text: String) throws {
    var blocks: [String]?
    let time = ContinuousClock().measure { blocks = Markdown.blocks(of: text) }
    print(
      "\(text.prefix(6).debugDescription), \(text.utf8.count) bytes: \(time), \(blocks?.count ?? -1) blocks")
    #expect(time < .seconds(5))
    for block in blocks ?? [] {
      let node = try JSONDecoder().decode(Node.self, from: Data(block.utf8))
      #expect(node.depth <= Markdown.maximumDepth + 1)
    }
  }

  @Test func `quotes in quotes are drawn to a depth`() throws {
    let text = (1...60).map { String(repeating: ">", count: $0) + " \($0)" }.joined(separator: "\n")
    #expect(try nodes(text).map(\.depth) == [Markdown.maximumDepth])
    #expect(try drawing(text)[0].contains("60"))
    #expect(Markdown.blocks(of: String(repeating: ">", count: 10_000)) == nil, "It is shown as it is.")
  }
}
