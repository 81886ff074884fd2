import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Whether waiting a little longer brings something: messages leave over a link that is there or is being made, or a
  /// reply is written here. An outbox that cannot be read has nothing to wait for.
  func isBusy() -> Bool {
    guard isWorking else { return false }
    if !replies.openMessages.isEmpty { return true }
    guard live.link == .online || live.link == .reconnecting else { return false }
    return (try? queueCounts())?.leaving ?? 0 > 0
  }

  /// The number of queued messages, and of those that leave by themselves.
  nonisolated func queueCounts() throws(ChatError) -> (waiting: Int, leaving: Int) {
    let behindFailed = configuration.retry.behindFailed
    return try store.read { db in
      let waiting = try db.outbox.queuedCount()
      return (waiting, try db.outbox.leavingCount(ofWaiting: waiting, behindFailed: behindFailed))
    }
  }
}
