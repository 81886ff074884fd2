import Foundation
import HoldfastCore

extension ChatClient {
  /// A client for previews and tests of views: a store of its own in the temporary folder, no server, and the given
  /// messages in one conversation.
  ///
  /// ```swift
  /// #Preview {
  ///   let client = try! ChatClient.preview([
  ///     FinishedMessage(id: "1", sender: "bob", content: .init("Hello"), createdAt: .now)
  ///   ])
  ///   ChatView(client: client, conversation: "preview")
  /// }
  /// ```
  ///
  /// A view can send, edit and search with the client, on this device alone. Each call makes a new folder, which the system
  /// clears away. Nothing is meant to survive.
  ///
  /// - Parameters:
  ///   - messages: the finished messages, oldest first.
  ///   - conversation: the ID of the conversation.
  ///   - title: its title. Nil for the automatic one.
  ///   - user: the account, whose messages are one's own.
  /// - Throws: ``ChatError`` when the folder cannot be written, or a message is malformed.
  public static func preview(
    _ messages: [FinishedMessage] = [], in conversation: ConversationID = "preview", title: String? = nil,
    user: UserID = "me"
  ) throws -> ChatClient {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-preview-\(ChatEnvironment().makeID())")
    let client = try ChatClient(storage: .folder(folder), transport: DeviceTransport(), user: user)
    try client.createConversation(conversation, title: title).store(contentsOf: messages)
    return client
  }
}
