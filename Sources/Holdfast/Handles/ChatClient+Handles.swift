import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// One conversation. Reads nothing: the conversation may not exist.
  public nonisolated func conversation(_ id: ConversationID) -> ConversationHandle {
    ConversationHandle(id: id, client: self)
  }

  /// One message, or one operation on a message. Reads nothing: the message may not exist.
  public nonisolated func message(_ id: MessageID) -> MessageHandle { MessageHandle(id: id, client: self) }

  /// The writer of a reply that was begun here.
  package nonisolated func reply(_ id: MessageID) -> ReplyHandle { ReplyHandle(id: id, client: self) }

  /// The outbox as a whole: its health, and the question about held messages.
  public nonisolated var outbox: OutboxHandle { OutboxHandle(client: self) }

  /// Creates a conversation on this device. Its first message creates it on the server. Does nothing when the
  /// conversation exists. A conversation that was deleted a moment ago is erased and created again; its deletion can
  /// then not be undone.
  ///
  /// ```swift
  /// let chat = try client.createConversation(members: ["alice", "bob"])
  /// try chat.send("Hello")
  /// ```
  ///
  /// - Parameters:
  ///   - id: the conversation's ID, the same on every device, in 1 to 255 bytes. Nil: a new one. Somebody who guesses
  ///     an ID can create a conversation with it and other members first. The ID of a pair should therefore be one
  ///     that your server keeps, and not be made of two names.
  ///   - title: the title of a new conversation. Nil: an app shows the members.
  ///   - members: the accounts that take part. The owner is added when missing.
  ///   - metadata: the app's own data about a new conversation: ``ConversationHandle/setMetadata(_:)``.
  ///   - isOnDevice: whether a new conversation is kept on this device alone: no server learns of it, and its
  ///     messages are delivered once they are stored. With ``DeviceTransport``, every conversation is.
  /// - Throws: ``ChatError`` with code `malformedID`, `titleTooLong`, `metadataTooLarge`, or a
  ///   storage code.
  @discardableResult
  public nonisolated func createConversation(
    _ id: ConversationID? = nil, title: String? = nil, members: [UserID] = [], metadata: Data? = nil,
    isOnDevice: Bool = false
  ) throws(ChatError) -> ConversationHandle {
    let new = id ?? ConversationID(rawValue: environment.makeID())
    try context.createConversation(
      store.key(of: new), title: title, members: members, metadata: metadata, isOnDevice: isOnDevice,
      isMadeHere: id == nil)
    return conversation(new)
  }

  /// The list of conversations, newest first, now and after each change. At most four lists a second come while a
  /// thousand messages or more are unsent, because each list counts them.
  ///
  /// ```swift
  /// for await list in client.conversations() { show(list.rows) }
  /// for await pinned in client.conversations(where: { $0 == Data("pinned".utf8) }) { show(pinned.rows) }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: the largest number of conversations.
  ///   - isIncluded: whether a conversation with this metadata (``ConversationHandle/setMetadata(_:)``) is listed. It
  ///     is called at each read, on any thread. Nil: all are.
  public nonisolated func conversations(
    limit: Int = 200, where isIncluded: (@Sendable (_ metadata: Data?) -> Bool)? = nil
  ) -> some AsyncSequence<ConversationListSnapshot, Never> & Sendable {
    reader.conversationList(limit: limit, where: isIncluded)
  }

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
  /// A view can send, edit and search with the client, on this device alone. Each call makes a new folder, which the
  /// system clears away. Nothing is meant to survive.
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
