import HoldfastCore
import HoldfastStore

/// Carries out the user's decisions about unsent messages: try again, take back, delete (rules O8, O9). Any thread may
/// use it.
struct UnsentMessages: Sendable {
  let context: EngineContext
  let drafts: Drafts

  private var store: Store { context.store }

  /// Whether a failed message keeps its place in its conversation, because those behind it have waited for it.
  private var keepsPlace: Bool { context.configuration.retry.afterFailure == .block }

  /// Puts a failed or held message, or a failed operation, back into the queue. Returns its conversation.
  func requeue(_ id: MessageID) throws(ChatError) -> ConversationKey {
    let reading = context.waitingReading
    return try store.write { transaction in
      let conversation = try transaction.outbox.requeue(id, at: reading, keepsPlace: keepsPlace)
      try transaction.conversations.liftRefusal(of: conversation)
      return conversation
    }
  }

  /// Puts every failed message and operation back into the queue, and lifts every refusal of a conversation, in one
  /// transaction. Returns the conversations.
  func requeueAll() throws(ChatError) -> [ConversationKey] {
    let reading = context.waitingReading
    return try store.write { transaction in
      let refused = try transaction.conversations.refused()
      for conversation in refused { try transaction.conversations.liftRefusal(of: conversation) }
      let moved = try transaction.outbox.failed().map {
        try transaction.outbox.requeue($0, at: reading, keepsPlace: keepsPlace)
      }
      return Array(Set(refused + moved))
    }
  }

  /// Lifts the refusal of a conversation. Returns its present ID.
  func liftRefusal(of id: ConversationKey) throws(ChatError) -> ConversationKey {
    try store.write { transaction in
      let id = try transaction.conversations.require(id)
      try transaction.conversations.liftRefusal(of: id)
      return id
    }
  }

  func takeBack(_ id: MessageID) throws(ChatError) -> DraftContent {
    let conversation = try requireUnsent(id)
    let content = try drafts.put(DraftKey(conversation: conversation)) {
      try $0.outbox.requireAtRest(id)
      return try $0.outbox.takeUnsent(id)
    }
    context.deliveryTimes.forget(id)
    return content
  }

  func cancel(_ id: MessageID) throws(ChatError) {
    let conversation = try requireUnsent(id)
    try store.write { transaction in
      if try transaction.operations.pending(id) != nil {
        try transaction.outbox.requireAtRest(id)
        try transaction.operations.remove([id], in: conversation)
      } else {
        try transaction.outbox.removeAtRest(id)
      }
    }
    context.deliveryTimes.forget(id)
  }

  private func requireUnsent(_ id: MessageID) throws(ChatError) -> ConversationKey {
    guard let (_, conversation) = try store.read({ try $0.outbox.entry(of: id) }) else {
      throw ChatError(.tooLate, "The message has been delivered, or is gone.")
    }
    return conversation
  }
}
