import Synchronization
import HoldfastCore

/// What one transaction changed, for those who show it.
package struct Changes: Sendable {
  /// Conversations whose timeline differs now.
  package var timelines: Set<ConversationID> = []
  /// Conversations with something new to send.
  package var lanes: Set<ConversationID> = []
  package var drafts: Set<ConversationID> = []
  /// The list of conversations, or what it shows of them.
  package var list = false
  /// How many messages wait.
  package var outbox = false
  /// The way to the server. No transaction changes it; it is told the same way.
  package var link = false
  /// Why messages have not gone, or when they are tried next: the phase of the link, and what is in the lanes. Told
  /// like the link.
  package var standing = false
  /// How many messages the search has read.
  package var index = false
  /// The places of all windows were cleared, or one could not be stored.
  package var scenes = false
  /// Another process has written: anything may differ, and everybody reads again.
  package var isForeign = false
  /// Something does not refer to an attachment any more: perhaps nothing does.
  package var unusedAttachments = false
  /// The text of a message was deleted: it is to be gone from the journal too (SPEC S9).
  var deletedTexts = false
  /// The same of one that somebody else takes out of the journal: the store is to be compacted.
  package var remnants = false

  package init(
    timelines: Set<ConversationID> = [], lanes: Set<ConversationID> = [], drafts: Set<ConversationID> = [],
    list: Bool = false, outbox: Bool = false, link: Bool = false, standing: Bool = false, index: Bool = false,
    scenes: Bool = false, isForeign: Bool = false, unusedAttachments: Bool = false,
    deletedTexts: Bool = false, remnants: Bool = false
  ) {
    self.timelines = timelines
    self.lanes = lanes
    self.drafts = drafts
    self.list = list
    self.outbox = outbox
    self.link = link
    self.standing = standing
    self.index = index
    self.scenes = scenes
    self.isForeign = isForeign
    self.unusedAttachments = unusedAttachments
    self.deletedTexts = deletedTexts
    self.remnants = remnants
  }

}

/// Tells observers what a commit changed. It carries no values: an observer reads the store again, so that
/// one who is late misses nothing but intermediate states.
package final class ChangeHub: Sendable {
  struct Subscription: Sendable {
    let signal: Signal
    let concerns: @Sendable (Changes) -> Bool
  }

  private struct State {
    var next = 0
    var subscriptions: [Int: Subscription] = [:]
  }
  private let state = Mutex(State())

  package func subscribe(_ signal: Signal, to concerns: @escaping @Sendable (Changes) -> Bool) -> Int {
    state.withLock { state in
      state.next += 1
      state.subscriptions[state.next] = Subscription(signal: signal, concerns: concerns)
      return state.next
    }
  }

  /// Marks the lanes that a commit gives something to send, for as long as the store is open.
  package func subscribe(_ lanes: LanesToVisit, raising signal: Signal) {
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
    for (_, subscription) in concerned { subscription.signal.raise() }
  }
}
