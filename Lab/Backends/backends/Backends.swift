import ArgumentParser

@main struct Backends: AsyncParsableCommand {
  #if Firestore
    private static let subcommands: [any ParsableCommand.Type] = [Conformance.self, Writers.self]
  #else
    private static let subcommands: [any ParsableCommand.Type] = []
  #endif

  static let configuration = CommandConfiguration(
    commandName: "backends", abstract: "Try the transports on real servers, over a network that fails.",
    discussion:
      "`make backends` builds it with the trait Firestore, without which it can do nothing, and starts it.",
    subcommands: subcommands)
}
