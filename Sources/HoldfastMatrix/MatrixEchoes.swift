import HoldfastCore
import HoldfastTransport
import Synchronization

/// What this connection has received of the account's own messages, and whether it has received everything up to now.
final class MatrixEchoes: Sendable {
  private struct State {
    /// The events of this account's messages, by the engine's ID and the room.
    var own: [MessageID: [String: MatrixEvent]] = [:]
    /// The message in front of an event that is no message, by that event. The oldest is in front.
    var carriers: [String: String] = [:]
    var order: [String] = []
    /// The newest edits that were received. The oldest is in front.
    var edits: [MatrixPlace.Edit]
    var isCaughtUp = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// Read marks are at recent events.
  private static let most = 1_000
  /// An edit is taken back soon, and each place that is stored has them.
  private static let mostEdits = 200

  private let state: Mutex<State>

  /// - Parameter edits: those that the last place has.
  init(edits: [MatrixPlace.Edit]) { state = Mutex(State(edits: edits)) }

  func note(_ events: [MatrixEvent], of account: UserID, in room: String) {
    state.withLock { state in
      var last: String?
      for event in events {
        if let id = event.ownID(of: account, in: room), state.own[id]?[room] == nil {
          state.own[id, default: [:]][room] = event
        }
        if case .message = event.kind {
          last = event.id
        } else if let last {
          state.carriers[event.id] = last
          state.order.append(event.id)
        }
      }
      let rest = max(0, state.order.count - Self.most)
      for event in state.order.prefix(rest) { state.carriers[event] = nil }
      state.order.removeFirst(rest)
    }
  }

  /// The event of a message of this account.
  ///
  /// - Parameter room: its room. Nil when that is not known: the first event is the message then.
  func event(of id: MessageID, in room: String?) -> MatrixEvent? {
    let rooms = state.withLock { $0.own[id] }
    guard let room else { return rooms?.values.min { ($0.time, $0.id) < ($1.time, $1.id) } }
    return rooms?[room]
  }

  /// The newest edits that this device has received, the oldest in front.
  var edits: [MatrixPlace.Edit] { state.withLock(\.edits) }

  func note(_ edits: [MatrixPlace.Edit]) {
    state.withLock { state in
      let new = edits.filter { edit in !state.edits.contains { $0.id == edit.id } }
      state.edits = (state.edits + new).suffix(Self.mostEdits)
    }
  }

  /// The message that was read, when somebody has read up to an event. Other clients mark an edit or a reaction, too.
  func message(at event: String) -> String { state.withLock { $0.carriers[event] ?? event } }

  /// Everything has been received that there was when the connection began.
  func caughtUp() {
    let waiting = state.withLock { state in
      state.isCaughtUp = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  func untilCaughtUp() async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isDone = state.withLock { state in
          if !state.isCaughtUp, !Task.isCancelled { state.waiting.append(waiter) }
          return state.isCaughtUp || Task.isCancelled
        }
        if isDone { waiter.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      for waiter in waiting { waiter.resume() }
    }
    try Task.checkCancellation()
    // Another waiter was cancelled.
    if !state.withLock({ $0.isCaughtUp }) { try await untilCaughtUp() }
  }
}
