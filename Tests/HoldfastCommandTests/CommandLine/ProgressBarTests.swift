import Testing

@testable import HoldfastCommand

@Suite struct ProgressBarTests {
  // H9
  @Test func `the bar says how far it is`() {
    let line = ProgressBar.line(1_000_000, of: 2_000_000, "imported", \.bytesForReaders)
    #expect(
      line.hasPrefix("[###############...............]  50 %  1.0 MB of 2.0 MB imported"), "\(line)")
    #expect(ProgressBar.line(0, of: 0, "indexed") { "\($0)" }.contains("100 %"))
  }
}
