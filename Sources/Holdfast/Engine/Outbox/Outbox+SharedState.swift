import Foundation
import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Synchronization

extension Outbox {
  /// The part of the outbox that any thread may access.
  final class SharedState: Sendable {
    /// A lane, and the date on which its wait ends.
    struct Lane: Sendable {
      var lane: OutboxLane
      /// Nil when the lane does not wait.
      var retryAt: Date?
    }

    private struct State {
      /// The lanes that have something in flight, or wait.
      var lanes: [ConversationKey: Lane] = [:]
      var delivered = 0
    }

    let signal = Signal()
    let readyQueue = ReadyQueue()
    private let state = Mutex(State())

    /// Makes the outbox look for messages that may be sent.
    func wake() { signal.raise() }

    /// Visits the lanes of conversations whose rows in the outbox change.
    func follow(_ hub: ChangeHub) { hub.subscribe(readyQueue, raising: signal) }

    /// The lane of a conversation. Nil when nothing of the conversation is in flight or waits.
    func lane(of conversation: ConversationKey) -> Lane? { state.withLock { $0.lanes[conversation] } }

    /// Takes over the present state of some lanes; nil for a lane that is idle. Returns the conversations whose lane
    /// has changed.
    ///
    /// - Parameter date: converts an instant to a date, once for each wait.
    @discardableResult func set(
      lanes: [(conversation: ConversationKey, lane: OutboxLane?)], date: (ChatEnvironment.Instant) -> Date
    ) -> Set<ConversationKey> {
      state.withLock { state in
        var changed: Set<ConversationKey> = []
        for (conversation, lane) in lanes {
          let before = state.lanes[conversation]
          guard before?.lane != lane else { continue }
          let isSameWait = before?.lane.notBefore == lane?.notBefore
          state.lanes[conversation] = lane.map {
            Lane(lane: $0, retryAt: isSameWait ? before?.retryAt : $0.notBefore.map(date))
          }
          changed.insert(conversation)
        }
        return changed
      }
    }

    /// The number of messages that have been delivered since the launch.
    var delivered: Int { state.withLock { $0.delivered } }

    func count(delivered: Int) { state.withLock { $0.delivered += delivered } }
  }
}
