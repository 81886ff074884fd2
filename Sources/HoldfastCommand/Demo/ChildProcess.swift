import Foundation
import Synchronization

/// A child process that is spoken to in lines: one JSON object or one sentence a line, both ways.
///
/// Its input stays open for as long as this process lives. A child that reads the end of its input knows
/// that its parent is gone, however the parent died, and leaves too; so no crash leaves orphans.
final class ChildProcess: Sendable {
  /// How a process ended, told apart because a kill is wanted here and a crash is not.
  enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  enum Event: Sendable {
    case line(Data)
    /// Comes once, last.
    case ended(Ending)
  }

  let pid: Int32
  let events: AsyncStream<Event>

  private let process: Process
  private let input: FileHandle
  /// Writes may block while the child is busy, and must not block whoever asks for them.
  private let writing: DispatchQueue

  init(executable: URL, arguments: [String], environment: [String: String]) throws {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let ended = DispatchSemaphore(value: 0)
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.terminationHandler = { _ in ended.signal() }
    try process.run()

    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let descriptor = output.fileHandleForReading.fileDescriptor
    // The pipe object lives in this closure, so the descriptor stays open until the last line was read.
    DispatchQueue(label: "holdfast.demo.read").async {
      withExtendedLifetime(output) {
        for line in LineReader(descriptor: descriptor) { continuation.yield(.line(line)) }
        ended.wait()
      }
      let status = process.terminationStatus
      continuation.yield(
        .ended(process.terminationReason == .uncaughtSignal ? .signal(status) : .exit(status)))
      continuation.finish()
    }
    self.process = process
    self.input = input.fileHandleForWriting
    self.events = events
    pid = process.processIdentifier
    writing = DispatchQueue(label: "holdfast.demo.write")
  }

  /// Writes one line. A child that is gone cannot read it; its ending tells.
  func send(_ line: Data) {
    writing.async { [input] in
      do { try input.write(contentsOf: line + Data("\n".utf8)) } catch {}
    }
  }

  /// SIGKILL: nothing of the child runs after this.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(pid, SIGKILL)
  }

  /// Asks the child to leave by itself.
  func closeInput() {
    writing.async { [input] in
      do { try input.close() } catch {}
    }
  }
}
