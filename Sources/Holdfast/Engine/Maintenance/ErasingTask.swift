import HoldfastCore
import HoldfastStore
import Logging
import Synchronization

/// Erases deleted conversations once their deletion cannot be undone (rules H5, S9), a few messages at a time.
final class ErasingTask: MaintenanceTask, InboxFollower {
  /// The conversations whose deletion can be undone here. Any thread may read them.
  final class UndoableDeletions: Sendable {
    private let conversations = Mutex<[ConversationKey]>([])

    /// The last deleted conversation comes first.
    var undoable: [ConversationKey] { conversations.withLock { $0 } }

    fileprivate func set(_ id: ConversationKey, _ isUndoable: Bool) {
      conversations.withLock { conversations in
        conversations.removeAll { $0 == id }
        if isUndoable { conversations.insert(id, at: 0) }
      }
    }
  }

  /// The time in which a deletion can be undone.
  static let undoTime: Duration = .seconds(8)
  private static let messagesAtOnce = 200

  let name = Maintenance.Name.erasing
  let pause: Duration = .zero
  let patience: Duration = .seconds(10)
  let concerns: @Sendable (Changes) -> Bool = { _ in false }

  private let store: Store
  private let undoable: UndoableDeletions
  private let environment: ChatEnvironment
  private let sharedState: Maintenance.SharedState
  /// The instants at which the deletions of these conversations become final.
  private var undoEnds: [ConversationKey: ChatEnvironment.Instant] = [:]
  /// Whether something was erased that the journal still contains.
  private var hasErased = false

  init(
    _ store: Store, _ environment: ChatEnvironment, undoable: UndoableDeletions,
    sharedState: Maintenance.SharedState
  ) {
    (self.store, self.environment, self.undoable, self.sharedState) = (
      store, environment, undoable, sharedState
    )
  }

  /// Begins to erase what has been deleted permanently.
  func ring() { sharedState.ring(name) }

  /// Deletes a conversation, and starts the time in which the deletion can be undone here. It can be undone before
  /// the deletion's commit, so that a reader of the deletion sees that too.
  ///
  /// - Parameters:
  ///   - id: the conversation. Hiding may return the conversation that it was merged into.
  ///   - hide: hides the messages, and returns the conversation that they are hidden in.
  func allowUndo(
    of id: ConversationKey, _ hide: () throws(ChatError) -> ConversationKey
  ) throws(ChatError) {
    undoable.set(id, true)
    do throws(ChatError) {
      let hidden = try hide()
      if hidden != id { undoable.set(hidden, true) }
      undoEnds[hidden] = environment.uptime() + Self.undoTime
    } catch {
      undoable.set(id, false)
      throw error
    }
  }

  /// Notes that the deletion of a conversation was undone.
  func noteUndone(_ id: ConversationKey) {
    undoEnds[id] = nil
    undoable.set(id, false)
  }

  func follow(_ outcome: InboxOutcome) {
    followDeletions()
    if outcome.hasRemoved { ring() }
  }

  /// Follows the deletions of this process and of others.
  func followDeletions() {
    let marks = store.deletions.value.marks
    guard !marks.isEmpty || !undoEnds.isEmpty else { return }
    for (id, mark) in marks where !mark.isFinal && undoEnds[id] == nil {
      // Another process may show Undo, and gets more time. An earlier process has ended, and nothing shows its Undo.
      undoEnds[id] = environment.uptime() + (store.isShared ? Self.undoTime * 2 : .zero)
      sharedState.ring(name)
    }
    for id in undoEnds.keys where marks[id]?.isFinal != false {
      undoEnds[id] = nil
      undoable.set(id, false)
    }
  }

  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Maintenance.Next {
    followDeletions()
    try endUndo(at: now)
    guard let id = store.deletions.value.finalConversations.first else {
      if hasErased {
        hasErased = false
        store.emptyJournal(environment.logger)
        sharedState.ring(.indexing)
      }
      return undoEnds.values.min().map { .at($0) } ?? .whenRung
    }
    hasErased = true
    // A power cut may revert these deletions. The messages are then erased again.
    _ = try store.writeUnsynced { try $0.deletions.eraseSome(of: id, limit: Self.messagesAtOnce) }
    return .at(now + Self.yieldInterval)
  }

  /// Makes the deletions final whose time for Undo is over.
  private func endUndo(at now: ChatEnvironment.Instant) throws(ChatError) {
    let over = undoEnds.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
    guard !over.isEmpty else { return }
    try store.write { transaction in
      for id in over { try transaction.deletions.finish(of: id) }
    }
    followDeletions()
    store.changes.publish(Changes(list: true))
  }
}
