import ArgumentParser

@main struct HoldfastCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast", subcommands: [Simulate.self])
}
