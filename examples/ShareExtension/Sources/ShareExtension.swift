import ArgumentParser
import Foundation
import Holdfast
import HoldfastWebSocket
import Observation

/// Two processes on one store, as an app and its share extension are. The extension puts a message into the app's
/// store and exits at once. The app sends the message, now or when it is next started.
@main struct ShareExtension: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A share extension and its app, on one store.", subcommands: [Share.self, App.self],
    defaultSubcommand: Share.self)
}

/// The options on which both processes have to agree.
struct Place: ParsableArguments {
  @Option(help: "The folder of the store.", completion: .directory)
  var store: String

  @Option(help: "The conversation.")
  var to: String

  @Option(help: "The account that the store belongs to.")
  var user = "me"

  var conversation: ConversationID { ConversationID(rawValue: to) }

  /// Opens the store. The one word that matters is `shared()`, in the app and in the extension. On Apple's systems
  /// the folder is in the container of their app group.
  func open(_ transport: WebSocketTransport) throws -> ChatClient {
    try ChatClient(
      storage: .folder(URL(filePath: store, directoryHint: .isDirectory)).shared(),
      transport: transport, user: UserID(rawValue: user))
  }
}

/// The extension.
struct Share: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts a message into the app's store, and exits.")

  @Argument(help: "The message. Without one, each line of the input is a message.")
  var text: String?

  @Flag(help: "Leave the text in the composer instead of sending it.")
  var draft = false

  @OptionGroup var place: Place

  @MainActor func run() async throws {
    // The client never connects: only `run()` does, and the extension does not call it. The app has the connection.
    let client = try place.open(WebSocketTransport(url: URL(filePath: "/")) { "" })
    if let text { return try share(text, client) }
    while let line = readLine() { try share(line, client) }
  }

  /// Shares one text, which is on disk when this returns. An unknown conversation, or a full disk, is an error that
  /// says so.
  @MainActor private func share(_ text: String, _ client: ChatClient) throws {
    guard draft else {
      try client.send(text, in: place.conversation)
      return
    }
    let composer = ComposerModel(client, place.conversation)
    composer.edit(text)
    composer.hardSave()
    if let problem = composer.snapshot.problem { throw ValidationError(problem) }
  }
}

/// The app, without a user interface.
struct App: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sends what is in the store, and says how it stands, until its input ends.",
    discussion: """
      Each line of the input is a message. The account's token is taken from the variable HOLDFAST_TOKEN. \
      Start it twice: one has the connection, and the other goes on when that one ends, however it ends.
      """)

  @Option(help: "The relay's address, ws://…/v1/connect.")
  var relay: String

  @Option(name: .customLong("with"), help: "Another member of the conversation.")
  var other: String?

  @OptionGroup var place: Place

  @MainActor func run() async throws {
    let token = ProcessInfo.processInfo.environment["HOLDFAST_TOKEN"] ?? ""
    let client = try place.open(WebSocketTransport(relay) { token })
    try client.createConversation(place.conversation, members: other.map { [UserID(rawValue: $0)] } ?? [])
    let list = ConversationListModel(client)
    let chat = ConversationModel(client, place.conversation)
    let composer = ComposerModel(client, place.conversation)
    let connection = ConnectionModel(client)

    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      // The models follow the store, whichever process writes to it.
      group.addTask { await list.run() }
      group.addTask { await chat.run() }
      group.addTask { await composer.run() }
      group.addTask { await connection.run() }
      group.addTask { await Self.show(list, chat, composer, connection) }
      for await line in Self.input() { try client.send(line, in: place.conversation) }
      composer.hardSave()
      group.cancelAll()
    }
  }

  /// Prints a line for each change: "online: 2 unsent, newest 'Hello', draft ''".
  @MainActor private static func show(
    _ list: ConversationListModel, _ chat: ConversationModel, _ composer: ComposerModel,
    _ connection: ConnectionModel
  ) async {
    // A view follows a model by itself. Other code asks to be told of the next change, and reads again.
    let (changes, next) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    next.yield()
    for await _ in changes {
      let (conversations, timeline, composer, link) = withObservationTracking {
        (list.snapshot, chat.snapshot, composer.snapshot, connection.connectivity)
      } onChange: {
        next.yield()
      }
      let unsent = conversations.rows.first { $0.id == chat.id }.map { String($0.unsentCount) } ?? "?"
      let newest = timeline.rows.last?.text ?? ""
      let line = "\(link.rawValue): \(unsent) unsent, newest '\(newest)', draft '\(composer.text)'\n"
      // Written unbuffered, because a reader may be waiting for the line.
      try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    }
  }

  /// The lines of the input. Reading blocks, so it has a thread of its own.
  private static func input() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
