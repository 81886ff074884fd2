import HoldfastCore

/// The citation marks in the texts of ChatGPT, and their sources. Pure.
///
/// ```
///   It rains.␀cite␁turn0search3␂        ␀ ␁ ␂ mean U+E200, U+E202 and U+E201: a mark, its fields and its end
///   It rains.【12†source】               a mark of an earlier version
/// ```
struct CitationMarks {
  private static let (begin, end, field): (Character, Character, Character) = (
    "\u{E200}", "\u{E201}", "\u{E202}"
  )
  /// They begin and end a part of the text that a mark refers to. The part itself is shown.
  private static let spans: Set<Character> = ["\u{E203}", "\u{E204}", "\u{E205}", "\u{E206}"]
  private static let longestMark = 4_000
  private static let longestOldMark = 100

  /// The references by their marks.
  private var references: [String: LooseFields] = [:]
  /// The pages and files, in their order.
  private(set) var sources: [LooseFields] = []

  init(_ metadata: LooseFields?) {
    let values = (metadata?["contentreferences"]?.array ?? []) + (metadata?["citations"]?.array ?? [])
    for value in values {
      guard let reference = LooseFields(value) else { continue }
      if let mark = reference.text("matchedtext") { references[mark] = reference }
      let count = sources.count
      collect(value, 0)
      guard sources.count == count else { continue }
      for link in reference.text("alt").map(MarkdownLinks.init)?.links ?? [] {
        sources.append(LooseFields(["url": .text(link.address), "title": .text(link.words)]))
      }
    }
  }

  /// The fields that hold the addresses of a reference.
  private static let holders = [
    "items", "sources", "supportingwebsites", "refs", "metadata", "fallbackitems", "webpage",
  ]

  private mutating func collect(_ value: JSONValue, _ depth: Int) {
    guard depth < 6 else { return }
    for value in value.array ?? [value] {
      guard let fields = LooseFields(value) else { continue }
      if fields.text("url") != nil { sources.append(fields) }
      for name in Self.holders { fields[name].map { collect($0, depth + 1) } }
      for address in fields["safeurls"]?.array ?? [] { sources.append(LooseFields(["url": address])) }
    }
  }

  /// The text without marks. Each mark is replaced by the text that the reader saw there.
  func removed(from text: String, isOfUser: Bool) -> String {
    let isMarked = text.unicodeScalars.contains { (0xE200...0xE206).contains($0.value) || $0 == "【" }
    let plain = references.keys.filter { $0.hasPrefix("cite") && $0.contains("turn") }
    guard isMarked || !plain.isEmpty else { return text }
    var (rest, shown) = (text[...], MarkedText())
    while let character = rest.first {
      if let length = markLength(rest, isOfUser), length > 0 {
        let mark = String(rest.prefix(length))
        shown.append(mark: self.shown(mark))
        rest = rest.dropFirst(length)
      } else if character == "c", let mark = plain.first(where: rest.hasPrefix) {
        shown.append(mark: self.shown(mark))
        rest = rest.dropFirst(mark.count)
      } else {
        if !Self.spans.contains(character), character != Self.end, character != Self.field {
          shown.append(character)
        }
        rest = rest.dropFirst()
      }
    }
    return shown.finished
  }

  /// The length of the mark at the beginning of a text. Nil when the text begins with no mark.
  private func markLength(_ text: Substring, _ isOfUser: Bool) -> Int? {
    switch text.first {
    case Self.begin:
      let inside = text.dropFirst().prefix(Self.longestMark)
      if let end = inside.firstIndex(where: { $0 == Self.end || $0 == Self.begin }) {
        return 1 + inside.distance(from: inside.startIndex, to: end) + (inside[end] == Self.end ? 1 : 0)
      }
      // The text was cut off within the mark.
      return 1
        + (inside.firstIndex { $0.isWhitespace }.map { inside.distance(from: inside.startIndex, to: $0) }
          ?? inside.count)
    case "【" where !isOfUser:
      let inside = text.prefix(Self.longestOldMark)
      guard let end = inside.firstIndex(of: "】"), inside[..<end].contains("†") else { return nil }
      return inside.distance(from: inside.startIndex, to: end) + 1
    default: return nil
    }
  }

  /// The kinds of references that are shown as symbols of their sources, and not as words.
  private static let signs: Set = [
    "groupedwebpages", "groupedwebpagesmodelpredictedfallback", "webpage", "webpageextended", "webpages",
    "sourcesfootnote", "hidden", "file", "attribution", "invalid",
  ]
  private static let signMarks: Set = ["cite", "filecite", "source", "sources"]

  /// The text that the reader saw in the place of a mark: the words of a link, or a name.
  private func shown(_ mark: String) -> String {
    let fields = mark.dropFirst().dropLast(mark.last == Self.end ? 1 : 0).split(
      separator: Self.field, omittingEmptySubsequences: false
    ).map(String.init)
    let name = mark.first == Self.begin ? fields.first ?? "" : ""
    if let reference = references[mark] {
      let kind = LooseFields.plain(reference.text("type") ?? "")
      if Self.signs.contains(kind) || kind.isEmpty && Self.signMarks.contains(name) { return "" }
      let words = [reference.text("alt"), reference.text("name"), reference.text("prompttext")]
        .compactMap { $0.map { MarkdownLinks($0).words } }
      return words.first { !$0.isBlank && !Self.isMarked($0) } ?? ""
    }
    switch name {
    case "entity":
      // `["city","Paris","the capital"]`
      let array = fields.count > 1 ? (try? JSONValue(.init(fields[1].utf8)))?.array : nil
      return array.flatMap { $0.count > 1 ? $0[1].text : nil } ?? ""
    case "url", "link", "linktitle", "link_title": return fields.count > 2 ? fields[1] : ""
    default: return ""
    }
  }

  private static func isMarked(_ text: String) -> Bool {
    text.unicodeScalars.contains { (0xE200...0xE206).contains($0.value) }
  }
}

/// A text from which marks are removed, together with the space before them.
private struct MarkedText {
  private var text = ""
  private var isBehindMark = false

  mutating func append(mark shown: String) {
    text += shown
    isBehindMark = shown.isEmpty
  }

  mutating func append(_ character: Character) {
    // A mark on a line of its own leaves no line.
    if isBehindMark, character.isNewline, text.isEmpty || text.hasSuffix("\n\n") { return }
    if isBehindMark, character.isWhitespace || ".,;:!?)]".contains(character) { dropSpaces() }
    isBehindMark = false
    text.append(character)
  }

  private mutating func dropSpaces() { while text.last == " " { text.removeLast() } }

  var finished: String {
    var copy = self
    if isBehindMark { while copy.text.last?.isWhitespace == true { copy.text.removeLast() } }
    return copy.text
  }
}

/// A text with Markdown links: `[words](address)`.
struct MarkdownLinks {
  private(set) var links: [(words: String, address: String)] = []
  /// The text with only the words of its links.
  private(set) var words = ""

  init(_ text: String) {
    var rest = text[...]
    while let open = rest.firstIndex(of: "[") {
      words += rest[..<open]
      let inside = rest[rest.index(after: open)...]
      guard let close = inside.firstIndex(of: "]"), inside[close...].hasPrefix("]("),
        let end = inside[close...].firstIndex(of: ")")
      else {
        words += "["
        rest = inside
        continue
      }
      let address = inside[inside.index(close, offsetBy: 2)..<end].prefix { !$0.isWhitespace }
      links.append((String(inside[..<close]), String(address)))
      words += inside[..<close]
      rest = inside[inside.index(after: end)...]
    }
    words += rest
  }
}
