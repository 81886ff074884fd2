import Synchronization

/// What only this process knows, for those who show it: the way to the server, and the tokens that are on
/// the screen already and not yet all on disk. It can be read from any thread.
final class LiveState: Sendable {
  struct Stream: Sendable {
    var text: String
    var reasoning: String
  }

  private struct State {
    var link: Connectivity
    var interface: NetworkPath.Interface?
    var streams: [MessageID: Stream] = [:]
  }
  private let state: Mutex<State>

  init(link: Connectivity) { state = Mutex(State(link: link)) }

  var link: Connectivity { state.withLock { $0.link } }

  /// Over which kind of interface the link goes. Nil while it is offline, and where nobody tells.
  var interface: NetworkPath.Interface? { state.withLock { $0.interface } }

  /// Returns whether it differs from before.
  func set(link: Connectivity, over interface: NetworkPath.Interface? = nil) -> Bool {
    state.withLock { state in
      defer { (state.link, state.interface) = (link, interface) }
      return state.link != link || state.interface != interface
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
