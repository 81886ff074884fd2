import ArgumentParser

@main
struct HoldfastCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast",
    abstract: "Chat that holds fast: drafts, outbox and history that survive anything.",
    subcommands: [Demo.self, Phone.self]
  )
}
