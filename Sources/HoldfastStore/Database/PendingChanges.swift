import HoldfastCore
import Synchronization

/// The changes of one displayed item since its observer last read it.
package final class PendingChanges: Sendable {
  package struct Pending: Sendable, Equatable {
    /// Whether the whole item must be read again.
    package var mustRead = false
    /// Messages that have come, changed or gone.
    package var rows: Set<MessageID> = []
    /// Whether the status of unsent messages may have changed.
    package var statuses = false
    /// Replies whose text has grown.
    package var grown: Set<MessageID> = []

    package init(
      mustRead: Bool = false, rows: Set<MessageID> = [], statuses: Bool = false, grown: Set<MessageID> = []
    ) {
      (self.mustRead, self.rows, self.statuses, self.grown) = (mustRead, rows, statuses, grown)
    }

    package var isEmpty: Bool { self == Pending() }
    /// Whether replies have grown and nothing else has changed.
    package var isGrowth: Bool { !grown.isEmpty && self == Pending(grown: grown) }
  }
  private let state = Mutex(Pending())

  package init() {}

  /// Returns whether there is something to read.
  package func note(_ changes: Pending) -> Bool {
    guard !changes.isEmpty else { return false }
    state.withLock { pending in
      pending = Pending(
        mustRead: pending.mustRead || changes.mustRead, rows: pending.rows.union(changes.rows),
        statuses: pending.statuses || changes.statuses, grown: pending.grown.union(changes.grown))
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
