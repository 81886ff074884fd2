/// The blocks of a message in Markdown whose words may still come.
///
/// The text is split where a new block begins in any case, and each piece is parsed by itself. While words come, the
/// last piece alone is parsed again: the others stay as they are, with their IDs. An update costs the last piece, and a
/// look at each line of the text.
package struct MarkdownAnswer: Sendable {
  /// The most texts that a view makes for a message. A message of more is shown as it is.
  static let maximumLeaves = 4_000
  /// The longest text, in bytes of UTF-8. A longer one is shown as it is.
  static let maximumBytes = 262_144
  /// The most bytes of the lines that name addresses, which every piece with a bracket is parsed with.
  private static let maximumDefinitions = 4_096

  private struct Parsed: Sendable {
    var offset: Int
    /// The text that was parsed.
    var source: String
    var blocks: [MarkdownBlock]
    var leaves: Int
  }

  private let parser: MarkdownParser
  private var parsed: [Parsed] = []

  package init(_ parser: MarkdownParser) { self.parser = parser }

  /// The blocks of a text.
  ///
  /// - Parameter isStreaming: whether more text follows. A last line that may become a mark is left out until then.
  /// - Returns: nil for a text that would take long, which is shown as it is.
  package mutating func blocks(of text: String, isStreaming: Bool = false) -> [MarkdownBlock]? {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    let text = Self.withOneLineEnding(text)
    let split = MarkdownPieces(isStreaming ? MarkdownLimits.withoutMark(text) : text[...])
    guard split.pieces.count <= Self.maximumLeaves else { return nil }
    let definitions = Self.definitions(split, isStreaming: isStreaming)
    let last = split.pieces.count - 1
    parsed = split.pieces.enumerated().map { index, piece in
      let isOpen = index == last && split.endsInCode
      return parse(
        piece, definitions: isOpen ? "" : definitions, reusing: index < parsed.count ? parsed[index] : nil)
    }
    guard parsed.reduce(0, { $0 + $1.leaves }) <= Self.maximumLeaves else { return nil }
    return parsed.flatMap(\.blocks)
  }

  private func parse(_ piece: MarkdownPieces.Piece, definitions: String, reusing old: Parsed?) -> Parsed {
    let hasBracket = !definitions.isEmpty && piece.text.utf8.contains(UInt8(ascii: "["))
    let source = hasBracket ? "\(piece.text)\n\n\(definitions)" : piece.text
    if let old, old.offset == piece.offset, old.source == source { return old }
    let isModest = MarkdownLimits.isModest(source)
    let runs = isModest ? parser.parse(source) : [MarkdownRun(piece.text)]
    let blocks = MarkdownFolding(piece: piece.offset).blocks(runs)
    return Parsed(
      offset: piece.offset, source: source, blocks: blocks, leaves: blocks.reduce(0) { $0 + $1.leaves })
  }

  /// A definition counts once its line is whole. Too many are left out.
  private static func definitions(_ split: MarkdownPieces, isStreaming: Bool) -> String {
    let isWhole = !isStreaming || split.pieces.last?.text.hasSuffix("\n") != false
    let lines = isWhole ? split.definitions[...] : split.definitions.dropLast()
    let text = lines.joined(separator: "\n")
    return text.utf8.count <= maximumDefinitions ? text : ""
  }

  private static func withOneLineEnding(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\r")) else { return text }
    var bytes: [UInt8] = []
    var isAfterReturn = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\r") || byte != UInt8(ascii: "\n") || !isAfterReturn {
        bytes.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
      }
      isAfterReturn = byte == UInt8(ascii: "\r")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
