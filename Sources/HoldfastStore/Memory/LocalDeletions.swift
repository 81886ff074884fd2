import HoldfastCore
import Synchronization

/// The deletions on this device, and the messages that are not accepted from the server again (rules H5, H11). Kept
/// in memory, because every send and every incoming message is looked up here. There are at most as many as
/// conversations.
package struct LocalDeletions: Equatable, Sendable {
  /// A conversation that is hidden and not yet erased.
  package struct Mark: Equatable, Sendable {
    /// The position of its last message at the time of the deletion.
    package var position: Int64
    package var isFinal: Bool
    /// The conversation that the messages belonged to before it was emptied. Nil for a conversation that is itself
    /// deleted.
    package var emptied: ConversationKey?
  }

  /// The point up to which a conversation's messages are not kept here.
  package struct Horizon: Equatable, Sendable {
    package var serverOrder: Int64
    /// Whether the messages can be fetched from the server: they were evicted, or never received. False when they
    /// were deleted with the conversation.
    package var isEvicted: Bool
    /// The point up to which messages were deleted here, and are not fetched. 0 when the server numbers none of
    /// them. Nil when none were deleted.
    package var deletedOrder: Int64?
  }

  package var marks: [ConversationKey: Mark] = [:]
  package var horizons: [ConversationKey: Horizon] = [:]

  package func isHidden(_ id: ConversationKey) -> Bool { marks[id] != nil }

  /// The conversation to which the messages of a stored conversation belong: the emptied one, for messages that were
  /// set aside.
  package func origin(of id: ConversationKey) -> ConversationKey { marks[id]?.emptied ?? id }
}

extension LocalDeletions {
  /// The conversations whose deletion is final, in a deterministic order.
  package var finalConversations: [ConversationKey] {
    marks.filter(\.value.isFinal).keys.sorted { $0.rawValue < $1.rawValue }
  }
}

/// The local deletions, shared by all threads.
package final class SharedLocalDeletions: Sendable {
  private let state = Mutex(LocalDeletions())

  package var value: LocalDeletions { state.withLock { $0 } }

  func set(_ value: LocalDeletions) { state.withLock { $0 = value } }

  package func isHidden(_ id: ConversationKey) -> Bool { state.withLock { $0.isHidden(id) } }
}
