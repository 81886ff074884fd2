import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension ChatClient {
  /// Sends a text. It is trimmed, checked, and put into the timeline and the outbox in one transaction. When the call
  /// returns, the message is on disk, online or offline, and is sent automatically (rule O2). The draft is not
  /// touched.
  ///
  /// ```swift
  /// let id = try client.send("On my way", in: conversation)
  /// ```
  ///
  /// - Parameters:
  ///   - text: what to say, in at most as many bytes of UTF-8 as the transport accepts.
  ///   - conversation: the conversation in which it is said.
  ///   - replyTo: the message of this conversation that the text answers.
  ///   - members: the accounts of a conversation that may not exist yet. It is then created in the same transaction, as
  ///     by ``createConversation(_:title:members:metadata:isOnDevice:)``. Nil: it must exist.
  /// - Returns: the message's ID, which never changes.
  /// - Throws: ``ChatError`` with code `emptyMessage`, `messageTooLong`, `malformedID`, `unknownConversation`,
  ///   `outboxFull`, or a storage code. Nothing is changed then.
  @discardableResult
  public nonisolated func send(
    _ text: String, in conversation: ConversationID, replyTo: MessageID? = nil,
    creatingWith members: [UserID]? = nil
  ) throws(ChatError) -> MessageID {
    try sender.send(
      MessageContent(text, replyTo: replyTo), in: store.key(of: conversation), creatingWith: members)
  }

  /// Stores a message that did not arrive over the transport, such as one in a push that an extension has decrypted.
  ///
  /// ```swift
  /// // In the notification service extension, on the store that it shares with the app:
  /// let isNew = try await client.receive(
  ///   IncomingMessage(
  ///     id: MessageID(rawValue: push.id), conversation: "chat-9f3b27c1", sender: "bob", content: .init(text),
  ///     order: nil, createdAt: push.date))
  /// ```
  ///
  /// The message is placed after the delivered ones, and counts as unread. When the server sends it too, it takes
  /// the server's place and time, and exists once. A message of this account is delivered by it. Nothing else is
  /// fetched: earlier messages of the server still come over the transport. The client need not run.
  ///
  /// One transaction, which costs a sync. When the call returns, the message survives any crash.
  ///
  /// - Parameter message: the whole message, under the server's ID, as the server would send it. Another one with the
  ///   same
  ///   ID and another sender or conversation is refused later. Its order is nil when the push does not contain it.
  /// - Returns: whether the message is new.
  /// - Throws: ``ChatError`` with code `malformedID` when the message cannot be the server's: an ID is malformed, or is
  ///   known under another sender or conversation, or the conversation is kept on this device alone; or a
  ///   storage code, or `suspended`. Nothing is stored then.
  @discardableResult
  public func receive(_ message: IncomingMessage) async throws(ChatError) -> Bool {
    try Store.typed { try parts.inbox.apply(message) }
  }

  /// Searches all messages, or those of one conversation.
  ///
  /// ```swift
  /// let found = try client.search("北京 meet", limit: 20)
  /// ```
  ///
  /// A message is found when it has all the words, in any order. The beginning of a word is enough: `meet` finds
  /// *meeting*. Text that is written without spaces is also found in the middle, from one character on, and so is an
  /// emoji. Case, accents, Arabic and Hebrew diacritics, strokes, ligatures and invisible characters make no
  /// difference: `istanbul`, `ISTANBUL` and `İstanbul` are the same, and `lodz` finds *Łódź*. There is no syntax:
  /// every text is a valid query, and one without a word or an emoji finds nothing. The search covers the texts that
  /// the server has. An edit is found once the server has it, and a reply that is being written is found once it is
  /// finished.
  ///
  /// Messages from the last seconds come first. The best matches follow: short texts that have the sought words often,
  /// and rare words before common ones. When no word has more than two letters, nearly every message has the words, and
  /// the newest messages come first. Costs one read, with a look at each message that has the words, 10,000 at most. A
  /// search in one conversation also looks at the messages of others that lie between. Nothing is changed.
  ///
  /// - Parameters:
  ///   - query: the text that somebody typed. At most 1,000 scalars of it are used, in at most 16 phrases of 32 words.
  ///   - conversation: nil for all conversations.
  ///   - limit: the largest number of hits, from the best on.
  /// - Throws: ``ChatError`` with a storage code.
  public nonisolated func search(
    _ query: String, in conversation: ConversationID? = nil, limit: Int = 50
  ) throws(ChatError) -> SearchSnapshot {
    let search = MessageSearch(query, in: conversation.map(store.key), limit: limit)
    return search.snapshot(of: try store.read(search.read), for: names).localized(with: configuration.texts)
  }

  /// The URL of an attachment's file. Nil while the file is not on this device. The app may read the file, and must not
  /// change it. The file may belong to several messages, and is deleted with the last of them. Costs one small read.
  public nonisolated func attachmentFile(_ checksum: ChatAttachment.Checksum) -> URL? {
    store.fileHere(checksum)
  }

  /// Downloads an attachment that is too large to be downloaded automatically, as soon as there is a connection. The
  /// row of its message shows the progress. Does nothing when the file is on this device.
  ///
  /// ```swift
  /// try await client.download(attachment.checksum)
  /// ```
  ///
  /// When the call returns, the request is on disk. Bytes that have arrived stay: after a crash, the download continues
  /// behind them. In a shared store, the process that is connected downloads the file.
  ///
  /// - Throws: ``ChatError`` with code `unknownAttachment`, or a storage code.
  public func download(_ checksum: ChatAttachment.Checksum) throws(ChatError) {
    guard checksum.isWellFormed, let stored = try store.read({ try $0.attachments.stored(checksum) }) else {
      throw ChatError(.unknownAttachment, "No message here has this attachment.")
    }
    guard !stored.isHere else { return }
    try store.write { try $0.attachments.want(checksum) }
    parts.fetches.want(checksum)
  }

  /// The conversation that was last on the screen, for an app that opens there again. Nil when there was none, or when
  /// it is deleted. An undone deletion brings it back. It follows ``ConversationHandle/replaceID(with:)``. A
  /// ``SceneModel`` stores it with the place of its window, whose list may be on the screen by now.
  ///
  /// - Throws: ``ChatError`` with a storage code.
  public nonisolated func activeConversation() throws(ChatError) -> ConversationID? {
    try store.read { db in try db.conversations.active().map(db.name) }
  }

  /// Stores the conversation that is on the screen, for an app without a ``SceneModel``.
  ///
  /// ```swift
  /// .onChange(of: selection) { try? client.setActiveConversation(selection) }
  /// ```
  ///
  /// Costs a sync when the conversation differs from the stored one. A crash leaves one or the other.
  ///
  /// - Parameter id: nil when no conversation is on the screen.
  /// - Throws: ``ChatError`` with code `unknownConversation`, or a storage code.
  public nonisolated func setActiveConversation(_ id: ConversationID?) throws(ChatError) {
    let key = id.map(store.key)
    if let key, try store.read({ try $0.conversations.active() }) == key { return }
    try store.write { transaction in
      try transaction.conversations.setActive(key.map { try transaction.conversations.require($0) })
    }
  }
}
