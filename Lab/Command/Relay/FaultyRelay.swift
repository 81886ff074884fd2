import ArgumentParser
import HoldfastCommand

/// `holdfast-lab relay`: the relay of `holdfast`, which injects faults on request.
struct FaultyRelay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Serve chats as holdfast relay does, with faults.", shouldDisplay: false)

  @OptionGroup var service: RelayService

  @Flag(help: "Read faults to inject from the standard input, and print each injected fault.")
  var misbehaves = false

  func run() async throws { try await service.run(through: misbehaves ? FaultLayer() : nil) }
}
