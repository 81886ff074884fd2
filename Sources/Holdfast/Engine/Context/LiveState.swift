import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// What only this process knows, for those who show it: the way to the server, and the tokens that are on
/// the screen already and not yet all on disk. It can be read from any thread.
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
    var lanes: [ConversationID: Lane] = [:]
    /// The question about held messages is open: raised by a reconnect, and gone with the process.
    var asksAboutHeld = false
    /// Counts what may make messages held, so that a look at the store tells whether it was overtaken.
    var holds = 0
    /// A look at the store found nothing held, after so many holds. Nil: nobody has looked.
    var noneHeldAfter: Int?
    /// Conversations whose deletion can be undone here, the last one first.
    var undoable: [ConversationID] = []
    /// How many messages have been delivered since the launch.
    var delivered = 0
    var streams: [MessageID: Stream] = [:]
    /// How many bytes of the attachments that are being moved are over.
    var transfers: [ChatAttachment.Checksum: Int64] = [:]
  }
  private let state: Mutex<State>

  init(link: LinkState) { state = Mutex(State(link: link)) }

  var link: Connectivity { state.withLock { $0.link.shown } }
  /// The server refuses the credentials.
  var needsCredentials: Bool { state.withLock { $0.link.needsCredentials } }

  /// Over which kind of interface the link goes. Nil while it is offline, and where nobody tells.
  var interface: NetworkPath.Interface? { state.withLock { $0.interface } }

  /// Returns whether what is shown of the link differs from before, and whether messages are explained differently.
  ///
  /// - Parameter connectsAt: the date of the next attempt to connect. A date is made once, when a wait begins: made for
  ///   each look, it would differ a little from look to look, because the two clocks are read one after the other.
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

  /// Takes over the present state of some lanes; nil for a lane that is idle. Returns the conversations whose lane
  /// differs from before.
  ///
  /// - Parameter date: makes the date of an instant, once for each wait.
  @discardableResult func set(
    lanes: [(conversation: ConversationID, lane: OutboxLane?)], date: (ChatEnvironment.Instant) -> Date
  ) -> Set<ConversationID> {
    state.withLock { state in
      var changed: Set<ConversationID> = []
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
  func standing(of conversation: ConversationID?) -> Standing {
    state.withLock { state in
      let lane = conversation.flatMap { state.lanes[$0] }
      return Standing(
        link: state.link, isRunning: state.isRunning, connectsAt: state.connectsAt, lane: lane?.lane,
        retryAt: lane?.retryAt)
    }
  }

  var asksAboutHeld: Bool { state.withLock { $0.asksAboutHeld } }

  /// Returns whether it differs from before.
  func set(asksAboutHeld: Bool) -> Bool {
    state.withLock { state in
      defer { state.asksAboutHeld = asksAboutHeld }
      return state.asksAboutHeld != asksAboutHeld
    }
  }

  /// How often messages may have been held.
  var holds: Int { state.withLock { $0.holds } }

  /// Nothing is held: it need not be counted after each change of the outbox.
  var holdsNothing: Bool { state.withLock { $0.noneHeldAfter == $0.holds } }

  /// Messages are about to be held, or another process may have held some.
  func willHold() { state.withLock { $0.holds += 1 } }

  /// Nothing was held, as of a look that began after so many holds.
  func foundNoneHeld(after holds: Int) { state.withLock { $0.noneHeldAfter = holds } }

  var undoable: [ConversationID] { state.withLock { $0.undoable } }

  func set(undoable id: ConversationID, _ isOffered: Bool) {
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

  /// Returns whether it differs from before.
  func set(transferred bytes: Int64?, of checksum: ChatAttachment.Checksum) -> Bool {
    state.withLock { state in
      defer { state.transfers[checksum] = bytes }
      return state.transfers[checksum] != bytes
    }
  }

  func stream(_ id: MessageID) -> Stream? { state.withLock { $0.streams[id] } }

  /// Adds to a stream, and returns whether there is one. Nobody else holds its text unless it was just read, so
  /// that it grows in place.
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
