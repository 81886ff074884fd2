import Foundation
import Testing

@testable import HoldfastCommand

/// The example with a server that cannot be changed, as a separate process: it runs the suite for transports.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ForumTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func report(_ options: [String]) async throws -> (lines: [String], hasPassed: Bool) {
    let program = try Program("Forum", options)
    var lines: [String] = []
    // If the run passes, its last line is also its first: the summary.
    try await program.line { line in
      lines.append(line)
      return line.hasPrefix("forum")
    }
    if options.contains("--fault") { lines.append(try await program.line { $0.contains("failed: ") }) }
    return (lines, await program.ending() == .exit(0))
  }

  // A7.2, B1, B2, B3, B12.1
  @Test(arguments: [[], ["--no-replay"]])
  func `the transport to a server that cannot be changed passes the suite`(options: [String]) async throws {
    let (lines, hasPassed) = try await report(options + ["--verbose"])
    #expect(hasPassed, "\(lines)")
    let summary = try #require(lines.last)
    #expect(summary.contains(" 0 failed, "))
    #expect(summary.hasSuffix("; 0 lost, 0 doubled, 0 reordered"))
    for name in [
      "the message in the server's events settles it without a receipt",
      "the server's names are kept and given back", "a change that comes before its message is not lost",
      "a message that is confirmed before its event stands where the server has it",
      "a read mark arrives once, when its answer is lost",
      "expired credentials pause the outbox, and lose nothing",
      "credentials expire while a file waits, and the message goes once they are renewed",
      "a conversation that the server has removed is not found",
      "a phone that came later reads back to the beginning, in the server's order",
    ] {
      #expect(lines.contains("  \(name) …"))
      #expect(lines.contains("  \(name): passed"))
    }
  }

  // B12.1
  @Test func `a transport that forgets what comes back fails, and the case is named`() async throws {
    let (lines, hasPassed) = try await report(["--fault"])
    #expect(!hasPassed)
    #expect(lines.last?.contains("the message in the server's events settles it without a receipt") == true)
  }

  // A7.2
  @Test func `the guide says how many lines each part of the sample has`() throws {
    let guide = try String(contentsOf: root.appending(path: "docs/write-a-transport.md"), encoding: .utf8)
    let rows = guide.matches(of: /\(\.\.\/(examples\/Forum\/Sources\/[^)]+)\)[^|\n]*\| (\d+) \|/)
    #expect(rows.count == 8)
    for row in rows {
      let lines = try String(contentsOf: root.appending(path: row.1), encoding: .utf8).count { $0 == "\n" }
      #expect(lines == Int(row.2), "\(row.1)")
    }
  }

  // A7.2
  @Test func `the guide prints every requirement of a backend`() throws {
    let guide = try String(contentsOf: root.appending(path: "docs/write-a-transport.md"), encoding: .utf8)
    let source = try String(
      contentsOf: root.appending(path: "Sources/HoldfastTesting/Conformance/ConformanceBackend.swift"),
      encoding: .utf8)
    let requirements = source.split(separator: "\n}\n")[0].matches(of: /\n  ((?:var|func) [^\n]+)/)
    #expect(requirements.count == 12)
    for requirement in requirements { #expect(guide.contains(requirement.1), "\(requirement.1)") }
  }
}
