import HoldfastCore
import HoldfastStore

/// Follows what other processes have stored in a shared store.
final class OtherProcesses {
  private let context: EngineContext
  private let outbox: Outbox
  private let deletions: Deletions
  private let drafts: Drafts
  private let link: Link
  private let fetches: Fetches.Door

  private var store: Store { context.store }

  init(
    _ context: EngineContext, outbox: Outbox, deletions: Deletions, drafts: Drafts, link: Link,
    fetches: Fetches.Door
  ) {
    (self.context, self.outbox, self.deletions) = (context, outbox, deletions)
    (self.drafts, self.link, self.fetches) = (drafts, link, fetches)
  }

  /// Lets everything be read again if another process has written since the last call.
  func notice() {
    do {
      guard try store.hasOthersCommits() else { return }
      outbox.followJoins()
      deletions.follow()
      drafts.followOthers()
      context.live.willHold()
      var changes = Changes()
      changes.isForeign = true
      // Without a connection nothing leaves, and the next one visits every lane.
      if link.isConnected { changes.lanes = Set(try store.read { try $0.outbox.conversationsToSend() }) }
      store.changes.publish(changes)
      // Another process may have asked for a file.
      fetches.ring()
    } catch {
      context.logger.error("commits of other processes not read", metadata: ["error": "\(error)"])
    }
  }
}
