import CMarkRuns
import Foundation
import Holdfast
import Synchronization
import Testing

@testable import HoldfastPresenters

/// The blocks of an answer whose words still come.
@Suite(.timeLimit(.minutes(2))) struct MarkdownAnswerTests {
  /// Parses with cmark-gfm, and keeps what it was asked to parse.
  private final class Counter: Sendable {
    private let texts = Mutex<[String]>([])
    var parser: MarkdownParser {
      MarkdownParser { [self] text in
        texts.withLock { $0.append(text) }
        return MarkdownParser.cmark.parse(text)
      }
    }
    func take() -> [String] {
      texts.withLock { texts in
        defer { texts = [] }; return texts
      }
    }
  }

  private static let text = """
    # Boats

    Some **bold** words, and [a page](https://example.org/a).

    - one
    - two

      with more

    ```swift
    let a = 1

    let b = 2
    ```

    | City | People |
    |------|-------:|
    | Kiel | 3      |

    The end.
    """

  private func blocks(_ text: String, isStreaming: Bool = false) -> [MarkdownBlock]? {
    var answer = MarkdownAnswer(.cmark)
    return answer.blocks(of: text, isStreaming: isStreaming)
  }

  private func contents(_ text: String, isStreaming: Bool = false) -> [MarkdownBlock.Content]? {
    blocks(text, isStreaming: isStreaming)?.map(\.content)
  }

  @Test func `while words come, the last piece alone is parsed again, and the blocks before it stay`() throws
  {
    let counter = Counter()
    var answer = MarkdownAnswer(counter.parser)
    var before: [MarkdownBlock] = []
    for end in Self.text.indices.dropFirst() {
      let blocks = answer.blocks(of: String(Self.text[..<end]), isStreaming: true)
      let now = try #require(blocks)
      let kept = zip(before, now).prefix { $0 == $1 }.count
      #expect(kept >= before.count - 1, "\(before) became \(now)")
      #expect(counter.take().count <= 2, "A piece that ends is parsed a last time.")
      before = now
    }
    let last = answer.blocks(of: Self.text)
    let whole = try #require(last)
    #expect(counter.take() == ["The end."])
    #expect(whole == blocks(Self.text))
    #expect(Set(whole.map(\.id)).count == whole.count)
    #expect(whole.count == 6)
    #expect(answer.blocks(of: Self.text) == whole)
    #expect(counter.take().isEmpty)
  }

  @Test func `a long answer is parsed once`() {
    let counter = Counter()
    var answer = MarkdownAnswer(counter.parser)
    var text = ""
    for number in 0..<500 {
      text += "Paragraph \(number).\n\n"
      _ = answer.blocks(of: text, isStreaming: true)
    }
    #expect(counter.take().reduce(0) { $0 + $1.utf8.count } <= text.utf8.count)
  }

  @Test func `an unclosed fence is code`() {
    #expect(
      contents("Look:\n\n```swift\nlet a = [1](b)\n\n# c")?.last
        == .code(language: "swift", text: "let a = [1](b)\n\n# c"))
    let named = "[1]: https://a.org\n\n[1]\n\n~~~\n[1]"
    #expect(contents(named, isStreaming: true)?.last == .code(language: nil, text: "[1]"))
  }

  @Test func `a last line that may become a mark waits`() {
    let paragraph = MarkdownBlock.Content.paragraph([MarkdownSpan("A line")])
    #expect(contents("A line\n-", isStreaming: true) == [paragraph])
    #expect(contents("A line\n-") == [.heading(level: 2, [MarkdownSpan("A line")])])
    #expect(contents("A line\n\n```", isStreaming: true) == [paragraph])
    #expect(contents("", isStreaming: true) == [])
  }

  @Test func `an address that is named at the end reaches the links before it`() {
    let text = "See [this][1].\n\nMore words.\n\n[1]: https://example.org/a\n"
    let spans = [
      MarkdownSpan("See "), MarkdownSpan("this", link: "https://example.org/a"), MarkdownSpan("."),
    ]
    #expect(contents(text, isStreaming: true)?.first == .paragraph(spans))
    #expect(contents(text)?.count == 2)
    let half = contents(String(text.dropLast(3)), isStreaming: true)?.first
    #expect(half == .paragraph([MarkdownSpan("See [this][1].")]), "The address is not whole.")
  }

  @Test func `other line endings are the same text`() {
    let text = Self.text.replacing("\n", with: "\r\n")
    #expect(blocks(text) == blocks(Self.text))
    #expect(blocks(Self.text.replacing("\n", with: "\r")) == blocks(Self.text))
  }

  @Test(arguments: [
    "~", "`", "[", "]", "![", "*", "_", "> ", "- ", "1. ", "|", "\\", "<", "&", "a\n\n", "<!--", "[a](", "#",
    "\t", "\0",
  ])
  func `a hostile text is drawn, or shown as it is`(_ unit: String) {
    let text = String(repeating: unit, count: 100_000 / unit.count)
    for tail in ["", "\n\n" + text.prefix(20_000), "a"] {
      _ = blocks(text + tail)
      _ = blocks(text.prefix(60_000) + tail, isStreaming: true)
    }
  }

  @Test func `what would take long is a text as it is`() {
    #expect(contents(String(repeating: "a ", count: 50_000))?.count == 1, "One piece is too long to parse.")
    #expect(blocks(String(repeating: "a\n\n", count: 5_000)) == nil, "Too many paragraphs.")
    #expect(blocks(String(repeating: "- a\n", count: 5_000)) == nil, "Too many items.")
    #expect(blocks(String(repeating: "a", count: 300_000)) == nil)
    let deep = String(repeating: "> ", count: 5_000) + "a"
    #expect(contents(deep + "\n\nb") == [.paragraph([MarkdownSpan(deep)]), .paragraph([MarkdownSpan("b")])])
  }

  @Test func `an answer is Markdown, and a person's message is what was typed`() {
    func row(_ role: MessageRole, _ text: String = "**a**", _ state: MessageStatus.Code = .delivered)
      -> MessageRow
    {
      MessageRow(
        id: "1", sender: "bob", isMine: false, role: role, content: MessageContent(text),
        createdAt: .distantPast,
        status: MessageStatus(state))
    }
    let roles: Set<MessageRole> = [.assistant]
    #expect(PresentedText(row(.assistant), markdown: roles) == .markdown("**a**", isStreaming: false))
    #expect(
      PresentedText(row(.assistant, "a", .streaming), markdown: roles) == .markdown("a", isStreaming: true))
    #expect(PresentedText(row(.user), markdown: roles) == .plain("**a**"))
    #expect(PresentedText(row(.user), markdown: [.user]).isMarkdown)
    #expect(PresentedText(row(.assistant), markdown: []) == .plain("**a**"))
    #expect(PresentedText(row(.assistant, "👍"), markdown: roles) == .plain("👍"))
  }

  @Test func `a link names the host that is opened`() throws {
    let url = try #require(URL(string: "https://bank.example@evil.example/a"))
    #expect(PresentedLink(url)?.host == "evil.example")
    #expect(PresentedLink(url)?.address == "https://bank.example@evil.example/a")
    for other in ["javascript:alert(1)", "file:///etc/passwd", "mailto:a@b.c", "/a", "chatapp://open"] {
      #expect(URL(string: other).flatMap(PresentedLink.init) == nil, "\(other)")
    }
  }
}
