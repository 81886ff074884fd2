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
    var link: Connectivity
    var interface: NetworkPath.Interface?
    /// The server refuses the credentials.
    var needsCredentials = false
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

  init(link: Connectivity) { state = Mutex(State(link: link)) }

  var link: Connectivity { state.withLock { $0.link } }
  var needsCredentials: Bool { state.withLock { $0.needsCredentials } }

  /// Over which kind of interface the link goes. Nil while it is offline, and where nobody tells.
  var interface: NetworkPath.Interface? { state.withLock { $0.interface } }

  /// Returns whether it differs from before.
  func set(
    link: Connectivity, over interface: NetworkPath.Interface? = nil, needsCredentials: Bool = false
  ) -> Bool {
    state.withLock { state in
      defer {
        (state.link, state.interface, state.needsCredentials) = (link, interface, needsCredentials)
      }
      return (state.link, state.interface, state.needsCredentials) != (link, interface, needsCredentials)
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
