import ArgumentParser
import BackendServers
import Foundation
import HoldfastTesting

@main struct Backends: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backends",
    abstract: "Run the conformance suite against real servers, with a proxy between.",
    discussion: "`make backends` starts it. It ends with status 1 when a case fails.")

  @Option(name: .customLong("case"), help: "Run only the cases whose names contain this text.")
  var part: String?
  @Flag(help: "Print each case, and why a case was skipped.") var verbose = false

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let logs = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-backends-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: logs) }
    var suite = TransportConformance()
    if let part { suite.cases.removeAll { !$0.name.localizedCaseInsensitiveContains(part) } }
    let backend = FirestoreBackend(
      try .ofThisMachine(log: logs.appending(path: "emulator.log")),
      through: .ofThisRepository(log: logs.appending(path: "proxy.log")))
    let report = try await suite.run(on: backend) { [verbose] entry in
      if verbose { Self.say(entry) }
    }
    print(report)
    guard report.isPassed else { throw ExitCode.failure }
  }

  /// Prints at once. In a pipe, a buffered line would wait for others.
  private static func say(_ entry: TransportConformance.Report.Entry) {
    let time = String(format: "%5.1f s", entry.duration / .seconds(1))
    switch entry.outcome {
    case .passed: print("  passed  \(time)  \(entry.name)")
    case .failed(let sentences):
      print("  failed  \(time)  \(entry.name): \(sentences.joined(separator: " "))")
    case .skipped(let reason): print("  skipped          \(entry.name): \(reason)")
    }
    fflush(nil)
  }
}
