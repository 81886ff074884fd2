import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// The contents of all composers, shared by every window of the process. Loads them from the store, and saves them
/// there.
///
/// ```
///   empty ── typing ──► typed ── 700 ms, 10 s, hardSave, the last composer goes ──► stored ─ sent, discarded ─► empty
///                         │ the app is killed                                         │ the app is killed
///                         ▼                                                           ▼
///             what was typed since the last save is lost               read when its conversation is opened again:
///                                                                      the text, its cursor, its files, and a banner
///                                                                      that says so once
/// ```
///
/// A send is one transaction with the deletion of the draft: a kill leaves the draft or the message, and never both.
///
/// The lock is held while a draft is written, so that a save and a send of the same text cannot overlap. A pending
/// autosave can therefore never bring back a text that has just been sent.
package final class Drafts: Saving {
  package let storage: DraftStorage
  /// Raised when a draft becomes due sooner than the saving loop expects.
  let wake: Signal
  package let table: Mutex<DraftTable>
  /// The number of times that all drafts were cleared. A draft that was discarded at a lower count does not come back.
  let clearings = Atomic(0)
  /// The largest size of a stored text, in UTF-8 bytes. A larger draft is refused, and stays in the composer.
  package static let maximumBytes = 8 << 20

  package var store: Store { storage.store }
  package var environment: ChatEnvironment { storage.environment }
  /// The ID of this launch of the app.
  package var session: String { storage.session }

  package init(
    store: Store, environment: ChatEnvironment,
    intervals: ChatConfiguration.SaveIntervals = ChatConfiguration.SaveIntervals(), wake: Signal = Signal(),
    session: String? = nil, conversationOwner: UserID? = nil
  ) {
    storage = DraftStorage(
      store: store, environment: environment, session: session ?? environment.makeID(),
      conversationOwner: conversationOwner, intervals: intervals)
    self.wake = wake
    table = Mutex(DraftTable(storage, wake: wake))
  }

  /// The draft: the stored content the first time, and the typed content after that.
  package func open(_ key: DraftKey) -> DraftEntry { withDraft(key) { $0.open($1) } }

  /// Applies an edit to the newest text.
  @discardableResult
  package func edit(_ key: DraftKey, _ typed: DraftContent) -> DraftEntry {
    withDraft(key) { table, key in
      table.apply(typed, to: key)
      return table[key] ?? storage.unloaded
    }
  }

  /// Changes a draft that is in memory or is read now. The lock is held meanwhile: at every moment there is at most
  /// one change. The composers of the draft are notified, also of a change that has failed.
  ///
  /// - Parameter body: gets the table, the draft's key under its conversation's present ID, and the draft.
  /// - Throws: ``ChatError`` with code `storageBusy` when the draft cannot be read, or what `body` throws.
  package func changing<Value: Sendable>(
    _ key: DraftKey, _ body: (inout DraftTable, DraftKey, DraftEntry) throws(ChatError) -> Value
  ) throws(ChatError) -> Value {
    defer { announce(key) }
    return try locked { table throws(ChatError) in
      let key = storage.whole(key)
      return try body(&table, key, try table.loaded(key))
    }
  }

  /// Reads a draft that is in memory or is read now, or notes something about its composers.
  func reading<Value: Sendable>(
    _ key: DraftKey, _ body: (inout DraftTable, DraftKey) -> Value
  ) -> Value {
    withDraft(key) { table, key in
      table.load(key)
      return body(&table, key)
    }
  }

  /// Gives `body` the table, in which the drafts of merged conversations are joined.
  func withTable<Value: Sendable>(_ body: (inout DraftTable) -> Value) -> Value {
    table.withLock { table in
      table.adoptJoins()
      return body(&table)
    }
  }

  /// Gives `body` the table and the key under which the draft is found there.
  func withDraft<Value: Sendable>(
    _ key: DraftKey, _ body: (inout DraftTable, DraftKey) -> Value
  ) -> Value {
    withTable { body(&$0, storage.whole(key)) }
  }

  /// Gives `body` the table. An error leaves what `body` has done so far.
  func locked<Value: Sendable>(
    _ body: (inout DraftTable) throws(ChatError) -> Value
  ) throws(ChatError) -> Value {
    store.followNames()
    return try withTable { table -> Result<Value, ChatError> in
      do throws(ChatError) { return .success(try body(&table)) } catch { return .failure(error) }
    }.get()
  }

  /// Stores unsaved content now. When the call returns, the content is on disk (rule D4).
  package func save(_ key: DraftKey) throws(ChatError) {
    do throws(ChatError) {
      try locked { table throws(ChatError) in
        let key = storage.whole(key)
        table.load(key)
        try table.write(key)
      }
    } catch {
      // A composer that did not ask for the save shows the problem too.
      announce(key)
      throw error
    }
  }

  package func saveAll() throws(ChatError) {
    store.followNames()
    let failed = withTable { table in
      let failed = table.writeAll { _ in true }
      table.evict()
      return failed
    }
    for (key, _) in failed { announce(key) }
    storeCounts()
    if let first = failed.first { throw first.problem }
  }

  /// The keys, in an order that is the same in every run.
  package static func ordered(_ keys: some Collection<DraftKey>) -> [DraftKey] {
    keys.sorted {
      ($0.conversation.rawValue, $0.slot.rawValue) < ($1.conversation.rawValue, $1.slot.rawValue)
    }
  }

  package func announce(_ key: DraftKey) { storage.announce(key) }

  /// Writes the drafts that are due. Returns the time at which more become due. Nil when nothing is unsaved.
  func saveDue(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? {
    store.followNames()
    let (failed, deadline) = withTable { table in
      let failed = table.writeAll { $0.buffer.action(now: now) == .write }
      table.evict()
      table.awaited = table.deadline
      return (failed, table.deadline)
    }
    for (key, _) in failed { announce(key) }
    storeCounts()
    return deadline
  }

  /// Loads the drafts that `read` returns, and returns its other value. Both come from the same snapshot of the store,
  /// and no save of this process falls between the reading and the loading.
  func loading<Value: Sendable>(
    _ read: () throws(ChatError) -> (Value, [DraftKey: KeptDraft])
  ) throws(ChatError) -> Value {
    try locked { table throws(ChatError) in
      let (value, drafts) = try read()
      for key in Self.ordered(drafts.keys) {
        if let draft = drafts[key] { table.install(draft, as: key) }
      }
      return value
    }
  }

  /// Lets the next save or load be tried at once, because the store can be used again.
  package func retryNow() {
    let keys = table.withLock { table in
      table.mayTryAgain()
      return table.keys
    }
    for key in keys { announce(key) }
    wake.raise()
  }

  /// Removes everything that was typed from memory.
  func forgetAll() { table.withLock { $0.forgetAll() } }
}

extension ChatError {
  /// Whether the text itself is the problem. Such a text cannot be sent, wherever it is stored.
  var isAboutText: Bool { code == .emptyMessage || code == .messageTooLong }
}
