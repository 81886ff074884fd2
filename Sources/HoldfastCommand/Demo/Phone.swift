import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransports

/// `holdfast phone`: one phone's app as a process without a face. It reads intents from its input, one JSON
/// object a line, and writes what its screen shows to its output, the same way.
///
/// It leaves when its input ends, because then there is nobody left to look at it.
struct Phone: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "One of the demo's phones.", shouldDisplay: false)

  @Option(help: "The account on the relay.")
  var name: String

  @Option(help: "The folder of this phone's store.", completion: .directory)
  var data: String

  @Option(help: "The relay's address.")
  var relay: String

  @Option(help: "How many days the phone's date is ahead.")
  var daysAhead = 0

  @Flag(help: "Start in airplane mode.")
  var noNetwork = false

  @MainActor func run() async throws {
    guard let url = URL(string: relay) else { throw ValidationError("The relay's address is not a URL.") }
    let token = ProcessInfo.processInfo.environment["HOLDFAST_TOKEN"] ?? ""
    var environment = ChatEnvironment()
    // Everything of interest is on the screen; only trouble belongs on the terminal.
    environment.logger.logLevel = .warning
    let (now, ahead) = (environment.now, Double(daysAhead) * 86_400)
    environment.now = { now().addingTimeInterval(ahead) }
    // The page's switch alone decides: the relay is on this machine, and answers without the system's network.
    let path = NetworkPath(isUp: !noNetwork)
    let client = try ChatClient(
      storage: .folder(URL(filePath: data, directoryHint: .isDirectory)),
      transport: WebSocketTransport(url: url, environment: environment) { token },
      user: UserID(rawValue: name), environment: environment, path: path)
    try client.createConversation(Self.trip, title: "Weekend trip", members: Self.members)
    try client.createConversation(Self.conversation, members: Self.members)
    let screen = try PhoneScreen(client, path: path, environment: environment)
    screen.open(Self.conversation)
    await withTaskGroup { group in
      group.addTask { await client.run() }
      group.addTask { await screen.run() }
      group.addTask { await screen.show { Self.write($0) } }
      for await line in LineReader.standardInput() {
        guard let intent = try? JSONDecoder().decode(PhoneIntent.self, from: line) else { continue }
        await screen.perform(intent)
      }
      screen.rest()
      group.cancelAll()
    }
  }

  /// The conversations that both phones know from the start; the first one is open.
  private static let conversation: ConversationID = "alice-bob"
  private static let trip: ConversationID = "weekend-trip"
  private static let members: [UserID] = ["Alice", "Bob"]

  private static func write(_ snapshot: PhoneSnapshot) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    // When nobody reads any more, the input has ended too, and that is what ends this process.
    do {
      try FileHandle.standardOutput.write(contentsOf: encoder.encode(snapshot) + Data("\n".utf8))
    } catch {}
  }
}
