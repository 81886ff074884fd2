import HoldfastCore
import HoldfastStore
import Logging

/// Erases deleted conversations once their deletion cannot be undone (SPEC H5, S9), a few messages at a time.
final class ErasingChore: Chore {
  /// The time in which a deletion can be undone.
  static let undoTime: Duration = .seconds(8)
  private static let messagesAtOnce = 200

  let name = Chores.Name.erasing
  let pause: Duration = .zero
  let patience: Duration = .seconds(10)
  let concerns: @Sendable (Changes) -> Bool = { _ in false }

  private let store: Store
  private let live: LiveState
  private let environment: ChatEnvironment
  private let door: Chores.Door
  /// The instants at which the deletions of these conversations become final.
  private var undoEnds: [ConversationKey: ChatEnvironment.Instant] = [:]
  /// Whether something was erased that the journal still contains.
  private var hasErased = false

  init(_ store: Store, _ live: LiveState, _ environment: ChatEnvironment, door: Chores.Door) {
    (self.store, self.live, self.environment, self.door) = (store, live, environment, door)
  }

  /// Starts the time in which the deletion of a conversation can be undone here.
  /// Begins to erase what has been deleted for good.
  func ring() { door.ring(name) }

  func offerUndo(of id: ConversationKey) { undoEnds[id] = environment.uptime() + Self.undoTime }

  /// Notes that the deletion of a conversation was undone.
  func noteUndone(_ id: ConversationKey) { undoEnds[id] = nil }

  /// Follows the deletions of this process and of others.
  func followDeletions() {
    let marks = store.deletions.value.marks
    guard !marks.isEmpty || !undoEnds.isEmpty else { return }
    for (id, mark) in marks where !mark.isFinal && undoEnds[id] == nil {
      // Another process may offer the Undo, and gets more time. An earlier process has ended, and nothing offers its
      // Undo.
      undoEnds[id] = environment.uptime() + (store.isShared ? Self.undoTime * 2 : .zero)
      door.ring(name)
    }
    for id in undoEnds.keys where marks[id]?.isFinal != false {
      undoEnds[id] = nil
      live.set(undoable: id, false)
    }
  }

  func step(at now: ChatEnvironment.Instant) throws(ChatError) -> Chores.Next {
    followDeletions()
    try endUndo(at: now)
    guard let id = store.deletions.value.finalConversations.first else {
      if hasErased {
        hasErased = false
        store.emptyJournal(environment.logger)
        door.ring(.indexing)
      }
      return undoEnds.values.min().map { .at($0) } ?? .whenRung
    }
    hasErased = true
    // A power cut may take these deletions back. The messages are then erased again.
    _ = try store.writeUnsynced { try $0.deletions.eraseSome(of: id, limit: Self.messagesAtOnce) }
    return .at(now + Self.breath)
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
