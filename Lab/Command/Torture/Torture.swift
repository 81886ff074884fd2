import ArgumentParser
import Foundation
import Holdfast
import HoldfastCommand

/// `holdfast-lab torture`: runs real processes, real sockets, real files and real signals for minutes, and then
/// compares every store with the server.
struct Torture: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Kill, stop and disconnect real phones and a real relay, and count what is lost.",
    discussion: """
      Starts the relay and the phones as processes, each phone with its own link. While the phones send, they and the \
      relay get SIGKILL and SIGSTOP at random, networks flap, connections are cut, and links are silent for longer \
      than any time-out. Then all faults end, and everything is delivered. Every phone's store is compared with the \
      server's: each text is there once, in its sender's order, and no composer has a sent text.

        holdfast-lab torture --minutes 5 --phones 3

      The seed decides the faults and their times. Their effect depends on the machine, so that a seed does not replay \
      a run, as it does with holdfast-lab simulate. Control-C ends the faults early. A second Control-C ends the wait for \
      deliveries. The exit code is 1 when anything was lost, doubled, out of order, or otherwise wrong; then the \
      stores and logs are kept. docs/simulation.md explains what torture proves.
      """)

  @Option(help: "The duration of the faults, in minutes.") var minutes = 5.0
  @Option(help: "The number of phones, 2 to 8.") var phones = 3
  @Option(help: "The seed of the faults. By default it is random, and it is printed.") var seed: UInt64?
  @Flag(help: "Keep the stores and logs, and print their folder.") var keep = false
  @Flag(help: "Print the counts as JSON.") var json = false

  func validate() throws {
    guard minutes > 0, minutes <= 24 * 60 else {
      throw ValidationError("--minutes must be more than 0 and at most 1440.")
    }
    guard (2...8).contains(phones) else { throw ValidationError("--phones must be 2 to 8.") }
  }

  func run() async throws {
    // Writing to a phone that has ended must not end this process.
    signal(SIGPIPE, SIG_IGN)
    let environment = ChatEnvironment()
    let seed = seed ?? UInt64(environment.random() * 1_000_000)
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-torture-\(environment.makeID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let stage = TortureStage(
      plan: .init(rage: .milliseconds(Int64(minutes * 60_000)), phones: phones, seed: seed), folder: folder,
      environment: environment)
    let display = ProgressDisplay(
      firstLine: "seed \(seed), \(phones) phones, \(minutes) min in \(folder.path)")
    var report = try await stage.run(until: terminationSignals()) { display.show($0) }
    display.end()
    let isWell = report.violations.isEmpty
    if keep || !isWell {
      report.folder = folder.path
    } else {
      try FileManager.default.removeItem(at: folder)
    }
    print(json ? try Self.encoded(report) : report.text)
    guard isWell else { throw ExitCode.failure }
  }

  private static func encoded(_ report: TortureReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }
}

/// The progress in one line. A terminal shows the line in place; otherwise every tenth line is written. It goes to
/// the error output, so that the report can go into a file.
private struct ProgressDisplay: Sendable {
  private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

  init(firstLine: String) { write(firstLine + "\n") }

  func show(_ progress: TortureProgress) {
    if isTerminal {
      write("\r\u{1B}[K\(progress.line)")
    } else if progress.number.isMultiple(of: 10) {
      write(progress.line + "\n")
    }
  }

  func end() { if isTerminal { write("\n") } }

  private func write(_ text: String) {
    // A failed write is ignored: the terminal was closed, and there is no reader.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
