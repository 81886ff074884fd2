import Foundation

extension TypedLine {
  /// The lines of this process's own input. At the end of a pipe, the text after the last line feed is a line too.
  static func standardInput(isKeyboard: Bool) -> AsyncStream<TypedLine> {
    LineReader.stream { yield in
      var (editor, bytes) = (LineEditor(isKeyboard: isKeyboard), Data())
      while !editor.isOver, let piece = LineReader.piece(of: FileHandle.standardInput.fileDescriptor) {
        bytes += piece
        editor.take(bytes.takeWholeScalars())
        if isKeyboard { FileHandle.standardOutput.write(Data(editor.echo.utf8)) }
        editor.lines.forEach(yield)
        (editor.lines, editor.echo) = ([], "")
      }
      guard !isKeyboard else { return }
      editor.take("\n")
      editor.lines.filter { !$0.text.isEmpty }.forEach(yield)
    }
  }
}

extension Data {
  /// Takes the text at the beginning. The bytes of an incomplete character stay.
  mutating func takeWholeScalars() -> String {
    var end = endIndex
    if let first = suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
      let length = self[first] >= 0xF0 ? 4 : self[first] >= 0xE0 ? 3 : 2
      if endIndex - first < length { end = first }
    }
    defer { self = Data(self[end...]) }
    return String(decoding: self[..<end], as: UTF8.self)
  }
}
