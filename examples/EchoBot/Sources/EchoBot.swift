import ArgumentParser
import Foundation
import Holdfast
import HoldfastWebSocket
import Logging
import ServiceLifecycle

/// A bot as a service: it runs until it is told to stop, as a container or systemd tells it (SIGTERM), and then ends in
/// order. Killed instead, it loses nothing either.
@main struct EchoBot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Answers each message with its own text, once.",
    discussion: "The account's token is taken from the variable HOLDFAST_TOKEN.")

  @Option(help: "The relay's address, ws://…/v1/connect.")
  var relay: String

  @Option(help: "The bot's account on the relay.")
  var user = "echo"

  @Option(help: "The folder of the bot's store. Made when there is none.", completion: .directory)
  var store: String

  @Flag(help: "Stop when the standard input ends, as it does when the parent process ends.")
  var exitWithInput = false

  func run() async throws {
    let token = ProcessInfo.processInfo.environment["HOLDFAST_TOKEN"] ?? ""
    let client = try ChatClient(
      storage: .folder(URL(filePath: store, directoryHint: .isDirectory)),
      transport: WebSocketTransport(relay) { token }, user: UserID(rawValue: user),
      // Nobody would answer the question about answers that have waited for a day.
      configuration: ChatConfiguration(outbox: .init(heldAfter: nil)))

    // They end in the reverse order: the bot says nothing more, and the engine sends what it has said.
    let services = ServiceGroup(
      services: [Engine(client: client), OutboxMetrics(client.outbox), Echo(client: client)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "echo"))
    // A thread of its own: nothing ends the reading of the standard input, and nothing waits for it.
    if exitWithInput {
      Thread.detachNewThread {
        while readLine() != nil {}
        kill(getpid(), SIGTERM)
      }
    }
    try await services.run()
  }
}
