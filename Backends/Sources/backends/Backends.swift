import ArgumentParser

@main struct Backends: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backends", abstract: "Try the transports on real servers, over a network that fails.",
    discussion: "`make backends` starts it.", subcommands: [Conformance.self, Writers.self])
}
