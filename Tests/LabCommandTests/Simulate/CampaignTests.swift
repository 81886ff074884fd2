import CommandFixtures
import Foundation
import Testing

/// `holdfast-lab simulate` over many seeds, as a separate process.
@Suite(.timeLimit(.minutes(5))) struct CampaignTests {
  /// Worlds that take a few milliseconds each.
  private static let small = [
    "--phones", "2", "--conversations", "1", "--messages", "1", "--replies", "0", "--changes", "0",
    "--attachments", "0", "--extensions", "0", "--renames", "0", "--deletions", "0", "--imports", "0",
    "--queue-imports", "0",
    "--quotas", "0", "--reads", "0", "--on-device", "0", "--assistant-replies", "0", "--tables", "0",
    "--no-scenes",
    "--faults", "none",
  ]

  @Test func `a run that is interrupted says what it had`() throws {
    let (process, output) = try start(
      "holdfast-lab", ["simulate", "--seeds", "1000000", "--from", "900001"] + Self.small)
    var text = ""
    while !text.contains("20 of 1000000 seeds\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "It ended by itself: \(text)")
      text += String(decoding: data, as: UTF8.self)
    }
    process.interrupt()
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 130)
    let lines = text.split(separator: "\n")
    #expect(lines.first == "Seeds 900001 to 1900000, each run twice.")
    let interrupted = try #require(lines.first { $0.hasPrefix("Interrupted: ") })
    let count = try #require(interrupted.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    #expect(count >= 20)
    #expect(interrupted == "Interrupted: \(count) of 1000000 seeds were run.")
    #expect(lines.last == "Seeds: \(count) passed, 0 failed")
  }
}
