import Holdfast

/// The screen of an app that sends notes to a server of its own. A view shows it; a test drives it.
@MainActor public final class NotesScreen {
  private let client: ChatClient
  private let chat: ConversationModel
  private let composer: ComposerModel
  /// Sends as many an app does: takes the text out of the field, and then sends it. Planted, for the test to find.
  private let sendsInTwoSteps: Bool

  public init(_ client: ChatClient, sendsInTwoSteps: Bool = false) throws {
    try client.createConversation("notes")
    (self.client, self.sendsInTwoSteps) = (client, sendsInTwoSteps)
    (chat, composer) = (ConversationModel(client, "notes"), ComposerModel(client, "notes"))
  }

  /// The text in the field.
  public var text: String {
    get { composer.text }
    set { composer.text = newValue }
  }

  /// The notes that are shown.
  public var notes: [String] { chat.snapshot.rows.map(\.text) }

  public func send() {
    guard sendsInTwoSteps else {
      composer.send()
      return
    }
    let text = composer.text
    composer.discard()
    _ = try? client.send(text, in: "notes")
  }

  /// Runs the engine and the models, until the task is cancelled.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.client.run() }
      group.addTask { await self.chat.run() }
      group.addTask { await self.composer.run() }
    }
  }
}
