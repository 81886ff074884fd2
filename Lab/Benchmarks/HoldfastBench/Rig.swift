import Foundation
import Holdfast
import Logging
import HoldfastTransport

/// The engine and raw SQLite over the same rows, in one folder.
@MainActor final class Rig {
  let client: ChatClient
  let raw: RawStore
  let backend: Backend
  let conversation = Rig.conversation
  let folder: URL
  /// The store that both began as. Nobody has it open.
  let template: URL
  /// How many messages the conversation had at the start: the server's order goes on behind it.
  let history: Int

  nonisolated static let conversation: ConversationID = "eg-conversation"
  nonisolated static let user: UserID = "alice"

  /// Opens copies of the store in `template`, so that each benchmark begins with the same pages.
  init(
    copying template: URL, history: Int, to folder: URL, isOnline: Bool,
    environment: ChatEnvironment = ChatEnvironment()
  ) throws {
    try FileManager.default.copyItem(at: template, to: folder)
    self.folder = folder
    self.template = template
    self.history = history
    backend = Backend(isReachable: isOnline)
    client = try Self.open(folder, backend, environment: environment)
    raw = try RawStore(
      file: folder.appendingPathComponent("raw.sqlite"),
      copying: folder.appendingPathComponent("store.sqlite"))
  }

  /// Makes C's store with a schema of its own, with the messages that the engine's store has. A rig has one at most.
  func openLean() throws -> LeanStore {
    try LeanStore(
      file: folder.appendingPathComponent("lean.sqlite"),
      copyingMessagesOf: folder.appendingPathComponent("store.sqlite"))
  }

  static func open(
    _ folder: URL, _ transport: any Transport, environment: ChatEnvironment = ChatEnvironment()
  ) throws -> ChatClient {
    var environment = environment
    environment.logger.logLevel = .error
    return try ChatClient(
      storage: .folder(folder), transport: transport, user: user,
      configuration: ChatConfiguration(environment: environment))
  }

  /// A store with nothing in it but the conversation.
  static func openEmpty(in folder: URL, _ transport: any Transport = Backend(isReachable: false)) throws
    -> ChatClient
  {
    let client = try open(folder, transport)
    try client.createConversation(conversation, members: [user, "bob"])
    return client
  }

  /// Messages as the server sends them; the first is number 1.
  static func messages(_ numbers: some Sequence<Int>) -> [IncomingMessage] {
    numbers.map { number in
      IncomingMessage(
        id: MessageID(rawValue: id(number)), conversation: conversation,
        sender: number.isMultiple(of: 2) ? user : "bob", content: MessageContent(typedText(number)),
        order: Int64(number), createdAt: Date(timeIntervalSince1970: 1_760_000_000 + Double(number)))
    }
  }

  /// The message with what a lively conversation has: each third answers the one before, each second has reactions, each
  /// fifth a picture.
  static func rich(_ message: IncomingMessage) -> IncomingMessage {
    guard let order = message.order else { return message }
    var message = message
    if order > 1, order.isMultiple(of: 3) {
      message.content.replyTo = MessageID(rawValue: id(Int(order) - 1))
    }
    if order.isMultiple(of: 2) {
      message.reactions = [.init("👍", from: "bob"), .init("❤️", from: user)]
    }
    if order.isMultiple(of: 5) {
      message.attachments = [
        ChatAttachment(
          checksum: .init(rawValue: String(repeating: "0", count: 64 - "\(order)".count) + "\(order)"),
          name: "picture-\(order).png", mediaType: "image/png", byteCount: 100_000)
      ]
    }
    return message
  }

  /// As long as a UUID.
  private static func id(_ number: Int) -> String {
    "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }
}
