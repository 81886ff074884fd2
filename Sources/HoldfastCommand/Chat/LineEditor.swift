/// A line of a chat, ended with Enter. Pasted text in it may contain line feeds.
struct TypedLine: Sendable, Equatable {
  var text = ""
  /// The number of characters before the first pasted text. Nil: all was typed.
  var pasteStart: Int?
}

/// Makes lines from the bytes of a keyboard or a pipe.
///
/// A terminal puts a mark before pasted text, and one after it. Everything between them belongs to one line, and the
/// marks to none.
///
/// At a keyboard it also does the system's line editing, which is off. The system would keep only 4095 bytes of a
/// line, drop the rest silently, and let a key erase a part of a mark.
struct LineEditor {
  private static let (beginning, end) = ("\u{1B}[200~", "\u{1B}[201~")

  private let isKeyboard: Bool
  /// The finished lines, until they are taken.
  var lines: [TypedLine] = []
  /// The output that shows the effect of the keys.
  var echo = ""
  /// Whether the user has ended the input.
  private(set) var isOver = false
  private var line = TypedLine()
  private var isInPaste = false
  private var isBehindReturn = false
  /// The beginning of a mark, or of another key's sequence.
  private var held = ""

  /// - Parameter isKeyboard: whether keys are executed and echoed.
  init(isKeyboard: Bool) { self.isKeyboard = isKeyboard }

  mutating func take(_ text: String) { for scalar in text.unicodeScalars where !isOver { take(scalar) } }

  private var hasKeys: Bool { isKeyboard && !isInPaste }

  private mutating func take(_ scalar: Unicode.Scalar) {
    // In a mark or a key sequence, only the first character is a control character.
    if scalar.value < 0x20 { release() }
    guard scalar == "\u{1B}" || !held.isEmpty else { return put(scalar) }
    held.unicodeScalars.append(scalar)
    if held == Self.beginning || held == Self.end {
      (isInPaste, isBehindReturn) = (held == Self.beginning, false)
      if isInPaste, line.pasteStart == nil { line.pasteStart = line.text.count }
      held = ""
    } else if ![Self.beginning, Self.end].contains(where: { $0.hasPrefix(held) }), !hasKeys || isWholeKey {
      release()
    }
  }

  /// Whether the held characters are the complete sequence of an arrow or a similar key.
  private var isWholeKey: Bool {
    let scalars = Array(held.unicodeScalars)
    return !["[", "O"].contains(scalars[1]) || (scalars.count > 2 && scalars.last.map { $0 >= "@" } == true)
  }

  /// Releases the held characters, which are not a mark: in a pipe or a paste they are text, and otherwise an
  /// ignored key.
  private mutating func release() {
    let scalars = held.unicodeScalars
    held = ""
    if !hasKeys { scalars.forEach { put($0) } }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let isSecondHalf = isBehindReturn && scalar == "\n"
    isBehindReturn = (isKeyboard || isInPaste) && scalar == "\r"
    switch scalar {
    case "\n" where isSecondHalf: break
    case "\n" where isInPaste, "\r" where isInPaste: append("\n")
    case "\n",
      "\r" where isKeyboard:
      endLine()
    case "\u{8}" where hasKeys, "\u{7F}" where hasKeys: eraseCharacter()
    case "\u{4}" where hasKeys: if line == TypedLine() { (isOver, echo) = (true, echo + "\n") }
    case "\u{15}" where hasKeys: eraseLine()
    case "\u{17}" where hasKeys: eraseWord()
    case _ where hasKeys && scalar.properties.generalCategory == .control && scalar != "\t": break
    default: append(scalar)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    line.text.unicodeScalars.append(scalar)
    if scalar == "\t" {
      echo += "    "
    } else if scalar == "\n" || scalar.properties.generalCategory != .control {
      echo.unicodeScalars.append(scalar)
    }
  }

  private mutating func endLine() {
    lines.append(line)
    echo += "\n"
    line = TypedLine()
  }

  /// Erases a character of the cursor's row.
  private mutating func eraseCharacter() {
    guard let last = line.text.last, last != "\n" else { return }
    line.text.removeLast()
    echo += String(repeating: "\u{8} \u{8}", count: last.cells)
    if let start = line.pasteStart, line.text.count <= start { line.pasteStart = nil }
  }

  private mutating func eraseWord() {
    while line.text.last == " " { eraseCharacter() }
    while let last = line.text.last, !last.isWhitespace { eraseCharacter() }
  }

  /// Erases the whole line, including all of its rows.
  private mutating func eraseLine() {
    if line.text.contains("\n") { (line, echo) = (TypedLine(), echo + "\n> ") }
    while !line.text.isEmpty { eraseCharacter() }
  }
}

extension Character {
  /// The columns of a terminal that the character takes, as ``LineEditor`` shows it.
  fileprivate var cells: Int {
    let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .control: return first == "\t" ? 4 : 0
    case .nonspacingMark, .enclosingMark, .format: return 0
    default:
      return first.properties.isEmojiPresentation || wide.contains { $0.contains(first.value) } ? 2 : 1
    }
  }
}
