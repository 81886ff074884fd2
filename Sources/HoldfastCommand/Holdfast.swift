import ArgumentParser

@main struct HoldfastCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast",
    abstract: "Chats that keep every word, through crashes and tunnels.",
    subcommands: [Relay.self, Simulate.self])
}
