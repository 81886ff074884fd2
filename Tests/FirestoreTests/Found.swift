#if Firestore
  import Holdfast
  import HoldfastTransport
  import Synchronization

  /// What a connection has reported.
  final class Found: Sendable {
    private struct State {
      var ids: [MessageID] = []
      var cursor: SyncCursor?
    }
    private let state = Mutex(State())

    var ids: [MessageID] { state.withLock(\.ids) }
    var cursor: SyncCursor? { state.withLock(\.cursor) }

    func add(_ id: MessageID) { state.withLock { $0.ids.append(id) } }
    func place(_ cursor: SyncCursor) { state.withLock { $0.cursor = cursor } }
    /// Whether a message has come, and a place behind it.
    func isDone(_ last: MessageID) -> Bool { state.withLock { $0.ids.contains(last) && $0.cursor != nil } }
  }
#endif
