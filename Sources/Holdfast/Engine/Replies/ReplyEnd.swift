import HoldfastCore
import Synchronization

/// The end of a message that is written here, for one task that waits for it: whoever ends the message, the task hears of it.
final class ReplyEnd: Sendable {
  private let signal = Signal()
  private let reached = Mutex<ReplyEnding?>(nil)

  /// How the message ended. Nil while it is being written.
  var ending: ReplyEnding? { reached.withLock { $0 } }

  func reach(_ ending: ReplyEnding) {
    reached.withLock { $0 = ending }
    signal.raise()
  }

  /// Returns when the message has ended, or when the task is cancelled.
  func wait() async {
    guard ending == nil else { return }
    await signal.wait()
  }
}
