/// One line of plain text, in a file or on a terminal, with words that somebody else wrote: a message, a name, a
/// title (rule H9.9). The words cannot change the text behind them.
///
/// | in the words | in the line |
/// |---|---|
/// | a line break | a space, or the next line behind an indent |
/// | another control character, as in a terminal's escapes | U+FFFD, the replacement character |
/// | a bidirectional control | closed, and the words isolated between U+2068 and U+2069 |
/// | the end of a bidirectional control that has not begun | nothing |
package struct PlainLine {
  private static let endOfEmbedding: Unicode.Scalar = "\u{202C}"
  private static let endOfIsolate: Unicode.Scalar = "\u{2069}"

  /// The line, split at the cuts. One part more than cuts.
  package private(set) var parts = [""]
  /// The ends of the bidirectional controls that have begun, the innermost last.
  private var ends: [Unicode.Scalar] = []

  /// - Parameter cuts: offsets in UTF-16 code units of `words`, in their order.
  package init(_ words: String.UnicodeScalarView, cutAt cuts: [Int] = []) {
    let isTurned = words.contains(where: \.isDirectionControl)
    if isTurned { put("\u{2068}") }
    var (offset, cuts) = (0, cuts[...])
    for scalar in words {
      while let cut = cuts.first, cut <= offset {
        parts.append("")
        cuts.removeFirst()
      }
      consume(scalar)
      offset += UTF16.width(scalar)
    }
    parts += cuts.map { _ in "" }
    ends.reversed().forEach { put($0) }
    if isTurned { put(Self.endOfIsolate) }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    parts[parts.count - 1].unicodeScalars.append(scalar)
  }

  private mutating func consume(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x202A, 0x202B, 0x202D, 0x202E: begin(scalar, until: Self.endOfEmbedding)
    case 0x2066...0x2068: begin(scalar, until: Self.endOfIsolate)
    case 0x202C: if ends.last == scalar { end(from: ends.count - 1) }
    case 0x2069: if let place = ends.lastIndex(of: scalar) { end(from: place) }
    default: put(scalar.isTerminalControl ? "\u{FFFD}" : scalar)
    }
  }

  private mutating func begin(_ scalar: Unicode.Scalar, until end: Unicode.Scalar) {
    put(scalar)
    ends.append(end)
  }

  /// Ends a control with all that have begun in it.
  private mutating func end(from place: Int) {
    ends[place...].reversed().forEach { put($0) }
    ends.removeSubrange(place...)
  }
}

extension String {
  /// The words as a part of one line.
  package var plainLine: String { isPlain ? self : linesOfScalars.map(\.plain).joined(separator: " ") }

  /// The words as a part of a line and as the lines behind it, which are indented: no line looks like the first line of
  /// something else.
  package var plainLines: String { isPlain ? self : linesOfScalars.map(\.plain).joined(separator: "\n    ") }

  private var isPlain: Bool {
    !unicodeScalars.contains { $0.isLineBreak || $0.isDirectionControl || $0.isTerminalControl }
  }

  /// The lines. A carriage return and a line feed are one break.
  private var linesOfScalars: [String.UnicodeScalarView] {
    var (lines, before) = ([String.UnicodeScalarView()], nil as Unicode.Scalar?)
    for scalar in unicodeScalars {
      if !scalar.isLineBreak {
        lines[lines.count - 1].append(scalar)
      } else if scalar != "\n" || before != "\r" {
        lines.append(String.UnicodeScalarView())
      }
      before = scalar
    }
    return lines
  }
}

extension String.UnicodeScalarView {
  fileprivate var plain: String { PlainLine(self).parts.joined() }
}

extension Unicode.Scalar {
  /// Whether the scalar begins a new line, by the Unicode Standard (section 5.8).
  var isLineBreak: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  /// Whether the scalar changes the direction of the text after it, or ends such a change.
  fileprivate var isDirectionControl: Bool { 0x202A...0x202E ~= value || 0x2066...0x2069 ~= value }

  /// Whether a terminal takes the scalar for a command. The tab is excepted.
  fileprivate var isTerminalControl: Bool {
    self != "\t" && (value < 0x20 || 0x7F...0x9F ~= value)
  }
}
