#if Firestore
  import ArgumentParser
  import BackendServers
  import Foundation
  import HoldfastTesting

  /// `backends conformance`: the suite that every transport passes, against Google's Firestore emulator.
  struct Conformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run the conformance suite against Firestore.",
      discussion: "The exit code is 1 when a case fails.")

    @Option(name: .customLong("case"), help: "Run only the cases whose names contain this text.")
    var part: String?
    @Flag(help: "Print each case, and why a case was skipped.") var verbose = false

    func run() async throws {
      var suite = TransportConformance()
      if let part { suite.cases.removeAll { !$0.name.localizedCaseInsensitiveContains(part) } }
      guard !suite.cases.isEmpty else { throw ValidationError("No case has '\(part ?? "")' in its name.") }
      let report = try await withFirestore { emulator, proxy in
        try await suite.run(on: FirestoreBackend(emulator, through: proxy)) { [verbose] entry in
          if verbose { say("\(entry)") }
        }
      }
      say(report.description)
      guard report.isPassed else { throw ExitCode.failure }
    }
  }

  /// Makes an emulator and a proxy that write their logs in a folder of their own. They are not started yet.
  func withFirestore<Value>(
    _ body: (FirestoreEmulator, ProxyProcess) async throws -> Value
  ) async throws -> Value {
    // A proxy that is gone must not end this process when a line is written to it.
    signal(SIGPIPE, SIG_IGN)
    let logs = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-backends-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
    let value = try await body(
      try FirestoreEmulator(log: logs.appending(path: "emulator.log")),
      ProxyProcess(log: logs.appending(path: "proxy.log")))
    // The logs of a run that failed stay.
    try? FileManager.default.removeItem(at: logs)
    return value
  }

  /// Prints at once. In a pipe, a buffered line would wait for others.
  func say(_ text: String) {
    print(text)
    fflush(nil)
  }
#endif
