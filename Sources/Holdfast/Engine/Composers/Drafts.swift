import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// All composers' contents, shared by every window of the process, and their way to the store.
///
/// The lock is held while a draft is written, so that a save and a send of the same text cannot pass each
/// other: an autosave that was about to happen can never bring back a text that has just been sent.
package final class Drafts: Sendable {
  /// One composer's content.
  package struct Entry {
    package var buffer: DraftBuffer
    /// The store has been read. Until then nothing may be saved or cleared (SPEC D17).
    package var isLoaded: Bool
    /// Written in an earlier session of the app, and not touched since.
    package var isRecovered = false
    /// When the stored content was written. Nil: nothing is stored.
    package var writtenAt: Date?
    /// What is stored, where other processes write too. Nil: nothing is.
    var edition: DraftEdition?
    /// Why the last save or send failed.
    package var problem: ChatError?
    /// The message that it is the edit of. Nil in the other slot, and while none is edited.
    package var editing: MessageID?
    /// How many versions are stored.
    package var versionCount = 0
    package var turn = DraftTurn()
    /// Tells what was sent or discarded last from what is typed, without keeping it.
    var endedHash: Int?
    /// It was read from the store, and no composer has shown it yet.
    var isToBeRestored = false

    package init(
      buffer: DraftBuffer, isLoaded: Bool, isRecovered: Bool = false, writtenAt: Date? = nil,
      edition: DraftEdition? = nil, problem: ChatError? = nil, editing: MessageID? = nil,
      versionCount: Int = 0, turn: DraftTurn = DraftTurn(), endedHash: Int? = nil,
      isToBeRestored: Bool = false
    ) {
      self.buffer = buffer
      self.isLoaded = isLoaded
      self.isRecovered = isRecovered
      self.writtenAt = writtenAt
      self.edition = edition
      self.problem = problem
      self.editing = editing
      self.versionCount = versionCount
      self.turn = turn
      self.endedHash = endedHash
      self.isToBeRestored = isToBeRestored
    }

    /// There are versions, or will be with the next save.
    var canTakeBack: Bool { versionCount > 0 || !buffer.setAside.isEmpty }

    /// It was sent, discarded or moved: nothing of it is in the composer or on disk. Only a hash of the text stays.
    package mutating func end() {
      endedHash = buffer.content.text.hashOfBytes
      turn.end()
      buffer = buffer.emptied
      (isRecovered, isToBeRestored) = (false, false)
      (problem, editing, versionCount, writtenAt, edition) = (nil, nil, 0, nil, nil)
    }
  }

  package let store: Store
  package let environment: ChatEnvironment
  package let session: String
  /// Whose conversations are made when they are missing. Nil: a draft of a conversation that is missing is refused.
  let conversationOwner: UserID?
  package let entries = Mutex<[DraftKey: Entry]>([:])
  /// Only used while the entries are locked, or alone.
  let desk = Mutex(Desk())
  let wake = Signal()
  /// A draft larger than this is refused, and stays in the composer.
  package static let maximumBytes = 8 << 20

  package init(store: Store, environment: ChatEnvironment, conversationOwner: UserID? = nil) {
    self.store = store
    self.environment = environment
    self.conversationOwner = conversationOwner
    session = environment.makeID()
  }

  /// What the composer shows: the stored draft the first time, what was typed since then.
  package func open(_ key: DraftKey, by composer: ComposerID? = nil) -> Entry {
    entries.withLock { entries in
      let key = current(key, in: &entries)
      load(key, in: &entries)
      if composer != nil { noteRestore(of: key, in: &entries) }
      return entries[key] ?? Entry(buffer: DraftBuffer(stored: DraftContent()), isLoaded: false)
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
  ) -> Entry {
    var content = typed
    content.text = typed.text.storable
    let (entry, hasChanged, isSooner) = entries.withLock { entries -> (Entry?, Bool, Bool) in
      let key = current(key, in: &entries)
      let hasChanged = apply(content, to: key, by: writer, basedOn: base, in: &entries)
      let entry = entries[key]
      return (entry, hasChanged, isSoonerThanAwaited(entry?.buffer.deadline))
    }
    if isSooner { wake.raise() }
    // Another window on the same draft follows.
    if hasChanged { announce(key) }
    return entry ?? Entry(buffer: DraftBuffer(stored: DraftContent()), isLoaded: false)
  }

  private func apply(
    _ typed: DraftContent, to key: DraftKey, by writer: ComposerID?, basedOn base: Int?,
    in entries: inout [DraftKey: Entry]
  ) -> Bool {
    let now = environment.uptime()
    var content = typed
    content.attachments = []
    if var entry = entries[key], !entry.isLoaded {
      // Whoever typed this has not seen what is stored: loading merges the two, so that neither is lost.
      _ = entry.buffer.edit(content, now: now)
      entries[key] = entry
      load(key, in: &entries)
      return true
    }
    load(key, in: &entries)
    // A composer that edits a message, of which another window has sent or dropped the edit, is told so.
    guard var entry = entries[key], key.slot == .new || entry.editing != nil else { return false }
    let before = entry.buffer.content
    // Typing changes no attachment: they are stored when they are picked.
    content.attachments = before.attachments
    let verdict = entry.turn.verdict(on: writer, basedOn: base ?? entry.turn.revision)
    guard verdict != .setAside else {
      if entry.endedHash != content.text.hashOfBytes { entry.buffer.setAside(content, now: now) }
      entries[key] = entry
      return false
    }
    _ = entry.buffer.edit(content, now: now)
    if verdict == .writeOver { entry.buffer.setAside(before, now: now) }
    let hasChanged = !before.text.hasSameBytes(as: content.text)
    if hasChanged {
      entry.turn.wrote(writer)
      entry.isRecovered = false
      // It was about a text that is another now. One that was too long and has grown still is.
      let isShorter = content.text.utf8.count < before.text.utf8.count
      if entry.problem?.code == .emptyMessage || (entry.problem?.code == .messageTooLong && isShorter) {
        entry.problem = nil
      }
    }
    entries[key] = entry
    return hasChanged
  }

  /// Stores what is unsaved, now. When it returns, it is on disk (SPEC D4).
  package func save(_ key: DraftKey) throws(ChatError) {
    store.lookForRenames()
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      let key = current(key, in: &entries)
      load(key, in: &entries)
      return write(key, in: &entries)
    }
    // A composer that did not ask shows the problem too.
    if case .failure = result { announce(key) }
    try result.get()
  }

  func saveAll() throws(ChatError) {
    store.lookForRenames()
    let results = entries.withLock { entries in
      adoptRenames(in: &entries)
      let results = Self.ordered(entries.keys).map { key in
        load(key, in: &entries)
        return (key: key, result: write(key, in: &entries))
      }
      evict(from: &entries)
      return results
    }
    for case (let key, .failure) in results { announce(key) }
    storeCounts()
    for (_, result) in results { try result.get() }
  }

  /// A composer that knows its conversation by an earlier ID writes into the same draft (SPEC D15).
  package func current(_ key: DraftKey) -> DraftKey {
    DraftKey(conversation: store.aliases.current(key.conversation), slot: key.slot)
  }

  /// In an order that is the same in every run.
  package static func ordered(_ keys: some Collection<DraftKey>) -> [DraftKey] {
    keys.sorted {
      ($0.conversation.rawValue, $0.slot.rawValue) < ($1.conversation.rawValue, $1.slot.rawValue)
    }
  }

  package func announce(_ key: DraftKey) {
    store.changes.publish(Changes(drafts: [store.aliases.current(key.conversation)]))
  }
}
