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

  private struct State {
    var link: LinkState
    var interface: NetworkPath.Interface?
    var isRunning = false
    /// The lanes that have something on their way, or wait.
    var lanes: [ConversationID: OutboxLane] = [:]
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
    var transfers: [AttachmentChecksum: Int64] = [:]
  }
  private let state: Mutex<State>

  init(link: LinkState) { state = Mutex(State(link: link)) }

  var link: Connectivity { state.withLock { $0.link.shown } }
  /// The server refuses the credentials.
  var needsCredentials: Bool { state.withLock { $0.link.needsCredentials } }

  /// Over which kind of interface the link goes. Nil while it is offline, and where nobody tells.
  var interface: NetworkPath.Interface? { state.withLock { $0.interface } }

  /// Returns whether what is shown of the link differs from before, and whether messages are explained differently.
  func set(
    link: LinkState, over interface: NetworkPath.Interface? = nil
  ) -> (isShown: Bool, isExplained: Bool) {
    state.withLock { state in
      defer { (state.link, state.interface) = (link, interface) }
      return (
        (state.link.shown, state.interface, state.link.needsCredentials)
          != (link.shown, interface, link.needsCredentials),
        !state.link.isExplained(like: link)
      )
    }
  }

  var isRunning: Bool { state.withLock { $0.isRunning } }

  func set(isRunning: Bool) { state.withLock { $0.isRunning = isRunning } }

  /// Takes over the present state of some lanes; nil for a lane that is idle. Returns the conversations whose lane
  /// differs from before.
  @discardableResult func set(lanes: [(conversation: ConversationID, lane: OutboxLane?)]) -> Set<
    ConversationID
  > {
    state.withLock { state in
      var changed: Set<ConversationID> = []
      for (conversation, lane) in lanes where state.lanes[conversation] != lane {
        state.lanes[conversation] = lane
        changed.insert(conversation)
      }
      return changed
    }
  }

  /// The part of this process's knowledge that decides how the messages of a conversation stand.
  func standing(of conversation: ConversationID?) -> (link: LinkState, isRunning: Bool, lane: OutboxLane?) {
    state.withLock { state in
      (state.link, state.isRunning, conversation.flatMap { state.lanes[$0] })
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

  func transferred(_ checksum: AttachmentChecksum) -> Int64? { state.withLock { $0.transfers[checksum] } }

  /// Returns whether it differs from before.
  func set(transferred bytes: Int64?, of checksum: AttachmentChecksum) -> Bool {
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
