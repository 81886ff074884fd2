import HoldfastCore
import Synchronization

/// What has changed since an observer has looked. A reply that has grown is told apart: its row can be changed without a
/// reading of the store.
package final class PendingChanges: Sendable {
  package struct Pending: Sendable, Equatable {
    /// Whether the store must be read.
    package var mustRead = false
    package var grown: Set<MessageID> = []

    package var isEmpty: Bool { !mustRead && grown.isEmpty }
  }
  private let state = Mutex(Pending())

  package init() {}

  /// Returns whether there is something to look at.
  package func note(mustRead: Bool, grown: Set<MessageID>) -> Bool {
    guard mustRead || !grown.isEmpty else { return false }
    state.withLock { pending in
      pending.mustRead = pending.mustRead || mustRead
      pending.grown.formUnion(grown)
    }
    return true
  }

  package func drain() -> Pending {
    state.withLock { pending in
      defer { pending = Pending() }
      return pending
    }
  }
}
