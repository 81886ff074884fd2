import GRDB
import HoldfastCore
import Synchronization

/// The deletions on this device, and the messages that are not taken from the server again (SPEC H5, H11). Kept
/// in memory, because every send and every incoming message is looked up here. There are few of them.
package struct LocalDeletions: Equatable, Sendable {
  /// A conversation that is hidden, and not yet erased.
  package struct Mark: Equatable, Sendable {
    /// The position of its last message at the time of the deletion.
    package var position: Int64
    package var isFinal: Bool
  }

  /// The point up to which a conversation's messages are no longer kept here.
  package struct Horizon: Equatable, Sendable {
    package var serverOrder: Int64
    /// Whether the messages were removed to make room. False when they were deleted with the conversation.
    package var isEvicted: Bool
  }

  package var marks: [ConversationID: Mark] = [:]
  package var horizons: [ConversationID: Horizon] = [:]

  package func isHidden(_ id: ConversationID) -> Bool { marks[id] != nil }
}

/// The local deletions, shared by all threads.
package final class SharedLocalDeletions: Sendable {
  private let state = Mutex(LocalDeletions())

  package var value: LocalDeletions { state.withLock { $0 } }

  func set(_ value: LocalDeletions) { state.withLock { $0 = value } }

  package func isHidden(_ id: ConversationID) -> Bool { state.withLock { $0.isHidden(id) } }

  package func horizon(of id: ConversationID) -> LocalDeletions.Horizon? {
    state.withLock { $0.horizons[id] }
  }
}

extension Reading {
  func localDeletions() throws -> LocalDeletions {
    let rows = try rows(
      """
      SELECT conversationID, position, isFinal, NULL FROM deletion
      UNION ALL SELECT conversationID, serverOrder, isEvicted, 1 FROM horizon
      """
    ) {
      (ConversationID(rawValue: $0[0]), number: $0[1] as Int64, flag: $0[2] as Bool, isHorizon: $0[3] != nil)
    }
    var deletions = LocalDeletions()
    for (id, number, flag, isHorizon) in rows {
      if isHorizon {
        deletions.horizons[id] = .init(serverOrder: number, isEvicted: flag)
      } else {
        deletions.marks[id] = .init(position: number, isFinal: flag)
      }
    }
    return deletions
  }
}

extension LocalDeletions {
  /// The conversations whose deletion is final, in an order that is the same in every run.
  package var finalConversations: [ConversationID] {
    marks.filter(\.value.isFinal).keys.sorted { $0.rawValue < $1.rawValue }
  }
}
