import Foundation

/// The lines of a file descriptor, read as they arrive. Reading blocks the thread between lines.
///
/// `FileHandle.bytes.lines` does not exist on Linux, and `FileHandle.read(upToCount:)` waits for a full buffer even
/// if a pipe has only one line.
package struct LineReader: Sequence, IteratorProtocol {
  private let descriptor: Int32
  private var pending = Data()
  /// The number of bytes of `pending` that are known to contain no line break, so that a long line is searched once.
  private var searched = 0
  private var isAtEnd = false

  package init(descriptor: Int32) { self.descriptor = descriptor }

  package mutating func next() -> Data? {
    while true {
      if let end = pending[(pending.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(pending[..<end])
        pending = Data(pending[(end + 1)...])
        searched = 0
        return line
      }
      searched = pending.count
      // A line without its end is incomplete: the writer was killed in the middle of it.
      if isAtEnd { return nil }
      fill()
    }
  }

  private mutating func fill() {
    if let piece = Self.piece(of: descriptor) { pending.append(piece) } else { isAtEnd = true }
  }

  /// The available bytes of a file descriptor, as soon as there are some. Nil at its end.
  package static func piece(of descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { return Data(buffer[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// The lines of this process's own input, which ends with the parent.
  package static func standardInput() -> AsyncStream<Data> { lines(of: .standardInput) }

  /// The lines of a file, to its end.
  package static func lines(of file: FileHandle) -> AsyncStream<Data> {
    stream { yield in
      for line in LineReader(descriptor: file.fileDescriptor) { yield(line) }
      withExtendedLifetime(file) {}
    }
  }

  /// The elements from a blocking function, which runs on its own queue.
  package static func stream<Element: Sendable>(
    of read: @escaping @Sendable ((Element) -> Void) -> Void
  ) -> AsyncStream<Element> {
    let (elements, continuation) = AsyncStream.makeStream(of: Element.self)
    DispatchQueue(label: "holdfast.input").async {
      read { continuation.yield($0) }
      continuation.finish()
    }
    return elements
  }
}
