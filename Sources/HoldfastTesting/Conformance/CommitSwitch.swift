import HoldfastCore
import Synchronization

/// The commits of a process that ends without notice. Once it is off, no transaction is committed.
package final class CommitSwitch: Sendable {
  private struct Ended: Error {}
  private let isOff = Mutex(false)

  package init() {}

  package var isOn: Bool { isOff.withLock { !$0 } }

  package var gate: CommitGate { CommitGate(willCommit: require, didCommit: require) }

  /// Returns whether it was on.
  @discardableResult package func turnOff() -> Bool {
    isOff.withLock { isOff in
      defer { isOff = true }
      return !isOff
    }
  }

  /// - Throws: an error of its own once it is off.
  package func require() throws { if !isOn { throw Ended() } }
}
