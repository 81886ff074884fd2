import Foundation

/// A server as a process of its own, which is waited for and ended by its process ID.
final class ServerProcess: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let process: Process
  private let input: FileHandle
  private let output: Lines

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path, or a name that is looked up in `PATH`.
  ///   - log: receives the error output.
  init(_ program: String, _ arguments: [String], log: URL) throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = input
    process.standardOutput = output
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process.standardError = try FileHandle(forWritingTo: log)
    self.output = Lines(output.fileHandleForReading)
    try process.run()
    self.process = process
    self.input = input.fileHandleForWriting
  }

  /// Writes a line, and returns the next line of the output.
  func ask(_ line: String) async throws -> String? {
    try input.write(contentsOf: Data("\(line)\n".utf8))
    return await output.next()
  }

  func nextLine() async -> String? { await output.next() }

  var isRunning: Bool { process.isRunning }

  /// Ends the process, and returns once it is gone.
  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// The lines of a process's output, as they come. Nothing is kept of a process that nobody listens to: it would fill.
private final class Lines: Sendable {
  private let stream: AsyncStream<String>

  init(_ handle: FileHandle) {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    self.stream = stream
    let descriptor = handle.fileDescriptor
    DispatchQueue(label: "backends.read").async {
      withExtendedLifetime(handle) {
        var (pending, buffer) = (Data(), [UInt8](repeating: 0, count: 65536))
        while true {
          let count = read(descriptor, &buffer, buffer.count)
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
  }

  /// One task reads at a time.
  func next() async -> String? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}
