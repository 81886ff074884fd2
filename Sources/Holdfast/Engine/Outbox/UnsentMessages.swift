import HoldfastCore
import HoldfastStore

/// Carries out the user's decisions about unsent messages: try again, take back, delete (SPEC O8, O9). Any thread may
/// use it.
struct UnsentMessages: Sendable {
  let context: EngineContext
  let drafts: Drafts

  private var store: Store { context.store }

  /// Puts a failed or held message, or a failed operation, back into the queue. Returns its conversation.
  func requeue(_ id: MessageID) throws(ChatError) -> ConversationID {
    let reading = context.waitingReading
    let keepsPlace = context.configuration.retry.behindFailed == .wait
    return try store.write { transaction in
      let conversation = try transaction.requeue(id, at: reading, keepsPlace: keepsPlace)
      try transaction.liftRefusal(of: conversation)
      return conversation
    }
  }

  /// Lifts the refusal of a conversation. Returns its present ID.
  func liftRefusal(of id: ConversationID) throws(ChatError) -> ConversationID {
    try store.write { transaction in
      let conversation = transaction.current(id)
      try transaction.requireConversation(conversation)
      try transaction.liftRefusal(of: conversation)
      return conversation
    }
  }

  func takeBack(_ id: MessageID) throws(ChatError) -> DraftContent {
    let conversation = try requireUnsent(id)
    let content = try drafts.put(DraftKey(conversation: conversation)) {
      try $0.requireAtRest(id)
      return try $0.takeUnsent(id)
    }
    context.deliveryTimes.forget(id)
    return content
  }

  func cancel(_ id: MessageID) throws(ChatError) {
    let conversation = try requireUnsent(id)
    try store.write { transaction in
      if try transaction.pendingOperation(id) != nil {
        try transaction.requireAtRest(id)
        try transaction.removeOperations([id], in: conversation)
      } else {
        try transaction.removeAtRest(id)
      }
    }
    context.deliveryTimes.forget(id)
  }

  private func requireUnsent(_ id: MessageID) throws(ChatError) -> ConversationID {
    guard let (_, conversation) = try store.read({ try $0.outboxEntry(of: id) }) else {
      throw ChatError(.tooLate, "The message has been delivered, or is gone.")
    }
    return conversation
  }
}
