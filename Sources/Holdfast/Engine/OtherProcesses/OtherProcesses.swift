import HoldfastCore
import HoldfastStore

/// Follows the commits of other processes in a shared store.
final class OtherProcesses {
  private let context: EngineContext
  private let drafts: Drafts
  private let held: HeldPrompt
  private let link: Link
  private let followers: [any InboxFollower]

  private var store: Store { context.store }

  init(
    _ context: EngineContext, drafts: Drafts, held: HeldPrompt, link: Link, followers: [any InboxFollower]
  ) {
    (self.context, self.drafts, self.held) = (context, drafts, held)
    (self.link, self.followers) = (link, followers)
  }

  /// Makes everything reload if another process has written since the last call.
  func notice() {
    do {
      guard try store.hasOthersCommits() else { return }
      // Another process may have asked for a file.
      followers.follow(InboxOutcome(mayHaveAttachments: true))
      drafts.followOthers()
      held.willHold()
      var changes = Changes()
      changes.isForeign = true
      // Without a connection nothing is sent, and the next one visits every lane.
      if link.isConnected { changes.lanes = Set(try store.read { try $0.outbox.conversationsToSend() }) }
      store.changes.publish(changes)
    } catch {
      context.logger.error("commits of other processes not read", metadata: ["error": "\(error)"])
    }
  }
}
