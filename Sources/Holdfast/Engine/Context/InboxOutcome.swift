import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// A part that is notified of each commit of the inbox, and of those of other processes.
protocol InboxFollower: AnyObject {
  /// The commit is done. Conversations may have been merged or deleted in it.
  func follow(_ outcome: InboxOutcome)
}

extension [any InboxFollower] {
  func follow(_ outcome: InboxOutcome) { for follower in self { follower.follow(outcome) } }
}

/// The outcome of an event of the server, or of the commits of another process.
struct InboxOutcome {
  var confirmed: [(conversation: ConversationKey, id: MessageID)] = []
  /// Own messages that the server has.
  var delivered: [MessageID] = []
  /// Messages whose pieces were arriving.
  var finished: [MessageID] = []
  /// Messages that were deleted elsewhere. A new answer in place of one may be under way.
  var deleted: [MessageID] = []
  /// Conversations with a change of a message that is not here. Nothing of it was stored.
  var skipped: Set<ConversationKey> = []
  /// A conversation that was removed on the server was deleted here.
  var hasRemoved = false
  /// There may be a file to fetch.
  var mayHaveAttachments = false
  var isNew = false
  var isRefused = false

  mutating func note(
    _ decision: Reconciler.Decision, _ message: IncomingMessage, in conversation: ConversationKey
  ) {
    switch decision {
    case .confirm:
      confirmed.append((conversation, message.id))
      delivered.append(message.id)
    case .finish:
      confirmed.append((conversation, message.id))
      finished.append(message.id)
    case .replace: finished.append(message.id)
    case .insert: isNew = true
    case .refuse: isRefused = true
    case .update: if message.deletedAt != nil { deleted.append(message.id) }
    case .ignore: break
    }
  }
}
