import HoldfastCore
import HoldfastStore

extension ChatClient {
  func retryMessage(_ id: MessageID) throws(ChatError) {
    tryNow([try unsent.requeue(id)])
  }

  func retryConversation(_ id: ConversationKey) throws(ChatError) {
    tryNow([try unsent.liftRefusal(of: id)])
  }

  func retryAll() throws(ChatError) {
    tryNow(try unsent.requeueAll())
  }

  private func tryNow(_ conversations: [ConversationKey]) {
    link.nudge()
    queue.endWaits(of: conversations)
  }

  func takeBackMessage(_ id: MessageID) throws(ChatError) -> DraftContent { try unsent.takeBack(id) }

  func cancelMessage(_ id: MessageID) throws(ChatError) { try unsent.cancel(id) }

  /// The held messages, as they are now. Costs one pass over the outbox, and nothing once a pass has found none.
  package nonisolated func heldSnapshot() throws(ChatError) -> HeldMessages { try held.snapshot() }

  /// Queues messages that have waited elsewhere (SPEC H10). The same transaction holds the conversations in which a
  /// message is too old, because the connection may have begun long ago. The user is asked where a client is connected.
  ///
  /// - Parameter queue: queues the messages, and returns the conversations in which one is too old.
  package nonisolated func queueHolding(_ queue: (Transaction) throws -> Set<ConversationKey>) throws {
    try held.queueHolding(queue)
  }

  /// Whether the user is asked before a message that was queued at `reading` leaves.
  package nonisolated func isOld(_ reading: Int64) -> Bool { held.isOld(reading) }

  /// The number of messages that the server has not confirmed, failed ones included.
  package nonisolated func unsentCount() throws(ChatError) -> Int {
    try store.read { try $0.outbox.unsentCount() }
  }
}
