import CommandFixtures
import Foundation
import Testing

/// A few cases, with the relay as a process. `make conformance` runs all of them.
@Suite struct ConformanceTests {
  // B12.1, B11.1, O6.2, O6.3
  @Test(.timeLimit(.minutes(10)))
  func `the relay passes when answers are lost, and when it is killed`() throws {
    let (status, output) = try holdfastLab(
      "conformance", "--transport", "relay", "--case", "a message arrives once", "--network", "--verbose")
    #expect(status == 0, "\(output)")
    #expect(output.contains("  passed   a message arrives once, when its answer is lost (O6.2, "))
    #expect(
      output.contains(
        "  passed   a message arrives once, when half of it passes, on a new connection (O6.1, O6.8, "))
    let outcome =
      "25 cases passed (25 operations under faults), 0 failed, 0 skipped; 0 lost, 0 doubled, 0 reordered"
    #expect(output.contains("relay: \(outcome)"), "\(output)")
    #expect(output.contains("1 transport: 25 cases passed"))
  }

  // B12.1
  @Test(.timeLimit(.minutes(10)))
  func `the relay makes each fault that it declares`() throws {
    let (status, output) = try holdfastLab(
      "conformance", "--transport", "relay", "--case", "server", "--verbose")
    #expect(status == 0, "\(output)")
    let (refusals, more) = try holdfastLab(
      "conformance", "--transport", "relay", "--case", "refused", "--verbose")
    #expect(refusals == 0, "\(more)")
  }

  // B12
  @Test func `cases that say nothing about a transport are no success`() throws {
    let (status, output) = try holdfastLab(
      "conformance", "--transport", "device", "--case", "when its answer is lost", "--verbose")
    #expect(status == 1)
    #expect(
      output.contains(
        "skipped  a message arrives once, when its answer is lost: The transport has no server."))
    #expect(output.contains("device: 0 cases passed (0 operations under faults), 0 failed, 7 skipped"))
  }

  @Test func `a part of no name is refused`() throws {
    let (status, output) = try holdfastLab("conformance", "--case", "nothing of that kind")
    #expect(status != 0)
    #expect(output.contains("No case has 'nothing of that kind' in its name."))
  }
}
