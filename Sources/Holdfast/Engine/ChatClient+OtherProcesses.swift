import Foundation
import HoldfastCore
import HoldfastStore

/// Changes that other processes write into a shared store (``StorageLocation/shared()``).
extension ChatClient {
  /// Notices the commits of other processes as they happen, for as long as the task lives.
  func followOthers() async {
    await CommitWatch(store, environment, signal: othersSignal).run { await self.noticeOthers() }
  }

  /// Lets everything be read again if another process has written since the last call.
  func noticeOthers() {
    do {
      guard try store.hasOthersCommits() else { return }
      queue.followJoins()
      followDeletions()
      drafts.followOthers()
      live.willHold()
      var changes = Changes()
      changes.isForeign = true
      // Without a connection nothing leaves, and the next one visits every lane.
      if link.isConnected { changes.lanes = Set(try store.read { try $0.outbox.conversationsToSend() }) }
      store.changes.publish(changes)
      // Another process may have asked for a file.
      fetchesDoor.ring()
    } catch {
      logger.error("commits of other processes not read", metadata: ["error": "\(error)"])
    }
  }
}
