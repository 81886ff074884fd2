import HoldfastCore
import HoldfastStore
import Synchronization

/// A store that fails on request: at its commits, as on a full disk, or at its opening, as on a locked device. It is
/// passed to a client as its gate.
package final class FailingGate: Sendable {
  private let failure = Mutex<ChatError?>(nil)
  private let isLocked = Mutex(false)
  private let count = Atomic(0)

  /// The number of successful commits.
  package var commits: Int { count.load(ordering: .relaxed) }

  package init() {}

  package var gate: CommitGate {
    CommitGate(willOpen: willOpen, willCommit: willCommit, didCommit: didCommit)
  }

  /// Fails all commits from now on.
  package func fail(with error: ChatError = ChatError(.storageFull, "The disk is full.")) {
    failure.withLock { $0 = error }
  }

  /// Lets commits succeed again.
  package func heal() { failure.withLock { $0 = nil } }

  /// Sets whether the store can be opened from now on.
  package func lock(_ isLocked: Bool) { self.isLocked.withLock { $0 = isLocked } }

  private func willOpen() throws {
    if isLocked.withLock({ $0 }) { throw ChatError.locked }
  }

  private func willCommit() throws {
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func didCommit() throws { count.add(1, ordering: .relaxed) }
}
