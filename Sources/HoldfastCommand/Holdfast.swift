import ArgumentParser

@main struct HoldfastCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast",
    abstract: "A chat engine that loses no message.",
    subcommands: [
      Demo.self, Relay.self, Doctor.self, Stats.self, Backup.self, Restore.self, Import.self, Export.self,
      Search.self, Chat.self,
      Simulate.self,
      Conformance.self, Torture.self, Proxy.self, Phone.self,
      WatchPath.self, FirestoreEmulator.self, MatrixBots.self,
    ])
}
