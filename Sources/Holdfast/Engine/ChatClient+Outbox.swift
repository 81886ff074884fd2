import HoldfastCore
import HoldfastStore

extension ChatClient {
  func retryMessage(_ id: MessageID) throws(ChatError) {
    let conversation = try unsent.requeue(id)
    link.nudge()
    queue.endWaits(of: [conversation])
  }

  func retryConversation(_ id: ConversationID) throws(ChatError) {
    let conversation = try unsent.liftRefusal(of: id)
    link.nudge()
    queue.endWaits(of: [conversation])
  }

  func takeBackMessage(_ id: MessageID) throws(ChatError) -> DraftContent { try unsent.takeBack(id) }

  func cancelMessage(_ id: MessageID) throws(ChatError) { try unsent.cancel(id) }

  /// The held messages, as they are now. Costs one pass over the outbox, and nothing once a pass has found none.
  package nonisolated func heldSnapshot() throws(ChatError) -> HeldMessages { try held.snapshot() }

  /// Queues messages that have waited elsewhere (SPEC H10). Those of conversations in which one is too old are held in the
  /// same transaction, because the connection may have begun long ago; and their user is asked where somebody is connected.
  ///
  /// - Parameter queue: gives these conversations.
  package nonisolated func queueHolding(_ queue: (Transaction) throws -> Set<ConversationID>) throws {
    try held.queueHolding(queue)
  }

  /// Whether what was queued at `reading` is asked about before it leaves.
  package nonisolated func isOld(_ reading: Int64) -> Bool { held.isOld(reading) }

  /// The number of messages that the server has not confirmed, failed ones included.
  package nonisolated func unsentCount() throws(ChatError) -> Int { try store.read { try $0.unsentCount() } }
}
