import Foundation
import HoldfastCommand
import Synchronization

/// A child process that exchanges lines with this process: one JSON object or one sentence per line, in both
/// directions.
///
/// The child's input stays open for as long as this process lives. A child that reads the end of its input knows
/// that its parent has ended in any way, and exits too. So no crash leaves orphans.
package final class ChildProcess: Sendable {
  /// The way a process ended. The cases are distinguished because a kill is intended here and a crash is not.
  package enum Ending: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  package enum Event: Sendable {
    case line(Data)
    /// The last event. It comes once.
    case ended(Ending)
  }

  package let pid: Int32
  package let events: AsyncStream<Event>

  private let process: Process
  private let input: FileHandle
  /// The queue for writes. A write may block while the child is busy, and must not block its caller.
  private let writing: DispatchQueue

  /// - Parameter errors: receives the child's error output. Nil sends it to this process's own.
  package init(
    executable: URL, arguments: [String], environment: [String: String], errors: FileHandle? = nil
  ) throws {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let ended = DispatchSemaphore(value: 0)
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    if let errors { process.standardError = errors }
    process.terminationHandler = { _ in ended.signal() }
    try process.run()

    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let descriptor = output.fileHandleForReading.fileDescriptor
    // The pipe object lives in this closure, so the descriptor stays open until the last line was read.
    DispatchQueue(label: "holdfast.child.read").async {
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
    writing = DispatchQueue(label: "holdfast.child.write")
  }

  /// Writes one line. A write to an ended child is not an error: its `ended` event reports that.
  package func send(_ line: Data) {
    writing.async { [input] in
      do { try input.write(contentsOf: line + Data("\n".utf8)) } catch {}
    }
  }

  /// Sends SIGKILL: the child does nothing after this.
  package func kill() { send(signal: SIGKILL) }

  /// Sends a signal, unless the child has ended: its process ID may belong to another process by now.
  package func send(signal: Int32) {
    guard process.isRunning else { return }
    Foundation.kill(pid, signal)
  }

  /// Closes the child's input, which asks the child to exit.
  package func closeInput() {
    writing.async { [input] in
      do { try input.close() } catch {}
    }
  }
}

extension ChildProcess {
  /// Starts this program again with another subcommand.
  ///
  /// - Parameters:
  ///   - program: the program, if it is not this process's own.
  ///   - token: passed in the environment, because every user of the machine can see arguments.
  package static func holdfast(
    _ arguments: [String], token: String? = nil, program: URL? = nil, errors: FileHandle? = nil
  ) throws -> ChildProcess {
    guard let executable = program ?? Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
    var environment = ProcessInfo.processInfo.environment
    environment["HOLDFAST_TOKEN"] = token
    return try ChildProcess(
      executable: executable, arguments: arguments, environment: environment, errors: errors)
  }
}
