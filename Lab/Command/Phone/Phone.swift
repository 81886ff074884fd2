import ArgumentParser
import Foundation
import Holdfast
import HoldfastAssistant
import HoldfastCommand
import HoldfastTransport
import HoldfastWebSocket

/// `holdfast-lab phone`: one phone's app as a process without a user interface. It reads intents from its input, one
/// JSON object per line, and writes its screen's contents to its output, in the same way.
///
/// The process ends when its input ends, because then nobody can see it.
struct Phone: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a phone without a user interface.", shouldDisplay: false)

  @Option(help: "The account on the server.")
  var name: String

  @Option(help: "The folder of the phone's store.", completion: .directory)
  var data: NamedPath

  @Option(help: "The relay's address. Without a server, all conversations are kept on this device alone.")
  var relay: String?

  @Option(help: "HOST:PORT of a Firestore emulator, in place of a relay.")
  var firestore: String?

  @Option(help: "HOST:PORT of a Matrix homeserver on this machine, in place of a relay.")
  var matrix: String?

  @Option(
    help: "A conversation that all phones have from the start, as ID or ID=TITLE. The last one is open.")
  var conversation = ["weekend-trip=Weekend trip", "alice-bob"]

  @Option(help: "A member of these conversations. Repeat the option for more members.")
  var member = ["Alice", "Bob"]

  @Option(help: "The number of days that the phone's date is ahead.")
  var daysAhead = 0

  @Flag(help: "Add a conversation with the demo's built-in assistant.")
  var assistant = false

  @Option(help: "The base address of a model's server, which answers for the built-in assistant.")
  var model: String?

  @Option(help: "The model's name.") var modelName: String?
  @Option(help: "The file with the account's key.", completion: .file()) var modelKeyFile: String?
  @Option(help: "Further fields of each request to the model, as a JSON object.") var modelFields: String?
  @Flag(help: "Let the model go on with an answer that was cut off.") var modelContinues = false

  @Flag(help: "Start in airplane mode.")
  var noNetwork = false

  /// The limits are small, so that a user can easily reach this one, and `automaticDownloadLimit` on the way.
  private static let maximumFileBytes: Int64 = 20_000_000
  private static let automaticDownloadLimit: Int64 = 5_000_000

  @MainActor func run() async throws {
    var environment = ChatEnvironment()
    // Everything of interest is on the screen; only problems are logged to the terminal.
    environment.logger.logLevel = .warning
    let (now, ahead) = (environment.now, Double(daysAhead) * 86_400)
    environment.now = { now().addingTimeInterval(ahead) }
    // Only the airplane mode switch decides: the relay is on this machine, and is reachable without the system's
    // network.
    let path = NetworkPath(isUp: !noNetwork)
    let client = try ChatClient(
      storage: .folder(data.url),
      transport: try makeTransport(environment),
      user: UserID(rawValue: name),
      configuration: ChatConfiguration(
        attachments: ChatConfiguration.AttachmentLimits(
          maximumBytes: Self.maximumFileBytes, automaticDownloadLimit: Self.automaticDownloadLimit),
        displayName: { MatrixPhone.name(of: $0) },
        path: path, environment: environment))
    // Made first, so that its conversation is listed below those with people.
    let assistant =
      assistant ? try PhoneAssistant(client, model: try chosenModel(), environment: environment) : nil
    let screen = try PhoneScreen(client, assistant, path: path, environment: environment)
    var known: [ConversationID] = []
    for conversation in conversation {
      let parts = conversation.split(separator: "=", maxSplits: 1).map(String.init)
      guard let id = parts.first.map(ConversationID.init(rawValue:)) else {
        throw ValidationError("A conversation needs an ID: --conversation ID, or --conversation ID=TITLE.")
      }
      try client.createConversation(
        id, title: parts.count > 1 ? parts[1] : nil, members: member.map(UserID.init(rawValue:)))
      known.append(id)
    }
    let hasServer = relay != nil || firestore != nil || matrix != nil
    if let first = hasServer ? known.last : assistant?.conversation { screen.openFirst(first) }
    if let talk = known.last, hasServer { assistant?.attend(talk) }
    await withTaskGroup { group in
      group.addTask { await client.run() }
      group.addTask { await screen.run() }
      if let assistant { group.addTask { await assistant.run() } }
      group.addTask { await screen.show { Self.write($0) } }
      for await line in LineReader.standardInput() {
        guard let intent = try? JSONDecoder().decode(PhoneIntent.self, from: line) else { continue }
        await screen.perform(intent)
      }
      screen.rest()
      group.cancelAll()
    }
  }

  private func chosenModel() throws -> CompletionModel? {
    guard let model else { return nil }
    let choice = ModelChoice(
      address: model, name: modelName, keyFile: modelKeyFile, continues: modelContinues, fields: modelFields)
    return try choice.maker()(modelName ?? "")
  }

  private func makeTransport(_ environment: ChatEnvironment) throws -> any Transport {
    if let firestore { return try FirestorePhone.transport(to: firestore, as: name) }
    if let matrix {
      return try MatrixPhone.transport(
        to: matrix, as: UserID(rawValue: name), data: data.url)
    }
    guard let relay else { return DeviceTransport() }
    let token = ProcessInfo.processInfo.environment["HOLDFAST_TOKEN"] ?? ""
    do { return try WebSocketTransport(relay, environment: environment) { token } } catch {
      throw ValidationError("--relay: \(error.detail).")
    }
  }

  private static func write(_ snapshot: PhoneSnapshot) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    // A write fails when the reader has ended. The input has ended then too, which ends this process.
    do {
      try FileHandle.standardOutput.write(contentsOf: encoder.encode(snapshot) + Data("\n".utf8))
    } catch {}
  }
}
