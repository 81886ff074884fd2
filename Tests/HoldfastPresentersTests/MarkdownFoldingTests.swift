import Testing

@testable import HoldfastPresenters

/// The runs of a parsed text as blocks.
@Suite struct MarkdownFoldingTests {
  private typealias Intent = MarkdownIntent
  private static let paragraph = Intent(.paragraph, 1)

  private func blocks(_ runs: MarkdownRun...) -> [MarkdownBlock] { MarkdownFolding(piece: 0).blocks(runs) }

  private func paragraph(_ text: String, _ index: Int = 0) -> MarkdownBlock {
    MarkdownBlock(id: .init(piece: 0, index: index), content: .paragraph([MarkdownSpan(text)]))
  }

  @Test func `a paragraph has a span for each style, and neighbours of one style are one`() {
    let found = blocks(
      MarkdownRun("a", in: [Self.paragraph]), MarkdownRun("b", in: [Self.paragraph]),
      MarkdownRun("c", in: [Self.paragraph], [.strong, .emphasis]),
      MarkdownRun("\n", in: [Self.paragraph]), MarkdownRun("x()", in: [Self.paragraph], .code))
    let spans = [
      MarkdownSpan("ab"), MarkdownSpan("c", [.strong, .emphasis]), MarkdownSpan("\n"),
      MarkdownSpan("x()", .code),
    ]
    #expect(found.map(\.content) == [.paragraph(spans)])
  }

  @Test func `an item of a list has blocks, and an ordered list has its numbers`() throws {
    let (list, first, second) = (
      Intent(.orderedList, 1), Intent(.listItem(ordinal: 3), 2), Intent(.listItem(ordinal: 4), 5)
    )
    let found = blocks(
      MarkdownRun("one", in: [Intent(.paragraph, 3), first, list]),
      MarkdownRun("let a = 1\n", in: [Intent(.code(language: "swift linenos"), 4), first, list]),
      MarkdownRun(
        "inner",
        in: [
          Intent(.paragraph, 8), Intent(.listItem(ordinal: 1), 7), Intent(.unorderedList, 6), second, list,
        ]))
    guard case .list(let drawn)? = found.first?.content else {
      Issue.record("no list: \(found)")
      return
    }
    #expect(found.count == 1)
    #expect(drawn.isOrdered)
    #expect(drawn.items.map(\.mark) == ["3.", "4."])
    #expect(
      drawn.items[0].blocks.map(\.content) == [
        .paragraph([MarkdownSpan("one")]), .code(language: "swift", text: "let a = 1"),
      ])
    guard case .list(let inner)? = drawn.items[1].blocks.first?.content else {
      Issue.record("no list in the list")
      return
    }
    #expect(inner.items.map(\.mark) == ["•"])
    #expect(inner.items[0].blocks == [paragraph("inner")])
  }

  @Test func `two lists side by side stay two, and so do two paragraphs`() {
    func item(_ list: Int) -> [Intent] {
      [Intent(.paragraph, list + 2), Intent(.listItem(ordinal: 1), list + 1), Intent(.unorderedList, list)]
    }
    let found = blocks(
      MarkdownRun("a", in: item(10)), MarkdownRun("b", in: item(20)),
      MarkdownRun("c", in: [Intent(.paragraph, 30)]),
      MarkdownRun("d", in: [Intent(.paragraph, 31)]))
    #expect(found.map(\.id.index) == [0, 1, 2, 3])
    #expect(Array(found[2...]) == [paragraph("c", 2), paragraph("d", 3)])
  }

  @Test func `a table has each cell, also those without words`() {
    let table = Intent(.table(columns: [.leading, .trailing, .center]), 1)
    let (header, row) = (Intent(.headerRow, 2), Intent(.row(index: 1), 3))
    func cell(_ column: Int, _ row: Intent, _ identity: Int) -> [Intent] {
      [Intent(.cell(column: column), identity), row, table]
    }
    let found = blocks(
      MarkdownRun("City", in: cell(0, header, 4)), MarkdownRun("People", in: cell(1, header, 5)),
      MarkdownRun("3 ", in: cell(1, row, 6)), MarkdownRun("million", in: cell(1, row, 6), .strong),
      MarkdownRun("far away", in: cell(9, row, 7)))
    guard case .table(let drawn)? = found.first?.content else {
      Issue.record("no table: \(found)")
      return
    }
    #expect(drawn.header.map(\.spoken) == ["City", "People", ""])
    #expect(drawn.rows.map { $0.cells.map(\.spoken) } == [["City: ", "People: 3 million", ""]])
    #expect(drawn.rows[0].cells.map(\.alignment) == [.leading, .trailing, .center])
    #expect(drawn.rows[0].cells[1].spans == [MarkdownSpan("3 "), MarkdownSpan("million", .strong)])
  }

  @Test func `only an address in the web is a link, and a picture is its words`() {
    let found = blocks(
      MarkdownRun("page", in: [Self.paragraph], link: "https://example.org/a"),
      MarkdownRun(" and ", in: [Self.paragraph]),
      MarkdownRun("run", in: [Self.paragraph], link: "javascript:alert(1)"),
      MarkdownRun("\u{FFFC}", in: [Self.paragraph], link: "https://example.org/a.png"))
    let spans = [
      MarkdownSpan("page", link: "https://example.org/a"), MarkdownSpan(" and run"),
      MarkdownSpan("https://example.org/a.png", link: "https://example.org/a.png"),
    ]
    #expect(found.map(\.content) == [.paragraph(spans)])
  }

  @Test func `runs that no parser gives are drawn all the same`() {
    let table = Intent(.table(columns: []), 1)
    let damaged: [[Intent]] = [
      [Intent(.cell(column: -1), 2)], [Intent(.row(index: 0), 3)], [Intent(.listItem(ordinal: -4), 4)],
      [Intent(.orderedList, 5)], [table], [Intent(.cell(column: 3), 6), Intent(.headerRow, 7), table],
      [Intent(.heading(level: 99), 8)], [Intent(.quote, 9)], [], [Intent(.paragraph, 10), table],
    ]
    for intents in damaged {
      _ = blocks(MarkdownRun("a", in: intents), MarkdownRun("", in: intents))
    }
    #expect(blocks(MarkdownRun("a", in: [Intent(.listItem(ordinal: 1), 4)])) == [paragraph("a")])
    #expect(
      blocks(MarkdownRun("a", in: [Intent(.heading(level: 99), 8)])).map(\.content)
        == [.heading(level: 6, [MarkdownSpan("a")])])
    #expect(blocks().isEmpty)
  }

  @Test func `what is nested deeper than can be drawn keeps its words`() {
    var intents = [Self.paragraph]
    for depth in 0..<500 {
      intents += [Intent(.listItem(ordinal: 1), depth + 1_000), Intent(.unorderedList, depth)]
    }
    var (open, depth) = (blocks(MarkdownRun("deep", in: intents)), 0)
    while case .list(let list)? = open.first?.content { (open, depth) = (list.items[0].blocks, depth + 1) }
    #expect(open == [paragraph("deep")])
    #expect(depth == 6, "A list and its item are two blocks.")
  }
}
