import ArgumentParser

/// The command `holdfast`.
package struct HoldfastCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "holdfast",
    abstract: "A chat engine that loses no message.",
    discussion: """
      Exit codes: 0, done. 1, something was found or failed. 2, a store, file, folder or port that was named is not \
      there or cannot be used. 64, the command line is wrong.
      """,
    // The only place of the version. A test compares it with CHANGELOG.md.
    version: "0.1.0",
    subcommands: [
      Relay.self, Doctor.self, Stats.self, Backup.self, Restore.self, Import.self, Export.self, Search.self,
      Chat.self,
    ])

  package init() {}

  package static func main() async { await start() }
}

extension AsyncParsableCommand {
  /// Parses the command line and runs the subcommand that it names. An error ends the process with a sentence.
  package static func start() async {
    var command: any ParsableCommand
    if let unknown = unknown(in: CommandLine.arguments.dropFirst()) {
      exit(withError: ValidationError("Unexpected argument '\(unknown)'"))
    }
    do { command = try await asyncParseAsRoot() } catch { exit(withError: error) }
    do {
      if var running = command as? any AsyncParsableCommand {
        try await running.run()
      } else {
        try command.run()
      }
    } catch { Complaint.end(error, of: type(of: command), in: Self.self) }
  }

  /// The first word after `holdfast help` that is not a subcommand. ArgumentParser accepts it.
  private static func unknown(in arguments: ArraySlice<String>) -> String? {
    guard arguments.first == "help" else { return nil }
    let names = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    guard let name = names.first, configuration.subcommands.contains(where: { $0._commandName == name })
    else {
      return names.first
    }
    return names.dropFirst().first
  }
}
