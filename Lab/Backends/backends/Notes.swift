#if Firestore
  import Holdfast
  import Synchronization

  /// The messages that a phone has sent.
  final class Notes: Sendable {
    private let ids = Mutex<[MessageID]>([])
    var all: [MessageID] { ids.withLock { $0 } }
    func add(_ id: MessageID) { ids.withLock { $0.append(id) } }
  }
#endif
