import ArgumentParser
import HoldfastCommand

/// The command `holdfast-lab`: what shows and proves the engine.
@main struct LabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast-lab",
    abstract: "The demo, the simulator and the trials of Holdfast.",
    discussion: """
      Exit codes: 0, done. 1, something was found or failed. 2, a store, file, folder or port that was named is not \
      there or cannot be used. 64, the command line is wrong.
      """,
    version: HoldfastCommand.configuration.version,
    subcommands: [
      Demo.self, Simulate.self, Conformance.self, Torture.self, Proxy.self, FaultyRelay.self, Phone.self,
      WatchPath.self, FirestoreEmulator.self, MatrixBots.self,
    ])

  static func main() async { await start() }
}
