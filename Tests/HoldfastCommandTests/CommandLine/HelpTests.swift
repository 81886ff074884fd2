import ArgumentParser
import Testing

@testable import HoldfastCommand

@Suite struct HelpTests {
  /// A wrapped example cannot be copied.
  @Test func `an example stands on one line of a terminal`() {
    let examples = HoldfastCommand.configuration.subcommands.flatMap { command in
      command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }
    }
    #expect(examples.count > 10)
    for example in examples { #expect(example.count <= 80, "\(example)") }
  }
}
