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
  package func open(_ key: DraftKey) -> DraftEntry { withTable { $0.open(storage.whole(key)) } }

  /// Applies an edit to the newest text.
  @discardableResult
  package func edit(_ key: DraftKey, _ typed: DraftContent) -> DraftEntry {
    withTable { table in
      let key = storage.whole(key)
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

  /// Gives `body` the table, in which the drafts of merged conversations are joined. An error leaves what `body` has
  /// done so far.
  func withTable<Value: Sendable, Failure>(
    _ body: (inout DraftTable) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try table.withLock { table throws(Failure) in
      table.adoptJoins()
      return try body(&table)
    }
  }

  /// Gives `body` the table, under the names that other processes have assigned.
  func locked<Value: Sendable>(
    _ body: (inout DraftTable) throws(ChatError) -> Value
  ) throws(ChatError) -> Value {
    store.followNames()
    return try withTable(body)
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
    if let problem = writeAll(dueAt: nil).problem { throw problem }
  }

  /// Writes the drafts that are due. Returns the time at which more become due. Nil when nothing is unsaved.
  func saveDue(now: ChatEnvironment.Instant) -> ChatEnvironment.Instant? { writeAll(dueAt: now).deadline }

  /// Stores unsaved content.
  ///
  /// - Parameter now: chooses the drafts that are due, and notes that the saving loop waits for the next ones. Nil for
  ///   all drafts.
  private func writeAll(
    dueAt now: ChatEnvironment.Instant?
  ) -> (problem: ChatError?, deadline: ChatEnvironment.Instant?) {
    store.followNames()
    let (failed, deadline) = withTable { table in
      let failed = table.keys.compactMap { key -> (key: DraftKey, problem: ChatError)? in
        if let now, table[key]?.buffer.action(now: now) != .write { return nil }
        table.load(key)
        do throws(ChatError) { try table.write(key) } catch { return (key, error) }
        return nil
      }
      table.evict()
      if now != nil { table.awaited = table.deadline }
      return (failed, table.deadline)
    }
    for (key, _) in failed { announce(key) }
    storeCounts()
    return (failed.first?.problem, deadline)
  }

  /// The keys, in an order that is the same in every run.
  package static func ordered(_ keys: some Collection<DraftKey>) -> [DraftKey] {
    keys.sorted {
      ($0.conversation.rawValue, $0.slot.rawValue) < ($1.conversation.rawValue, $1.slot.rawValue)
    }
  }

  package func announce(_ key: DraftKey) { storage.announce(key) }

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

/// Composers in a store that another process writes to as well (rules O15, D13). The store-wide revision decides which
/// of two texts is newer. Text that was typed in either process is never lost.
///
/// ```
///                            the other process stores, sends or discards the draft
///   nothing unsaved here ─────────────────────────────────────────────────────────► follows
///   typed, and not saved ──► stays as it is; the save puts it behind the other's text
///                        ──► or is sent alone, and the other's text stays a draft
///   an edit, and the other process edits another message ──► is stored once the other edit is finished
///   files ── are stored when they are picked: the draft has the stored files, whichever process picked them
/// ```
extension Drafts {
  /// Follows another process that has written: composers without unsaved content take over the stored drafts.
  func followOthers() {
    let followed = withTable { table -> [DraftKey] in
      let keys = table.resting
      guard !keys.isEmpty else { return [] }
      do throws(ChatError) {
        // All drafts are from one snapshot. The lock puts every save of this process before it or after it.
        return zip(keys, try storage.kept(keys)).compactMap { key, kept in
          guard let entry = table[key] else { return nil }
          if kept.draft?.edition != entry.edition {
            table[key]?.follow(kept)
          } else if kept.versionCount != entry.versionCount {
            // The draft was written and emptied by the other process: only a version of it is left.
            table[key]?.versionCount = kept.versionCount
          } else {
            return nil
          }
          return key
        }
      } catch {
        environment.logger.error("drafts not read", metadata: ["code": "\(error.code)"])
        return []
      }
    }
    for key in followed { announce(key) }
  }

  /// Follows other processes if one has written since the last call.
  func noticeOthers() {
    do throws(ChatError) {
      guard try store.hasOthersCommits() else { return }
      followOthers()
    } catch {
      environment.logger.error("commits of other processes not read", metadata: ["code": "\(error.code)"])
    }
  }
}

/// Restored drafts: the banner of each is shown once in a launch of the app, in one composer (rules D10, D11), and
/// each is counted (rule D14).
extension Drafts {
  /// Stores that the user keeps an old draft. The user is asked again once its text has changed.
  func keep(_ key: DraftKey) throws(ChatError) {
    try locked { table throws(ChatError) in
      let key = storage.whole(key)
      table.bannersShown.insert(key)
      table.load(key)
      try table.write(key)
      try store.write { transaction in
        let conversation = transaction.whole(of: key.conversation)
        try transaction.drafts.keep(DraftKey(conversation: conversation, slot: key.slot))
      }
      table[key]?.isKept = true
    }
  }

  /// Stores the counts of restored drafts. Opening a conversation writes nothing. The saving loop counts the restored
  /// draft a moment later, in a transaction that costs no sync.
  func storeCounts() {
    let counts = table.withLock { table in
      defer { table.restored = RestoreCounts() }
      return table.restored
    }
    guard counts != RestoreCounts() else { return }
    do throws(ChatError) {
      try store.writeUnsynced { try $0.metrics.add(DraftMetrics.restoreAgeMetric, counts.byAge) }
    } catch {
      table.withLock { $0.restored.add(counts) }
    }
  }

  func metrics() throws(ChatError) -> DraftMetrics {
    storeCounts()
    return try store.read { try $0.drafts.metrics() }
  }
}

/// Composers without a view model, by the names of their conversations: for bots, share extensions and tests.
extension Drafts {
  package func text(in conversation: ConversationID) -> String { content(in: conversation).text }

  package func attachments(in conversation: ConversationID) -> [ChatAttachment] {
    content(in: conversation).attachments
  }

  /// Replaces the composer's text.
  ///
  /// - Parameter message: the message that the text answers. Nil without one.
  package func edit(_ text: String, answering message: MessageID? = nil, in conversation: ConversationID) {
    edit(key(of: conversation), DraftContent(text, replyTo: message))
  }

  package func save(in conversation: ConversationID) throws(ChatError) { try save(key(of: conversation)) }

  /// Discards the draft as ``ComposerModel/discard()`` does, and returns it.
  package func discard(in conversation: ConversationID) throws(ChatError) -> DiscardedDraft {
    try discard(key(of: conversation))
  }

  /// Brings back a discarded draft, as ``ComposerModel/undoDiscard()`` does.
  package func restore(
    _ discarded: inout DiscardedDraft, in conversation: ConversationID
  ) throws(ChatError) {
    try restore(key(of: conversation), &discarded)
  }

  /// The drafts as stored in the file, hidden ones included, for a comparison with the promises.
  package func stored(in conversation: ConversationID) throws(ChatError) -> [String] {
    try store.read { try $0.drafts.texts(in: $0.key(of: conversation)) }
  }

  /// The messages that these drafts answer.
  package func storedReplyTargets(in conversation: ConversationID) throws(ChatError) -> [MessageID] {
    try store.read { try $0.drafts.replyTargets(ofDraftsIn: $0.key(of: conversation)) }
  }

  /// All drafts with their versions. A version outlives a draft that was emptied.
  package func storedWithVersions(in conversation: ConversationID) throws(ChatError) -> [String] {
    let versions = try store.read { try $0.drafts.versionTexts(in: $0.key(of: conversation)) }
    return try stored(in: conversation) + versions
  }

  private func content(in conversation: ConversationID) -> DraftContent {
    open(key(of: conversation)).buffer.content
  }

  private func key(of conversation: ConversationID) -> DraftKey {
    DraftKey(conversation: store.key(of: conversation))
  }
}

extension ChatError {
  /// Whether the text itself is the problem. Such a text cannot be sent, wherever it is stored.
  var isAboutText: Bool { code == .emptyMessage || code == .messageTooLong }
}
