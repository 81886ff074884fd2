import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization
import HoldfastTransport

/// The state that only this process knows, and that it shows: the link to the server, and the tokens that are on the
/// screen and not yet all on disk. Any thread may read it.
package final class LiveState: Sendable {
  struct Stream: Sendable {
    var text: String
    var reasoning: String
  }

  /// The part of this process's knowledge that decides how the messages of a conversation stand.
  struct Standing: Sendable {
    var link: LinkState
    var isRunning: Bool
    /// The date of the next attempt to connect. Nil when none is due.
    var connectsAt: Date?
    /// Nil when nothing of the conversation is on its way or waits.
    var lane: OutboxLane?
    /// The date on which the lane's wait ends. Nil when it does not wait.
    var retryAt: Date?
  }

  /// A lane, and the date on which its wait ends.
  private struct Lane {
    var lane: OutboxLane
    var retryAt: Date?
  }

  private struct State {
    var link: LinkState
    var connectsAt: Date?
    var interface: NetworkPath.Interface?
    var isRunning = false
    /// The lanes that have something on their way, or wait.
    var lanes: [ConversationKey: Lane] = [:]
    /// Whether the question about held messages is open. A reconnect opens it, and the end of the process closes it.
    var asksAboutHeld = false
    /// The number of events that may have held messages. A look at the store uses it to tell whether it was overtaken.
    var holds = 0
    /// The value of `holds` at the last look at the store that found nothing held. Nil before there was such a look.
    var noneHeldAfter: Int?
    /// The conversations whose deletion can be undone here, the last deleted one first.
    var undoable: [ConversationKey] = []
    /// The number of messages that have been delivered since the launch.
    var delivered = 0
    var streams: [MessageID: Stream] = [:]
    /// The number of bytes that have been moved, for each attachment that is being moved.
    var transfers: [ChatAttachment.Checksum: Int64] = [:]
  }
  private let state: Mutex<State>

  init(link: LinkState) { state = Mutex(State(link: link)) }

  package var link: Connectivity { state.withLock { $0.link.shown } }
  /// Whether the server refuses the credentials.
  package var needsCredentials: Bool { state.withLock { $0.link.needsCredentials } }

  /// The kind of interface that the link uses. Nil while the link is offline, and where the kind is unknown.
  var interface: NetworkPath.Interface? { state.withLock { $0.interface } }

  /// Returns whether the shown state of the link has changed, and whether messages are explained differently.
  ///
  /// - Parameter connectsAt: the date of the next attempt to connect. The date is made once, when a wait begins. If
  ///   each look made the date, it would vary a little, because the two clocks are read one after the other.
  func set(
    link: LinkState, over interface: NetworkPath.Interface? = nil, connectsAt: Date?
  ) -> (isShown: Bool, isExplained: Bool) {
    state.withLock { state in
      let isExplained = !state.link.isExplained(like: link)
      if isExplained { state.connectsAt = connectsAt }
      defer { (state.link, state.interface) = (link, interface) }
      return (
        (state.link.shown, state.interface, state.link.needsCredentials)
          != (link.shown, interface, link.needsCredentials), isExplained
      )
    }
  }

  var isRunning: Bool { state.withLock { $0.isRunning } }

  func set(isRunning: Bool) { state.withLock { $0.isRunning = isRunning } }

  /// Takes over the present state of some lanes; nil for a lane that is idle. Returns the conversations whose lane has
  /// changed.
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

  /// - Parameter conversation: nil for messages that are in no lane.
  func standing(of conversation: ConversationKey?) -> Standing {
    state.withLock { state in
      let lane = conversation.flatMap { state.lanes[$0] }
      return Standing(
        link: state.link, isRunning: state.isRunning, connectsAt: state.connectsAt, lane: lane?.lane,
        retryAt: lane?.retryAt)
    }
  }

  var asksAboutHeld: Bool { state.withLock { $0.asksAboutHeld } }

  /// Returns whether the value has changed.
  func set(asksAboutHeld: Bool) -> Bool {
    state.withLock { state in
      defer { state.asksAboutHeld = asksAboutHeld }
      return state.asksAboutHeld != asksAboutHeld
    }
  }

  /// The number of times that messages may have been held.
  var holds: Int { state.withLock { $0.holds } }

  /// Whether nothing is held. The held messages then need not be counted after each change of the outbox.
  var holdsNothing: Bool { state.withLock { $0.noneHeldAfter == $0.holds } }

  /// Notes that messages are about to be held, or that another process may have held some.
  func willHold() { state.withLock { $0.holds += 1 } }

  /// Notes that a look at the store found nothing held. The look began when `holds` had this value.
  func foundNoneHeld(after holds: Int) { state.withLock { $0.noneHeldAfter = holds } }

  var undoable: [ConversationKey] { state.withLock { $0.undoable } }

  func set(undoable id: ConversationKey, _ isOffered: Bool) {
    state.withLock { state in
      state.undoable.removeAll { $0 == id }
      if isOffered { state.undoable.insert(id, at: 0) }
    }
  }

  var delivered: Int { state.withLock { $0.delivered } }

  func count(delivered: Int) { state.withLock { $0.delivered += delivered } }

  func transferred(_ checksum: ChatAttachment.Checksum) -> Int64? {
    state.withLock { $0.transfers[checksum] }
  }

  /// Returns whether the value has changed.
  func set(transferred bytes: Int64?, of checksum: ChatAttachment.Checksum) -> Bool {
    state.withLock { state in
      defer { state.transfers[checksum] = bytes }
      return state.transfers[checksum] != bytes
    }
  }

  func stream(_ id: MessageID) -> Stream? { state.withLock { $0.streams[id] } }

  /// All streams, for a reader to note before it reads the store: a stream that ends while it reads is whole there, or
  /// was under way when the reading began. Copies nothing.
  var streams: [MessageID: Stream] { state.withLock { $0.streams } }

  /// Adds text to a stream. Returns whether the stream exists. The text grows in place, because nothing else holds it
  /// unless it was just read.
  func append(_ text: String, reasoning: String, to id: MessageID) -> Bool {
    state.withLock { state in
      guard state.streams[id] != nil else { return false }
      state.streams[id]?.text += text
      state.streams[id]?.reasoning += reasoning
      return true
    }
  }

  func set(_ stream: Stream?, for id: MessageID) { state.withLock { $0.streams[id] = stream } }
}
