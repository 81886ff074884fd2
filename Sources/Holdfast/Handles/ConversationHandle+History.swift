import HoldfastCore

/// Older messages from the server, without a model.
extension ConversationHandle {
  /// Requests older messages than those on this device from the server: about a hundred, or all up to `message`. They
  /// arrive in ``timeline(limit:)``, which also reports the progress: ``ConversationSnapshot/older``.
  ///
  /// ```swift
  /// chat.fetchOlder()
  /// ```
  ///
  /// Costs a small read. A request made offline is carried out when the device is online, as long as the process
  /// lives. A repeated request changes nothing while the answer is awaited.
  ///
  /// - Returns: false when there is nothing to request: the conversation begins with what is here, is kept on this
  ///   device
  ///   alone, or its transport gives no older messages.
  @discardableResult
  public func fetchOlder(upTo message: MessageID? = nil) -> Bool {
    client.history.fetchOlder(in: id, upTo: message)
  }
}
