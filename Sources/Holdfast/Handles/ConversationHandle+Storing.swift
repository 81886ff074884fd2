import HoldfastCore

extension ConversationHandle {
  /// Stores a finished message after the others of the conversation, delivered. It never enters the outbox, and is
  /// sent to no server. A message that is already here is unchanged.
  ///
  /// ```swift
  /// try chat.store(answer)
  /// ```
  ///
  /// One transaction, which costs a sync. When the call returns, the message survives any crash.
  ///
  /// - Returns: whether the message is new.
  /// - Throws: ``ChatError`` with code `malformedID` when an ID is malformed or belongs to a message of another
  ///   conversation, `unknownConversation`, or a storage code. Nothing is stored then.
  @discardableResult
  public func store(_ message: FinishedMessage) throws(ChatError) -> Bool {
    try client.context.storeFinished(CollectionOfOne(message), in: key) > 0
  }

  /// Stores finished messages in their order, in one transaction: all of them or none. See ``store(_:)``.
  ///
  /// ```swift
  /// try chat.store(contentsOf: pages.lazy.flatMap(\.messages))
  /// ```
  ///
  /// Costs one sync, and a few statements for each message. Other writes to the store wait meanwhile, so a history of
  /// many thousands of messages is better stored in parts: a part that is stored again changes nothing.
  ///
  /// - Parameter messages: read once, from the first to the last.
  /// - Returns: the number of messages that are new.
  /// - Throws: as ``store(_:)``.
  @discardableResult
  public func store(contentsOf messages: some Sequence<FinishedMessage>) throws(ChatError) -> Int {
    try client.context.storeFinished(messages, in: key)
  }
}
