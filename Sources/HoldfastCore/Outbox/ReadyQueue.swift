import Synchronization

/// The lanes (send queues of a conversation each) that may have something to send, each once, in the order in which
/// they were marked. A thread that commits a message marks its lane; the outbox visits the lanes.
package final class ReadyQueue: Sendable {
  private struct State {
    var order: [ConversationKey] = []
    var marked: Set<ConversationKey> = []
  }
  private let state = Mutex(State())

  package init() {}

  package func insert(_ conversations: some Sequence<ConversationKey>) {
    state.withLock { state in
      for conversation in conversations where state.marked.insert(conversation).inserted {
        state.order.append(conversation)
      }
    }
  }

  /// Removes and returns at most `limit` lanes.
  package func drain(atMost limit: Int) -> [ConversationKey] {
    state.withLock { state in
      let taken = Array(state.order.prefix(limit))
      state.order.removeFirst(taken.count)
      state.marked.subtract(taken)
      return taken
    }
  }
}
