import Foundation
import HoldfastCore
import HoldfastStore

/// What other processes write into a store that is shared (``StorageLocation/shared()``).
extension ChatClient {
  /// Notices their commits as they happen, for as long as the task lives.
  func followOthers() async {
    guard let lock = store.writeLock else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [environment, othersSignal, logger] in
        do {
          try await environment.watcher.watch(lock.file, raising: othersSignal)
        } catch {
          // What they write is seen on the next occasion: in the foreground, and when something is written here.
          logger.warning("commits of other processes are not told", metadata: ["error": "\(error)"])
          othersSignal.raise()
        }
      }
      group.addTask {
        while true {
          await self.othersSignal.wait()
          guard !Task.isCancelled else { return }
          await self.noticeOthers()
        }
      }
    }
  }

  /// Has everything read again, if another process has written since this was called last.
  func noticeOthers() {
    do {
      guard try store.hasOthersCommits() else { return }
      queue.followRenames()
      followDeletions()
      drafts.followOthers()
      live.willHold()
      var changes = Changes()
      changes.isForeign = true
      // Without a connection nothing leaves, and the next one visits every lane.
      if link.isConnected { changes.lanes = Set(try store.read { try $0.conversationsToSend() }) }
      store.changes.publish(changes)
      // They may have asked for a file.
      fetchesDoor.ring()
    } catch {
      logger.error("commits of other processes not read", metadata: ["error": "\(error)"])
    }
  }
}
