import ArgumentParser
import ChatServerTesting
import Foundation
import Holdfast
import HoldfastTesting
import Simulator

/// `holdfast-lab conformance`: runs one suite of cases against every transport, and counts by each server's own record.
struct Conformance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run one suite of cases against every transport, under faults.",
    discussion: """
      Each case has phones with the real client, over a transport and a server. Connections are lost at chosen moments, \
      answers are lost, apps and servers are killed. Then the server's own record, and what every phone shows, are \
      compared with what the users did. A line for each transport says how many cases passed, and what was lost, \
      doubled and reordered. A case that needs what a backend does not have is skipped.

        holdfast-lab conformance                         every transport but matrix
        holdfast-lab conformance --transport relay       one transport
        holdfast-lab conformance --case file --verbose   cases with this name
        holdfast-lab conformance --network               also over a failing network
        holdfast-lab conformance --transport matrix --kills 20 --messages 500

      The relay and Synapse run as processes, in real time. The others run in this process, on a virtual clock. \
      The exit code is 1 when a case fails.
      """)

  enum Name: String, CaseIterable, ExpressibleByArgument {
    case device, simulated, events, relay, matrix

    /// The transports that run by default. They need no installed server.
    static let usual: [Name] = [.device, .simulated, .events, .relay]
  }

  @Option(
    help:
      "A transport to run, which may be given several times. By default all but matrix, which needs Synapse.")
  var transport: [Name] = []
  @Option(name: .customLong("case"), help: "Run only the cases whose names contain this text.")
  var part: String?
  @Flag(help: "Let the network of processes fail too, which takes minutes.") var network = false
  @Option(help: "Only let two phones send what they wrote offline, while the server is killed so often.")
  var kills: Int?
  @Option(help: "The number of messages that they send, with --kills.") var messages = 500
  @Flag(help: "Print each case, and why a case was skipped.") var verbose = false

  func validate() throws {
    guard (1...100_000).contains(kills ?? 1), (1...100_000).contains(messages) else {
      throw ValidationError("--kills and --messages must be 1 to 100000.")
    }
  }

  func run() async throws {
    // Writing to a relay that has ended must not end this process.
    signal(SIGPIPE, SIG_IGN)
    var suite = TransportConformance()
    if let part { suite.cases.removeAll { !$0.name.localizedCaseInsensitiveContains(part) } }
    if let kills { suite = drain(kills) }
    guard !suite.cases.isEmpty else { throw ValidationError("No case has '\(part ?? "")' in its name.") }
    let environment = ChatEnvironment()
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-conformance-\(environment.makeID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    var reports: [TransportConformance.Report] = []
    for name in transport.isEmpty ? Name.usual : Name.allCases.filter(transport.contains) {
      let report = try await suite.run(on: try backend(name, in: folder)) { [verbose] entry in
        if verbose { Self.say("\(entry)") }
      }
      Self.say(report.description)
      if kills != nil { Self.say(Self.count(messages, in: report)) }
      reports.append(report)
    }
    if kills == nil { Self.say(Self.sum(reports)) }
    // A selection of cases may not apply to a transport.
    guard reports.allSatisfy({ $0.failures.isEmpty }), reports.contains(where: \.isPassed) else {
      throw ExitCode.failure
    }
  }

  private func backend(_ name: Name, in folder: URL) throws -> any ConformanceBackend {
    switch name {
    case .device: DeviceBackend()
    case .simulated: try SimulatedBackend()
    case .events: try EventsBackend()
    case .relay:
      try RelayBackend(
        folder: folder.appending(path: name.rawValue, directoryHint: .isDirectory), failsNetwork: network)
    case .matrix:
      try MatrixBackend(
        folder: folder.appending(path: name.rawValue, directoryHint: .isDirectory), failsNetwork: network)
    }
  }

  private func drain(_ kills: Int) -> TransportConformance {
    TransportConformance(cases: [.draining(messages, kills: kills)], patience: .seconds(120))
  }

  /// A summary such as "500 sent, 500 on the server, 0 twice, 0 out of order".
  private static func count(_ messages: Int, in report: TransportConformance.Report) -> String {
    let there = report.isPassed ? messages : messages - report.lost
    return
      "\(messages) sent, \(there) on the server, \(report.doubled) twice, \(report.reordered) out of order"
  }

  /// A sum such as "3 transports: 150 cases passed, 0 failed, 40 skipped; 0 lost, 0 doubled, 0 reordered".
  static func sum(_ reports: [TransportConformance.Report]) -> String {
    func count(_ part: (TransportConformance.Report) -> Int) -> Int { reports.reduce(0) { $0 + part($1) } }
    return """
      \(reports.count) \(reports.count == 1 ? "transport" : "transports"): \
      \(count(\.passed.count)) cases passed, \(count(\.failures.count)) failed, \
      \(count(\.skipped.count)) skipped; \
      \(count(\.lost)) lost, \(count(\.doubled)) doubled, \(count(\.reordered)) reordered
      """
  }

  /// Prints at once. In a pipe, a buffered line would wait for others.
  private static func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
