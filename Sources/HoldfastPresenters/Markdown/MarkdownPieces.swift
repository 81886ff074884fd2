/// Splits a text in Markdown into pieces that can be parsed one by one: at a blank line outside of a fence, before a
/// line that continues nothing. Pure. Takes time in proportion to the text.
///
/// Between them, the pieces mean what the text means. The exception is HTML over several blocks, which is text here in
/// either case.
struct MarkdownPieces {
  struct Piece: Equatable {
    /// The offset in the text, in bytes of UTF-8.
    var offset: Int
    var text: String
  }

  private(set) var pieces: [Piece] = []
  /// The lines that name an address for the whole text: `[1]: https://example.org`.
  private(set) var definitions: [String] = []
  /// Whether the last piece ends within a fence.
  var endsInCode: Bool { fence != nil }

  private let text: Substring.UTF8View
  private let start: String.Index
  /// Where the piece that is being read begins.
  private var begin: String.Index
  private var fence: MarkdownLine.Fence?
  /// The column in which the contents of the open item of a list begin. A fence there is a part of the item, and ends
  /// with it. Nil outside of a list.
  private var column: Int? { didSet { itemFence = nil } }
  private var itemFence: MarkdownLine.Fence?
  /// Whether the line before may be a part of a paragraph outside of a list.
  private var isInText = false
  /// The definitions of the paragraph that is being read. Nil: it has other lines too, which make them words.
  private var paragraph: [String]? = []

  /// - Parameter text: has no other line endings than `\n`.
  init(_ text: Substring) {
    (self.text, start, begin) = (text.utf8, text.startIndex, text.startIndex)
    var (index, wasBlank) = (text.startIndex, false)
    while index < text.endIndex {
      let end = self.text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
      let line = MarkdownLine(self.text[index..<end])
      if wasBlank, fence == nil, !line.isBlank, !line.isContinuation { split(at: index) }
      read(line)
      wasBlank = line.isBlank
      index = end < text.endIndex ? self.text.index(after: end) : end
    }
    definitions += paragraph ?? []
    split(at: text.endIndex)
  }

  private mutating func split(at index: String.Index) {
    if begin < index {
      let offset = text.distance(from: start, to: begin)
      pieces.append(Piece(offset: offset, text: String(Substring(text[begin..<index]))))
    }
    (begin, column) = (index, nil)
  }

  private mutating func read(_ line: MarkdownLine) {
    if let open = fence {
      if line.closes(open) { (fence, paragraph, isInText) = (nil, [], false) }
      return
    }
    readDefinition(line)
    if let column, line.isBlank || line.indentation >= column { return readItem(line) }
    // A paragraph goes on without indentation, and code does not.
    if itemFence != nil { column = nil }
    if let opened = line.fence {
      (fence, column) = (opened, nil)
    } else if line.endsList {
      column = nil
    } else if column != nil || !isInText ? line.isListItem : line.interruptsParagraph {
      column = line.column
    }
    isInText = !line.isBlank && !line.endsList && column == nil
  }

  private mutating func readItem(_ line: MarkdownLine) {
    if let open = itemFence {
      if line.closes(open) { itemFence = nil }
    } else {
      itemFence = line.fence
    }
    isInText = false
  }

  private mutating func readDefinition(_ line: MarkdownLine) {
    if line.isDefinition {
      paragraph?.append(String(Substring(line.text)))
    } else if line.isBlank {
      definitions += paragraph ?? []
      paragraph = []
    } else {
      paragraph = nil
    }
  }
}

/// A line of a text, as far as the splitting of it reads one.
struct MarkdownLine {
  /// The beginning of a block of code.
  struct Fence: Equatable {
    var mark: UInt8
    var length: Int
  }

  /// The line, without its end.
  let text: Substring.UTF8View
  /// The number of columns before the first character. A tab counts as four.
  let indentation: Int
  private let rest: Substring.UTF8View

  init(_ text: Substring.UTF8View) {
    self.text = text
    rest = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    indentation = text[..<rest.startIndex].reduce(0) { $0 + ($1 == UInt8(ascii: "\t") ? 4 : 1) }
  }

  var isBlank: Bool { rest.isEmpty }

  /// Whether the line may belong to a list or a quote above the blank line before it. A number may, once its line is
  /// whole.
  var isContinuation: Bool {
    indentation > 0 || isListItem || rest.first == UInt8(ascii: ">") || rest.allSatisfy(isDigit)
  }

  /// Whether the line begins a block that is no item of a list: a heading, a quote or a rule.
  var endsList: Bool {
    guard let first = rest.first, indentation < 4 else { return false }
    if "#>".utf8.contains(first) { return true }
    let marks = rest.filter { !isGap($0) }
    return "-*_".utf8.contains(first) && marks.count >= 3 && marks.allSatisfy { $0 == first }
  }

  /// The column in which the contents of an item of a list begin.
  var column: Int {
    let mark = rest.prefix { !isGap($0) }
    let gap = rest[mark.endIndex...].prefix { $0 == UInt8(ascii: " ") }.count
    return indentation + mark.count + (1...4 ~= gap ? gap : 1)
  }

  /// Whether the line begins an item of a list.
  var isListItem: Bool {
    guard indentation < 4, let first = rest.first else { return false }
    if "-*+".utf8.contains(first) { return isGap(rest.dropFirst().first) }
    let after = rest.drop(while: isDigit)
    guard isDigit(first), let mark = after.first else { return false }
    return ".)".utf8.contains(mark) && isGap(after.dropFirst().first)
  }

  /// Whether the line begins a list below the text of a paragraph: an item with words, and with the number 1 if it has
  /// one.
  var interruptsParagraph: Bool {
    guard isListItem, let first = rest.first else { return false }
    let words = rest.drop { !isGap($0) }.contains { !isGap($0) }
    return words
      && (!isDigit(first)
        || rest.drop { $0 == UInt8(ascii: "0") }.prefix(while: isDigit).elementsEqual([UInt8(ascii: "1")]))
  }

  /// Whether the line names an address: `[1]: https://example.org`.
  var isDefinition: Bool {
    guard indentation < 4, rest.first == UInt8(ascii: "["),
      let end = rest.firstIndex(of: UInt8(ascii: "]"))
    else { return false }
    return rest[end...].dropFirst().first == UInt8(ascii: ":")
  }

  /// The fence that the line is. Nil for another line.
  var fence: Fence? {
    guard indentation < 4, let mark = rest.first, "`~".utf8.contains(mark) else { return nil }
    let after = rest.drop { $0 == mark }
    let length = rest.distance(from: rest.startIndex, to: after.startIndex)
    guard length >= 3, mark == UInt8(ascii: "~") || !after.contains(mark) else { return nil }
    return Fence(mark: mark, length: length)
  }

  func closes(_ open: Fence) -> Bool {
    guard let fence, fence.mark == open.mark, fence.length >= open.length else { return false }
    return rest.drop { $0 == open.mark }.allSatisfy { isGap($0) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private func isGap(_ byte: UInt8?) -> Bool {
    byte == nil || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
