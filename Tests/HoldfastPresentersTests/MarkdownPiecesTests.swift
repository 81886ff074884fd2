import CMarkRuns
import HoldfastTesting
import Testing

@testable import HoldfastPresenters

/// Where a text may be split, so that its pieces mean what the whole means.
@Suite struct MarkdownPiecesTests {
  private func pieces(_ text: String) -> [String] { MarkdownPieces(text[...]).pieces.map(\.text) }

  /// The contents of the blocks, without their positions.
  private func drawing(_ blocks: [MarkdownBlock]) -> String {
    "\(blocks)".replacing(#/ID\(piece: \d+, index: \d+\)/#, with: "").replacing(#/Item\(id: \d+/#, with: "")
  }

  private func whole(_ text: String) -> String {
    drawing(MarkdownFolding(piece: 0).blocks(MarkdownParser.cmark.parse(text)))
  }

  @Test func `a blank line splits before a line that continues nothing`() {
    #expect(pieces("a\n\nb\n \n# c\nd") == ["a\n\n", "b\n \n", "# c\nd"])
    #expect(MarkdownPieces("ä\n\nb").pieces.map(\.offset) == [0, 4])
    for line in ["- b", "12. b", "3) b", "* b", "+", "1", " b", "\tb", "> b"] {
      #expect(pieces("a\n\n\(line)").count == 1, "\(line)")
    }
    for line in ["**b**", "---", "| b |", "```", "1986 was", "[a]: b", "-b"] {
      #expect(pieces("a\n\n\(line)").count == 2, "\(line)")
    }
    #expect(pieces("").isEmpty)
    #expect(pieces("\n\n") == ["\n\n"])
  }

  @Test func `a fence is not split, and one in a list ends with it`() {
    #expect(pieces("```\na\n\nb\n```\n\nc").count == 2)
    #expect(pieces("````\na\n\n```\n\nb\n~~~~\n\nc").count == 1)
    #expect(pieces("  ~~~ x\na\n\nb\n  ~~~\n\nc").count == 2)
    #expect(pieces("``` a`b\n\nc").count == 2, "It is no fence.")
    #expect(pieces("- a\n  ```\n  b\n\nc\n\nd").count == 3)
    #expect(pieces("2. a\n  ```\n  b\n\nc\n\nd").count == 1, "It is beside the item.")
    #expect(pieces("- a\n```\nb\n\nc\n```\n\nd").count == 2)
    #expect(pieces("- a\n```\nb\n```\n  ```\nc\n\nd").count == 1)
    #expect(MarkdownPieces("a\n\n```swift\nb").endsInCode)
    #expect(!MarkdownPieces("```\nb\n```").endsInCode)
  }

  @Test func `the lines that name addresses are found outside of code`() {
    let text =
      "[1]: https://a.org\n\n```\n[2]: https://b.org\n```\n [x]: c\n\n    [3]: d\n\n[4]: e\nwords\n[5]: f\n\n[6] e"
    #expect(MarkdownPieces(text[...]).definitions == ["[1]: https://a.org", " [x]: c"])
  }

  @Test func `the pieces mean what the text means`() {
    let lines = [
      "", "", "", "words", "**bold** words", "- item", "  more", "   - inner", "1. one", "2. two", "> quote",
      "```", "```swift",
      "  ```", "~~~", "# heading", "---", "| a | b |", "|---|--:|", "| 1 | 2 |", "    code", "===",
      "[a](https://a.org)", "* x",
      "`a`", "1986. was", "12", "\tindented", "\n[a]: https://b.org\n", "   ```",
    ]
    var generator = SeededRandom(seed: 7)
    for _ in 0..<4_000 {
      let count = Int.random(in: 1...14, using: &generator)
      let text = (0..<count).map { _ in lines.randomElement(using: &generator)! }.joined(separator: "\n")
      var answer = MarkdownAnswer(.cmark)
      #expect(drawing(answer.blocks(of: text)!) == whole(text), "\(text.debugDescription)")
    }
  }
}
