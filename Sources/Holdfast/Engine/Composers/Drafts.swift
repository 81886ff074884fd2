import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// All composers' contents, shared by every window of the process, and their way to the store.
///
/// The lock is held while a draft is written, so that a save and a send of the same text cannot pass each
/// other: an autosave that was about to happen can never bring back a text that has just been sent.
package final class Drafts: Saving {
  package let storage: DraftStorage
  /// Raised when a draft becomes due sooner than the loop that saves knows.
  let wake: Signal
  package let table: Mutex<DraftTable>
  /// How often all drafts were cleared. A discarded draft of an earlier count does not come back.
  let clearings = Atomic(0)
  /// A draft larger than this is refused, and stays in the composer.
  package static let maximumBytes = 8 << 20

  package var store: Store { storage.store }
  package var environment: ChatEnvironment { storage.environment }
  /// The ID of this launch of the app.
  package var session: String { storage.session }

  package init(
    store: Store, environment: ChatEnvironment,
    intervals: ChatConfiguration.SaveIntervals = ChatConfiguration.SaveIntervals(), wake: Signal = Signal(),
    conversationOwner: UserID? = nil
  ) {
    storage = DraftStorage(
      store: store, environment: environment, session: environment.makeID(),
      conversationOwner: conversationOwner, intervals: intervals)
    self.wake = wake
    table = Mutex(DraftTable(storage, wake: wake))
  }

  /// What the composer shows: the stored draft the first time, what was typed since then.
  package func open(_ key: DraftKey, by composer: ComposerID? = nil) -> DraftEntry {
    table.withLock { table in
      let key = table.current(key)
      table.load(key)
      if composer != nil { table.noteRestore(of: key) }
      return table.entries[key] ?? storage.unloaded
    }
  }

  /// A keystroke. It is stored a pause later, by ``run()``.
  ///
  /// - Parameters:
  ///   - writer: the composer that it was typed into.
  ///   - base: the number of the text that it was made on. Nil: the newest.
  @discardableResult
  package func edit(
    _ key: DraftKey, _ typed: DraftContent, by writer: ComposerID? = nil, basedOn base: Int? = nil
  ) -> DraftEntry {
    var content = typed
    content.text = typed.text.storable
    let (entry, hasChanged, isSooner) = table.withLock { table -> (DraftEntry?, Bool, Bool) in
      let key = table.current(key)
      let hasChanged = table.apply(content, to: key, by: writer, basedOn: base)
      let entry = table.entries[key]
      return (entry, hasChanged, table.isSoonerThanAwaited(entry?.buffer.deadline))
    }
    if isSooner { wake.raise() }
    // Another window on the same draft follows.
    if hasChanged { announce(key) }
    return entry ?? storage.unloaded
  }

  /// Stores what is unsaved, now. When it returns, it is on disk (SPEC D4).
  package func save(_ key: DraftKey) throws(ChatError) {
    store.lookForRenames()
    let result = table.withLock { table -> Result<Void, ChatError> in
      let key = table.current(key)
      table.load(key)
      return table.write(key)
    }
    // A composer that did not ask shows the problem too.
    if case .failure = result { announce(key) }
    try result.get()
  }

  func saveAll() throws(ChatError) {
    store.lookForRenames()
    let results = table.withLock { table in
      table.adoptRenames()
      let results = Self.ordered(table.entries.keys).map { key in
        table.load(key)
        return (key: key, result: table.write(key))
      }
      table.evict()
      return results
    }
    for case (let key, .failure) in results { announce(key) }
    storeCounts()
    for (_, result) in results { try result.get() }
  }

  /// The key of the draft under its conversation's present ID (SPEC D15).
  package func current(_ key: DraftKey) -> DraftKey { storage.current(key) }

  /// In an order that is the same in every run.
  package static func ordered(_ keys: some Collection<DraftKey>) -> [DraftKey] {
    keys.sorted {
      ($0.conversation.rawValue, $0.slot.rawValue) < ($1.conversation.rawValue, $1.slot.rawValue)
    }
  }

  package func announce(_ key: DraftKey) { storage.announce(key) }

  /// Writes what is due, and says when to look again. Nil: when something is typed.
  func saveDue(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    store.lookForRenames()
    let (failed, deadline) = table.withLock { table in
      table.adoptRenames()
      var failed: [DraftKey] = []
      for key in Self.ordered(table.entries.keys) {
        guard table.entries[key]?.buffer.action(now: now) == .write else { continue }
        table.load(key)
        if case .failure = table.write(key) { failed.append(key) }
      }
      table.evict()
      let deadline = table.entries.values.compactMap(\.buffer.deadline).min()
      table.awaited = deadline
      return (failed, deadline)
    }
    for key in failed { announce(key) }
    storeCounts()
    return deadline
  }

  /// A composer comes on the screen.
  func join(_ conversation: ConversationID) -> ComposerID { table.withLock { $0.join(conversation) } }

  /// A composer leaves the screen.
  package func leave(_ conversation: ConversationID, _ composer: ComposerID) {
    table.withLock { $0.leave(conversation, composer) }
  }

  /// Loads drafts from the same snapshot of the store as whatever else `read` gives. No save of this process lies between
  /// the two.
  func loading<Value: Sendable>(
    _ read: () throws(ChatError) -> (Value, [DraftKey: KeptDraft])
  ) throws(ChatError) -> Value {
    let result = table.withLock { table -> Result<Value, ChatError> in
      table.adoptRenames()
      do throws(ChatError) {
        let (value, drafts) = try read()
        for key in Self.ordered(drafts.keys) {
          if let draft = drafts[key] { table.install(draft, as: key) }
        }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The store can be used again: the next try to save or load does not wait for its time.
  package func goOn() {
    let keys = table.withLock { table in
      for key in table.entries.keys {
        table.entries[key]?.buffer.mayTryAgain()
        switch table.entries[key]?.problem?.code {
        case ChatError.Code.suspended?, ChatError.Code.storageLocked?: table.entries[key]?.problem = nil
        default: break
        }
      }
      return Self.ordered(table.entries.keys)
    }
    for key in keys { announce(key) }
    wake.raise()
  }

  /// Forgets everything that was typed.
  func forgetAll() { table.withLock { $0.entries = [:] } }
}

extension ChatError {
  /// The text cannot be sent as it is, wherever it is stored.
  var isAboutText: Bool { code == .emptyMessage || code == .messageTooLong }
}
