import Foundation

/// The lines of a file descriptor, read as they arrive. Reading blocks the thread between lines.
///
/// `FileHandle.bytes.lines` does not exist on Linux, and `FileHandle.read(upToCount:)` waits for a full buffer
/// where a pipe has only one line to give.
struct LineReader: Sequence, IteratorProtocol {
  private let descriptor: Int32
  private var pending = Data()
  /// The number of bytes of `pending` that are known to hold no line break, so that a long line is searched once.
  private var searched = 0
  private var isAtEnd = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  mutating func next() -> Data? {
    while true {
      if let end = pending[(pending.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(pending[..<end])
        pending = Data(pending[(end + 1)...])
        searched = 0
        return line
      }
      searched = pending.count
      // A line without its end is half a line: the writer was killed in the middle of it.
      if isAtEnd { return nil }
      fill()
    }
  }

  private mutating func fill() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      pending.append(contentsOf: buffer[..<count])
    } else if count == 0 || errno != EINTR {
      isAtEnd = true
    }
  }

  /// The lines of this process's own input, which ends when the parent is gone.
  static func standardInput() -> AsyncStream<Data> { lines(of: .standardInput) }

  /// The lines of a file, to its end. They are read on a queue of their own.
  static func lines(of file: FileHandle) -> AsyncStream<Data> {
    let (lines, continuation) = AsyncStream.makeStream(of: Data.self)
    DispatchQueue(label: "holdfast.input").async {
      for line in LineReader(descriptor: file.fileDescriptor) { continuation.yield(line) }
      continuation.finish()
      withExtendedLifetime(file) {}
    }
    return lines
  }
}
