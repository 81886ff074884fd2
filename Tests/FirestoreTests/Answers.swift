#if Firestore
  import Holdfast
  import HoldfastTransport
  import Synchronization

  /// The answers of a connection to messages.
  final class Answers: Sendable {
    private struct State {
      var receipts: [Receipt] = []
      var refusals: [(id: MessageID, refusal: Refusal)] = []
      var isCurrent = false
    }
    private let state = Mutex(State())

    var receipts: [Receipt] { state.withLock(\.receipts) }
    var refusals: [(id: MessageID, refusal: Refusal)] { state.withLock(\.refusals) }
    /// Whether everything that there was has been delivered.
    var isCurrent: Bool { state.withLock(\.isCurrent) }
    var count: Int { state.withLock { $0.receipts.count + $0.refusals.count } }

    func add(_ event: TransportEvent) {
      state.withLock { state in
        switch event {
        case .receipts(let receipts): state.receipts += receipts
        case .refused(let id, _, let refusal): state.refusals.append((id, refusal))
        case .items(_, let cursor): state.isCurrent = state.isCurrent || cursor != nil
        case .ready, .piece: break
        }
      }
    }
  }
#endif
