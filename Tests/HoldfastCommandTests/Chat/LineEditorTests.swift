import Foundation
import Testing

@testable import HoldfastCommand

@Suite struct LineEditorTests {
  private static let begin = "\u{1B}[200~"
  private static let end = "\u{1B}[201~"

  private static func lines(of input: String, isKeyboard: Bool) -> [TypedLine] {
    var editor = LineEditor(isKeyboard: isKeyboard)
    editor.take(input)
    return editor.lines
  }

  private static func pasted(_ text: String) -> TypedLine { TypedLine(text: text, pasteStart: 0) }

  @Test(arguments: [false, true]) func `each line is one, and half a line is not`(isKeyboard: Bool) {
    #expect(
      Self.lines(of: "one\n\nthree\nhalf", isKeyboard: isKeyboard)
        == ["one", "", "three"].map { TypedLine(text: $0) })
  }

  @Test(arguments: [
    ("\(begin)one\ntwo\(end)\n", ["one\ntwo"]),
    ("\(begin)one\ntwo\n\(end)\n", ["one\ntwo\n"]),
    ("Why? \(begin)a\n\nb\(end) Please.\n", ["Why? a\n\nb Please."]),
    ("\(begin)a\rb\r\nc\(end)\n", ["a\nb\nc"]),
    ("\(begin)a\nb\(end) and \(begin)c\nd\(end)\n", ["a\nb and c\nd"]),
    ("\(begin)a\(begin)b\(end)\n", ["ab"]),
    ("\(begin)/quit\(end)\n", ["/quit"]),
    ("\(begin)one\ntwo\(end)\n\(begin)three\(end)\n", ["one\ntwo", "three"]),
    ("\(begin)\u{1B}[31mred\u{1B}[0m \u{1B}\(end)\n", ["\u{1B}[31mred\u{1B}[0m \u{1B}"]),
    ("\(begin)one\ntwo\n", []),
    ("\(begin)one\ntwo\(end)", []),
  ])
  func `what is pasted is one line, without marks`(input: String, expected: [String]) {
    for isKeyboard in [false, true] {
      let lines = Self.lines(of: input, isKeyboard: isKeyboard)
      #expect(lines.map(\.text) == expected)
      #expect(lines.allSatisfy { $0.pasteStart == ($0.text.hasPrefix("Why?") ? 5 : 0) })
    }
  }

  @Test func `a mark may come in pieces`() {
    var editor = LineEditor(isKeyboard: true)
    for piece in "\(Self.begin)a\nb\(Self.end)\r".map(String.init) { editor.take(piece) }
    #expect(editor.lines == [Self.pasted("a\nb")])
    #expect(editor.echo == "a\nb\n")
  }

  @Test func `in a pipe, a line has what is in it`() {
    let text = "\u{1B}[31ma\u{1B}[20\tb\u{7F}\u{4}c\r"
    #expect(Self.lines(of: text + "\n", isKeyboard: false) == [TypedLine(text: text)])
  }

  @Test(arguments: [
    ("Hallp\u{7F}o\r", "Hallo"),
    ("\u{7F}a\r", "a"),
    ("Grü\u{7F}👍🏽\u{7F}\r", "Gr"),
    ("one two  \u{17}three\r", "one three"),
    ("one\u{15}two\r", "two"),
    ("a\u{1B}[A\u{1B}[1;5D\u{1B}OPb\u{1B}f\u{1}c\r", "abc"),
    ("a\u{1B}\r", "a"),
    ("a\tb\n", "a\tb"),
  ])
  func `a key erases, and others do nothing`(keys: String, expected: String) {
    #expect(Self.lines(of: keys, isKeyboard: true) == [TypedLine(text: expected)])
  }

  @Test func `what was pasted is erased like what was typed`() {
    let paste = "\(Self.begin)one\ntwo\(Self.end)"
    #expect(Self.lines(of: "\(paste)\u{7F}\u{7F}\r", isKeyboard: true) == [Self.pasted("one\nt")])
    #expect(Self.lines(of: "\(paste)\u{15}three\r", isKeyboard: true) == [TypedLine(text: "three")])
    #expect(
      Self.lines(of: "a\(Self.begin)b\(Self.end)\u{7F}\r", isKeyboard: true) == [TypedLine(text: "a")])
    #expect(
      Self.lines(of: "\u{1B}\(paste)\r", isKeyboard: true) == [Self.pasted("one\ntwo")],
      "The key Esc takes nothing from a mark.")
  }

  @Test func `the terminal shows what is in the line, and takes no orders from it`() {
    var editor = LineEditor(isKeyboard: true)
    editor.take("\(Self.begin)a\u{1B}[2Jb\u{9B}\tc\(Self.end)")
    #expect(editor.echo == "a[2Jb    c")
    editor.echo = ""
    editor.take("日\u{7F}e\u{301}\u{7F}")
    let erased = "\u{8} \u{8}"
    #expect(editor.echo == "日\(erased)\(erased)e\u{301}\(erased)")
  }

  @Test func `nothing comes behind the end that a key makes`() {
    var editor = LineEditor(isKeyboard: true)
    editor.take("a\u{4}b\r")
    #expect(editor.lines == [TypedLine(text: "ab")] && !editor.isOver)
    editor.take("\u{4}c\r")
    #expect(editor.lines.count == 1 && editor.isOver)
  }

  @Test func `a character whose bytes come one by one is whole`() {
    var (bytes, text) = (Data(), "")
    for byte in "aü日👍b".utf8 {
      bytes.append(byte)
      text += bytes.takeWholeScalars()
    }
    #expect(text == "aü日👍b" && bytes.isEmpty)
  }
}
