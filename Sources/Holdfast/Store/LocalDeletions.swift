import GRDB
import Synchronization

/// What this device has deleted, and what it does not take from the server again (SPEC H5, H11). Kept in memory, because
/// every send and every incoming message is looked up here; there are few of them.
struct LocalDeletions: Equatable, Sendable {
  /// A conversation that is hidden, and not yet erased.
  struct Mark: Equatable, Sendable {
    /// Of its last message then.
    var position: Int64
    var isFinal: Bool
  }

  /// How far a conversation's messages are not kept here any more.
  struct Horizon: Equatable, Sendable {
    var serverOrder: Int64
    /// They made room. False: they were deleted with the conversation.
    var isEvicted: Bool
  }

  var marks: [ConversationID: Mark] = [:]
  var horizons: [ConversationID: Horizon] = [:]

  func isHidden(_ id: ConversationID) -> Bool { marks[id] != nil }
}

/// The same for all threads.
final class SharedLocalDeletions: Sendable {
  private let state = Mutex(LocalDeletions())

  var value: LocalDeletions { state.withLock { $0 } }

  func set(_ value: LocalDeletions) { state.withLock { $0 = value } }

  func isHidden(_ id: ConversationID) -> Bool { state.withLock { $0.isHidden(id) } }

  func horizon(of id: ConversationID) -> LocalDeletions.Horizon? { state.withLock { $0.horizons[id] } }
}

extension Database {
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
