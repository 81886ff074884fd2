import Foundation
import Holdfast
import Logging

/// The engine and raw SQLite over the same rows, in one folder.
@MainActor final class Rig {
  let client: ChatClient
  let raw: RawStore
  let conversation: ConversationID = "eg-conversation"
  private static let user: UserID = "alice"
  private static let historyLength = 10_000

  /// Opens copies of the store in `template`, so that each benchmark begins with the same pages.
  init(copying template: URL, to folder: URL) throws {
    try FileManager.default.copyItem(at: template, to: folder)
    client = try Self.open(folder, SilentTransport())
    raw = try RawStore(
      file: folder.appendingPathComponent("raw.sqlite"),
      copying: folder.appendingPathComponent("store.sqlite"))
  }

  /// A store with nothing in it but the conversation.
  static func openEmpty(in folder: URL) throws -> (ChatClient, ConversationID) {
    let client = try open(folder, SilentTransport())
    try client.createConversation("eg-conversation", members: [user, "bob"])
    return (client, "eg-conversation")
  }

  /// Makes a store with a conversation of 10,000 messages that the server has confirmed.
  static func makeTemplate(in folder: URL) async throws {
    let messages = (1...historyLength).map(message)
    let pages = stride(from: 0, to: historyLength, by: 500).map { Array(messages[$0..<$0 + 500]) }
    let client = try open(folder, HistoryTransport(pages: pages))
    try client.createConversation("eg-conversation", members: [user, "bob"])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      for await snapshot in client.timeline(of: "eg-conversation", limit: 1)
      where snapshot.rows.last?.id.rawValue == id(historyLength) { break }
      group.cancelAll()
    }
  }

  private static func open(_ folder: URL, _ transport: any Transport) throws -> ChatClient {
    var environment = ChatEnvironment()
    environment.logger.logLevel = .error
    return try ChatClient(
      storage: .folder(folder), transport: transport, user: user, environment: environment)
  }

  private static func message(_ number: Int) -> IncomingItem {
    .message(
      IncomingMessage(
        id: MessageID(rawValue: id(number)), conversation: "eg-conversation",
        sender: number.isMultiple(of: 2) ? user : "bob", body: typedText(number), order: Int64(number),
        createdAt: Date(timeIntervalSince1970: 1_760_000_000 + Double(number))))
  }

  /// As long as a UUID.
  private static func id(_ number: Int) -> String {
    "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }
}
