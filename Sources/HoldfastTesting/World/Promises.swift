import Holdfast
import Synchronization

/// What the engine has promised the users of a world: kept outside of it, and compared with it at the end.
final class Promises: Sendable {
  struct Sent: Sendable {
    var id: MessageID
    var text: String
    var sender: UserID
  }

  private struct State {
    /// Sends that returned, in their order.
    var sent: [Sent] = []
    /// Texts whose send did not return: the process ended in it. They are in exactly one of draft and outbox.
    var uncertain: Set<String> = []
    /// What each user's composer must hold at least, as far as a hard save has returned.
    var saved: [UserID: String] = [:]
  }
  private let state = Mutex(State())

  var sent: [Sent] { state.withLock { $0.sent } }
  var uncertain: Set<String> { state.withLock { $0.uncertain } }

  func sends(_ text: String) { state.withLock { _ = $0.uncertain.insert(text) } }

  func sent(_ id: MessageID, _ text: String, by sender: UserID) {
    state.withLock { state in
      state.uncertain.remove(text)
      state.sent.append(Sent(id: id, text: text, sender: sender))
      state.saved[sender] = nil
    }
  }

  /// The send came to nothing, and said so.
  func refused(_ text: String) { state.withLock { _ = $0.uncertain.remove(text) } }

  func saved(_ text: String, by user: UserID) { state.withLock { $0.saved[user] = text } }
  func saved(by user: UserID) -> String? { state.withLock { $0.saved[user] } }
  func forgetSaved(by user: UserID) { state.withLock { $0.saved[user] = nil } }
}
