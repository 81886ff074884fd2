import Foundation

/// A server as a process of its own, which ends with its input. So it also ends with its parent, however that ends.
public final class ServerProcess: Sendable {
  /// A failure, as a sentence.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
  }

  private let process: Process
  private let input: FileHandle
  private let output: AsyncStream<String>

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: its path.
  ///   - log: receives the error output.
  init(_ program: String, _ arguments: [String], log: URL) throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process.standardError = try FileHandle(forWritingTo: log)
    self.output = Self.lines(of: output.fileHandleForReading)
    try process.run()
    self.process = process
    self.input = input.fileHandleForWriting
  }

  /// Writes a line, and returns the next line of the output.
  func ask(_ line: String) async throws -> String? {
    try input.write(contentsOf: Data("\(line)\n".utf8))
    return await nextLine()
  }

  /// The next line of the output. Nil when the process has closed it. One task asks at a time.
  func nextLine() async -> String? {
    var iterator = output.makeAsyncIterator()
    return await iterator.next()
  }

  /// Ends the process by the end of its input, so that it ends what it has started too, and returns once it is gone.
  func end() {
    try? input.close()
    process.waitUntilExit()
  }

  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    DispatchQueue(label: "backends.read").async {
      withExtendedLifetime(handle) {
        var (pending, buffer) = (Data(), [UInt8](repeating: 0, count: 65536))
        while true {
          let count = read(handle.fileDescriptor, &buffer, buffer.count)
          guard count > 0 else { break }
          pending.append(contentsOf: buffer[..<count])
          while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(String(decoding: pending[..<end], as: UTF8.self))
            pending = Data(pending[(end + 1)...])
          }
        }
        continuation.finish()
      }
    }
    return lines
  }
}
