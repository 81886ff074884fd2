import ArgumentParser
import Testing

@testable import holdfast_lab
@testable import HoldfastCommand

@Suite struct HelpTests {
  /// A wrapped example cannot be copied.
  @Test func `an example fits on one line of a terminal`() {
    let commands = HoldfastCommand.configuration.subcommands + LabCommand.configuration.subcommands
    let examples = commands.flatMap { command in
      command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }
    }
    #expect(examples.count > 10)
    for example in examples { #expect(example.count <= 80, "\(example)") }
  }
}
