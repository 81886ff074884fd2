import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Whether waiting a little longer brings something: messages leave over a link that is there or is being made, or a
  /// reply is written here. An outbox that cannot be read has nothing to wait for.
  func isBusy() -> Bool {
    guard isWorking else { return false }
    if !replies.openMessages.isEmpty { return true }
    guard live.link == .online || live.link == .reconnecting else { return false }
    let behindFailed = configuration.retry.behindFailed
    let leaving = try? store.read {
      try $0.leavingCount(ofWaiting: try $0.queuedCount(), behindFailed: behindFailed)
    }
    return leaving ?? 0 > 0
  }
}
