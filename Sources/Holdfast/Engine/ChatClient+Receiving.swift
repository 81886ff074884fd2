import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension ChatClient {
  /// Stores a message that came another way than over the transport: in a push that an extension has decrypted.
  ///
  /// ```swift
  /// // In the notification service extension, on the store that it shares with the app:
  /// let isNew = try await client.receive(
  ///   IncomingMessage(
  ///     id: MessageID(rawValue: push.id), conversation: "alice-bob", sender: "bob", content: .init(text),
  ///     order: nil, createdAt: push.date))
  /// ```
  ///
  /// The message stands behind the delivered ones, and counts as unread. When the server sends it too, it takes the
  /// server's place and time, and is there once. The own message of this account is delivered by it. Nothing else is
  /// fetched: what the server has before the message still comes over the transport. The client need not run.
  ///
  /// One transaction, which costs a sync. When the call returns, the message survives any crash.
  ///
  /// - Parameter message: the whole message, under the server's ID, as the server would send it: another one with the same
  ///   ID and another sender or conversation is refused later. Its order is nil when the push does not tell it.
  /// - Returns: whether the message is new.
  /// - Throws: ``ChatError`` with code `malformedID` when the message cannot be the server's: an ID is malformed, or is
  ///   known under another sender or conversation, or the conversation is kept on this device alone; or one that starts
  ///   with `storage`, or `suspended`. Nothing is stored then.
  @discardableResult
  public func receive(_ message: IncomingMessage) async throws(ChatError) -> Bool {
    try Store.typed { try inbox.take(message) }
  }
}
