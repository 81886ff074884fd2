import HoldfastCore

/// Older messages from the server, without a model.
extension ConversationHandle {
  /// Asks the server for older messages than those on this device: about a hundred, or all up to `message`. They come with
  /// ``timeline(limit:)``, which also says how it goes: ``ConversationSnapshot/older``.
  ///
  /// ```swift
  /// chat.fetchOlder()
  /// ```
  ///
  /// Costs a small read. What is asked for offline comes when the device is online, as long as the process lives. To ask
  /// again while the answer is awaited changes nothing.
  ///
  /// - Returns: false when there is nothing to ask for: the conversation begins with what is here, is kept on this device
  ///   alone, or its transport gives no older messages.
  @discardableResult
  public func fetchOlder(upTo message: MessageID? = nil) -> Bool {
    client.history.fetchOlder(in: id, upTo: message)
  }
}
