import Foundation
import HoldfastRescue
import HoldfastTesting
import ImportFuzzing
import Testing

@testable import Holdfast

/// Damaged files. `make fuzz` imports a million of them.
@Suite(.timeLimit(.minutes(10))) struct ImportFuzzTests {
  // H14, H9.4, H10.5
  @Test func `damaged files of every form are accounted for entry by entry, and come once`() throws {
    let scratch = try ScratchFolder(inMemory: true)
    let fuzz = try ImportFuzz(in: scratch.url.appendingPathComponent("fuzz"), from: 0)
    defer { fuzz.end() }
    for number in 0..<UInt64(500) {
      for finding in try fuzz.run(number) { Issue.record("\(finding)") }
    }
    #expect(fuzz.validFiles > 500, "Half of the files are JSON, and their entries are counted.")
    #expect(fuzz.unrecognizedFiles < 100)
  }
}
