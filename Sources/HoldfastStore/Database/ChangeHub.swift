import HoldfastCore
import Synchronization

/// The changes of one transaction, for the observers that show them.
package struct Changes: Sendable {
  /// Conversations whose timeline has changed.
  package var timelines: Set<ConversationKey> = []
  /// Messages of a timeline that have come, changed or gone, where the rest of the timeline is as it was.
  package var rows: [ConversationKey: Set<MessageID>] = [:]
  /// Conversations with something new to send.
  package var lanes: Set<ConversationKey> = []
  package var drafts: Set<ConversationKey> = []
  /// The list of conversations has changed, or what it shows of them.
  package var list = false
  /// The number of waiting messages has changed.
  package var outbox = false
  /// An own message was delivered or has failed. The app is notified.
  package var deliveries = false
  /// More messages were delivered since the launch, and are counted. Published after the transaction, like `link`.
  package var delivered = false
  /// The link to the server has changed. No transaction changes the link; the change is published the same way.
  package var link = false
  /// The reason why messages wait, or the time of their next attempt, has changed in all conversations. Both follow
  /// from the phase of the link. Published like `link`.
  package var status = false
  /// Conversations whose lane has changed: the messages in flight, and the messages that wait and until when.
  /// Published like `link`.
  package var statuses: Set<ConversationKey> = []
  /// Replies whose text in memory has grown, and their conversations. Nothing else about them has changed, and
  /// nothing was written to disk. Published like `link`.
  package var grown: [MessageID: ConversationKey] = [:]
  /// This user's read mark has moved, and the server has to be notified.
  package var readMarks = false
  /// The number of messages in the search index has changed.
  package var index = false
  /// The places of all windows were cleared, or one could not be stored.
  package var scenes = false
  /// Another process has written. Anything may differ, and all observers read again.
  package var isForeign = false
  /// An attachment has lost a reference, and perhaps its last one.
  package var unusedAttachments = false
  /// The text of a message was deleted, and must be gone from the journal too (rule S9).
  var deletedTexts = false
  /// The journal could not be emptied of deleted data. No transaction changes this flag; it is published like
  /// `link`.
  package var journal = false
  /// A text was deleted, and another part of the engine removes it from the journal. The store must be compacted.
  package var remnants = false

  package init(
    timelines: Set<ConversationKey> = [], lanes: Set<ConversationKey> = [], drafts: Set<ConversationKey> = [],
    list: Bool = false, outbox: Bool = false, deliveries: Bool = false, delivered: Bool = false,
    link: Bool = false,
    status: Bool = false,
    statuses: Set<ConversationKey> = [], grown: [MessageID: ConversationKey] = [:], index: Bool = false,
    scenes: Bool = false, isForeign: Bool = false,
    unusedAttachments: Bool = false,
    deletedTexts: Bool = false, journal: Bool = false, remnants: Bool = false
  ) {
    self.timelines = timelines
    self.lanes = lanes
    self.drafts = drafts
    self.list = list
    self.outbox = outbox
    self.deliveries = deliveries
    self.delivered = delivered
    self.link = link
    self.status = status
    self.statuses = statuses
    self.grown = grown
    self.index = index
    self.scenes = scenes
    self.isForeign = isForeign
    self.unusedAttachments = unusedAttachments
    self.deletedTexts = deletedTexts
    self.journal = journal
    self.remnants = remnants
  }
}

/// Announcements of the row functions, one per kind of change. New messages to send are also announced in `lanes`.
extension Changes {
  /// Whether anything has changed in a timeline.
  package var concernsTimelines: Bool { !timelines.isEmpty || !rows.isEmpty }

  /// A message was inserted or changed, and nothing else of its timeline. The list shows the newest message of each
  /// conversation.
  mutating func noteMessage(_ id: MessageID, in conversation: ConversationKey) {
    rows[conversation, default: []].insert(id)
    list = true
  }

  /// A message was put into the outbox or taken out of it. The list shows the number of unsent messages.
  mutating func noteEntry(_ id: MessageID, in conversation: ConversationKey) {
    noteMessage(id, in: conversation)
    outbox = true
  }

  /// A message was inserted, changed or deleted. The list shows the newest message of each conversation.
  mutating func noteMessage(in conversation: ConversationKey) {
    timelines.insert(conversation)
    list = true
  }

  /// An entry of the outbox was inserted, changed or deleted. The list shows the number of unsent messages.
  mutating func noteEntry(in conversation: ConversationKey) {
    noteMessage(in: conversation)
    outbox = true
  }

  /// A draft was inserted, changed or deleted. The list shows the beginning of each draft.
  mutating func noteDraft(in conversation: ConversationKey) {
    drafts.insert(conversation)
    list = true
  }

  /// Whether the status of a message may have changed. Changes of timelines include uploads and messages that are
  /// being written.
  package var concernsStatuses: Bool {
    status || !statuses.isEmpty || link || outbox || concernsTimelines
  }

  /// The title or the members of a conversation have changed, or the conversation is new.
  mutating func noteConversation(_ id: ConversationKey) {
    timelines.insert(id)
    list = true
  }
}

/// Notifies observers of the changes of each commit. A notification carries no values: an observer reads the store
/// again, so a late observer misses only intermediate states.
///
/// GRDB's `ValueObservation` is not used. Its fetch goes through its own queue, so a seeded run could not be
/// repeated, and its immediate scheduling traps on Linux. Triggers and the update hook cost a call for each row, and
/// give a row ID where a conversation is needed.
package final class ChangeHub: Sendable {
  struct Subscription: Sendable {
    let notify: @Sendable () -> Void
    let concerns: @Sendable (Changes) -> Bool
  }

  private struct State {
    var next = 0
    var subscriptions: [Int: Subscription] = [:]
  }
  private let state = Mutex(State())

  package func subscribe(_ signal: Signal, to concerns: @escaping @Sendable (Changes) -> Bool) -> Int {
    subscribe({ signal.raise() }, to: concerns)
  }

  /// Calls `notify` after each commit that concerns the observer, on the thread of the commit.
  package func subscribe(
    _ notify: @escaping @Sendable () -> Void, to concerns: @escaping @Sendable (Changes) -> Bool
  ) -> Int {
    state.withLock { state in
      state.next += 1
      state.subscriptions[state.next] = Subscription(notify: notify, concerns: concerns)
      return state.next
    }
  }

  /// Inserts into `lanes` the conversations that have something new to send after a commit. The subscription lasts
  /// as long as the store is open.
  package func subscribe(_ lanes: ReadyQueue, raising signal: Signal) {
    _ = subscribe(signal) { changes in
      guard !changes.lanes.isEmpty else { return false }
      lanes.insert(changes.lanes.sorted { $0.rawValue < $1.rawValue })
      return true
    }
  }

  package func unsubscribe(_ id: Int) {
    state.withLock { _ = $0.subscriptions.removeValue(forKey: id) }
  }

  package func publish(_ changes: Changes) {
    // In the order of subscription, so that a seeded run wakes observers in the same order each time.
    let concerned = state.withLock { state in
      state.subscriptions.sorted { $0.key < $1.key }.filter {
        $0.value.concerns(changes) || changes.isForeign
      }
    }
    for (_, subscription) in concerned { subscription.notify() }
  }
}
