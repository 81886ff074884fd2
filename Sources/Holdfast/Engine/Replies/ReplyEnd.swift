import HoldfastCore
import Synchronization

/// The end of a message that is written here. One task waits for it, and is notified whichever part of the engine
/// ends the message.
final class ReplyEnd: Sendable {
  private let signal = Signal()
  private let reached = Mutex<ReplyEnding?>(nil)

  /// The way in which the message ended. Nil while it is being written.
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
