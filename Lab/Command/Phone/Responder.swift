import Foundation

/// The answer of the demo's assistant. There is no model behind it: the answer is a few sentences that quote the
/// question. The type is pure, so that an answer that was cut off can be continued.
struct Responder: Sendable {
  struct Token: Sendable, Equatable {
    var text = ""
    var reasoning = ""
  }

  /// The number of characters that are quoted. A longer question is truncated.
  private static let quoted = 80

  let tokens: [Token]
  /// The reason of the first attempt's failure, if the question asks for one.
  let failure: String?

  init(question: String) {
    let asksForFailure = question.lowercased().split { !$0.isLetter }.contains("fail")
    failure = asksForFailure ? "The assistant has failed, as you asked. Retry, and it answers." : nil
    let line = question.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    let excerpt = line.count > Self.quoted ? line.prefix(Self.quoted) + "…" : line[...]
    let count = question.split(whereSeparator: \.isWhitespace).count
    let reasoning =
      "The question has \(count == 1 ? "one word" : "\(count) words"). There is no model here to understand it, so the "
      + "answer says what this is, and what can be tried with it."
    let plain = """
      You wrote: “\(excerpt)”. I am built into this demo and know nothing, but I write slowly, word by word, as a model \
      does. Kill this app while I do. What you have read is on disk a quarter of a second later, and after the next launch \
      it is here, marked as interrupted. Ask me to fail, and I fail before my first word. Ask me \
      for Markdown, and I write a table and code.

      Continue lets me write on behind it, under the same ID. Retry lets me begin again, and what was here goes once there \
      is something better. Either way there is one answer in the end, and never two.
      """
    let asksForMarkdown = question.localizedCaseInsensitiveContains("markdown")
    let text = asksForMarkdown ? Self.markdown : plain
    tokens =
      Self.words(of: reasoning).map { Token(reasoning: $0) } + Self.words(of: text).map { Token(text: $0) }
  }

  /// An answer with what a model's Markdown has.
  private static let markdown = """
    ## What I can write

    A **paragraph** with *emphasis*, `code`, and [a link](https://example.org/holdfast), which asks before it opens.

    - A list
    - with two lines

    > A quote, as of somebody who was here before.

    | Drafts | Outbox | Lost |
    |:-------|:------:|-----:|
    | saved  | queued |    0 |

    ```swift
    let chat = try client.conversation("weekend-trip")
    try chat.send("See you at eight")
    ```

    That was it.
    """

  /// The reasoning before the answer.
  var reasoning: String { tokens.map(\.reasoning).joined() }

  /// The tokens that follow the given text and reasoning. All tokens when the answer does not begin with them.
  func tokens(behind text: String, reasoning: String) -> [Token] {
    let (allText, allReasoning) = (tokens.map(\.text).joined(), tokens.map(\.reasoning).joined())
    guard allText.hasPrefix(text), allReasoning.hasPrefix(reasoning) else { return tokens }
    return Self.words(of: String(allReasoning.dropFirst(reasoning.count))).map { Token(reasoning: $0) }
      + Self.words(of: String(allText.dropFirst(text.count))).map { Token(text: $0) }
  }

  /// The words of a text, each with the space before it.
  private static func words(of text: String) -> [String] {
    text.reduce(into: []) { words, character in
      if words.isEmpty || character == " " { words.append("") }
      words[words.count - 1].append(character)
    }
  }
}
