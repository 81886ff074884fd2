import Foundation
import HoldfastCore
import HoldfastStore

/// The drafts in this process's memory: the content of each composer, and the composers on the screen. ``Drafts``
/// guards the table with its lock.
package struct DraftTable {
  let storage: DraftStorage
  /// Raised when a draft becomes due sooner than the saving loop expects.
  let wake: Signal
  private var entries: [DraftKey: DraftEntry] = [:]
  /// The composers that are on the screen.
  var composers: [ComposerID: ComposerState] = [:]
  private var lastComposer = 0
  /// The drafts whose banner was shown in this launch of the app. Each is shown once (rule D10).
  package var bannersShown: Set<DraftKey> = []
  /// The time at which the saving loop wakes by itself. Nil when it waits for a signal.
  package var awaited: ChatEnvironment.Instant?
  /// The drafts that were restored since the counts were last stored.
  var restored = RestoreCounts()
  /// The revision of the names when the entries of merged conversations were last joined.
  var seenNames = 0

  init(_ storage: DraftStorage, wake: Signal) { (self.storage, self.wake) = (storage, wake) }

  /// The draft under its conversation's present ID. Nil while it is not in memory.
  package subscript(key: DraftKey) -> DraftEntry? {
    get { entries[key] }
    _modify { yield &entries[key] }
  }

  /// The drafts in memory, in an order that is the same in every run.
  var keys: [DraftKey] { Drafts.ordered(entries.keys) }

  /// The time at which the first of the drafts becomes due. Nil when nothing is unsaved.
  var deadline: ChatEnvironment.Instant? { entries.values.compactMap(\.buffer.deadline).min() }

  /// The draft, read from the store if need be.
  ///
  /// - Throws: ``ChatError`` with code `storageBusy` when the store cannot be read. Nothing may be stored, sent or
  ///   deleted then (rule D17).
  package mutating func loaded(_ key: DraftKey) throws(ChatError) -> DraftEntry {
    load(key)
    guard let entry = entries[key], entry.isLoaded else { throw .draftNotLoaded }
    return entry
  }

  /// The draft: the stored content the first time, and the typed content after that.
  mutating func open(_ key: DraftKey) -> DraftEntry {
    load(key)
    return entries[key] ?? storage.unloaded
  }

  /// Reads a draft from the store, unless it has been read already.
  package mutating func load(_ key: DraftKey) {
    let typed = entries[key]
    guard typed?.isLoaded != true else { return }
    do throws(ChatError) {
      install(try storage.kept([key])[0], as: key)
    } catch {
      var entry = typed ?? storage.unloaded
      entry.problem = error
      entries[key] = entry
    }
  }

  /// Puts the stored content into the composer, in front of text that was typed before the store was read.
  mutating func install(_ stored: KeptDraft, as key: DraftKey) {
    let typed = entries[key]
    guard typed?.isLoaded != true else { return }
    let draft = stored.draft
    var entry = DraftEntry(buffer: stored.buffer(intervals: storage.intervals), isLoaded: true)
    entry.editing = draft?.editing
    entry.versionCount = stored.versionCount
    entry.isToBeRestored = draft != nil
    entry.isRecovered = draft.map { $0.session != storage.session && !bannersShown.contains(key) } ?? false
    entry.isKept = draft?.isKept ?? false
    entry.writtenAt = draft?.updatedAt
    entry.edition = draft?.edition
    entry.turn = typed?.turn ?? DraftTurn()
    if let typed, !typed.buffer.content.isEmpty {
      entry.putInFront = entry.buffer.content
      _ = entry.buffer.edit(
        DraftContent.merge(entry.buffer.content, typed.buffer.content), now: storage.environment.uptime())
      entry.turn.wrote(nil)
    }
    entries[key] = entry
  }

  /// Stores the unsaved content of a draft.
  mutating func write(_ key: DraftKey) throws(ChatError) {
    guard var entry = entries[key], entry.buffer.hasChanges else { return }
    guard entry.isLoaded else {
      entry.buffer.failed(now: storage.environment.uptime())
      entries[key] = entry
      throw entry.problem ?? .draftNotLoaded
    }
    do throws(ChatError) {
      var saved = entry
      lazy var newID = storage.environment.makeID()
      try storage.store.writeDraft { transaction in
        // On a full disk, the reserve is given up and this closure runs a second time.
        saved = entry
        try saved.join(try storage.others(entry, key, transaction))
        // Nothing was typed here: the composer follows the other process.
        guard saved.buffer.hasChanges else { return }
        (saved.versionCount, saved.edition) = try storage.save(key, saved, newID: newID, in: transaction)
        let content = saved.buffer.content
        saved.buffer.wrote(content)
        saved.writtenAt = saved.buffer.isNothing(content) ? nil : storage.environment.now()
      }
      // A text on disk can still be too long to send.
      if saved.problem?.isAboutText != true { saved.problem = nil }
      entries[key] = saved
      // The composer has another process's text now, and no commit may have announced that.
      if saved.turn != entry.turn { storage.announce(key) }
    } catch {
      entry.buffer.failed(now: storage.environment.uptime())
      entry.problem = error
      entries[key] = entry
      storage.environment.logger.error("draft not saved", metadata: ["code": "\(error.code)"])
      throw error
    }
  }

  /// Moves the content from the draft to the place where `body` puts it, in one transaction. If `body` or the commit
  /// fails, the content stays where it is.
  mutating func move<Value>(
    _ key: DraftKey, _ before: DraftEntry, _ body: (DraftContent, Transaction) throws -> Value
  ) throws(ChatError) -> Value {
    var entry = before
    do throws(ChatError) {
      let (value, left) = try storage.store.write { transaction in
        let others = try storage.othersBeforeEnd(entry, key, transaction)
        let value = try body(entry.buffer.content, transaction)
        return (value, try storage.end(key, leaving: others, transaction))
      }
      entry.end(leaving: left)
      self[key] = entry
      return value
    } catch {
      entry.problem = error
      self[key] = entry
      throw error
    }
  }

  /// Stores the content that `body` makes of the composer's content, together with the other changes of `body`, in one
  /// transaction. If another process has stored a draft since, it is joined with the content first.
  @discardableResult
  package mutating func replace(
    _ key: DraftKey, _ before: DraftEntry,
    _ body: (DraftContent, Transaction) throws -> DraftContent
  ) throws(ChatError) -> DraftContent {
    var entry = before
    let content = try storage.store.write { transaction in
      try entry.join(try storage.others(before, key, transaction))
      guard entry.editing == before.editing else { throw DraftStorage.changedElsewhere }
      let present = entry.buffer.content
      let content = try body(present, transaction)
      let now = storage.environment.uptime()
      _ = entry.buffer.edit(content, now: now)
      entry.buffer.setAside(present, now: now)
      (entry.versionCount, entry.edition) = try storage.save(
        key, entry, newID: storage.environment.makeID(), in: transaction)
      return content
    }
    entry.buffer.replace(with: content)
    if !content.text.hasSameBytes(as: before.buffer.content.text) { entry.turn.wrote(nil) }
    entry.writtenAt = content.isEmpty ? nil : storage.environment.now()
    self[key] = entry
    return content
  }

  /// Lets the next save or load be tried at once, because the store can be used again.
  mutating func mayTryAgain() {
    for key in entries.keys {
      entries[key]?.buffer.mayTryAgain()
      switch entries[key]?.problem?.code {
      case ChatError.Code.suspended?, ChatError.Code.storageLocked?: entries[key]?.problem = nil
      default: break
      }
    }
  }

  /// Empties every draft, and returns their keys.
  mutating func endAll() -> [DraftKey] {
    for key in entries.keys { entries[key]?.end() }
    return keys
  }

  /// Removes everything that was typed from memory.
  mutating func forgetAll() { entries = [:] }

  /// The drafts that follow the writes of another process, because they have no unsaved content.
  var resting: [DraftKey] {
    Drafts.ordered(
      entries.filter { $0.value.isLoaded && !$0.value.buffer.isTyped && $0.value.buffer.setAside.isEmpty }
        .keys)
  }

  /// Applies an edit, such as a keystroke. ``SavingLoop/run()`` stores it after a pause. Other windows on the draft
  /// follow.
  ///
  /// - Parameters:
  ///   - writer: the composer that the edit was typed into. Nil when it cannot be out of date.
  ///   - base: the number of the text that the edit was made on. Nil for the newest text.
  mutating func apply(
    _ typed: DraftContent, to key: DraftKey, by writer: ComposerID? = nil, basedOn base: Int? = nil
  ) {
    let now = storage.environment.uptime()
    var hasChanged = false
    if entries[key]?.isLoaded == false {
      // The composer that was typed into has not shown the stored text. Loading merges both, so that neither is lost.
      var content = typed
      (content.text, content.attachments) = (typed.text.storable, [])
      _ = entries[key]?.buffer.edit(content, now: now)
      load(key)
      hasChanged = true
    } else {
      load(key)
      // If another window has sent or discarded the edit, the text is not applied, and the entry shows that to the
      // composer.
      if var entry = entries[key], key.slot == .new || entry.editing != nil {
        let isBegun = entry.buffer.content.isEmpty
        hasChanged = entry.type(typed, by: writer, basedOn: base, now: now)
        entries[key] = entry
        // The text begins another draft.
        if hasChanged, isBegun { bannersShown.remove(key) }
      }
    }
    // While typing continues, each keystroke moves the deadline. The loop wakes at the first deadline and waits on, so
    // that only the first keystroke after a pause wakes it.
    if let deadline = entries[key]?.buffer.deadline, awaited.map({ deadline < $0 }) ?? true {
      awaited = deadline
      wake.raise()
    }
    if hasChanged { storage.announce(key) }
  }

  /// The message whose edit was begun, and neither finished nor discarded. Nil before an edit is begun, or when the
  /// edit does not differ from the message.
  mutating func unfinishedEdit(in conversation: ConversationKey) -> MessageID? {
    let entry = open(DraftKey(conversation: conversation, slot: .edit))
    return entry.buffer.isNothing(entry.buffer.content) ? nil : entry.editing
  }

  // MARK: Composers on the screen

  /// Adds a composer that comes on the screen.
  mutating func join(_ conversation: ConversationKey) -> ComposerID {
    lastComposer += 1
    let composer = ComposerID(number: lastComposer)
    composers[composer] = ComposerState(composer, in: storage.store.names.whole(of: conversation))
    return composer
  }

  /// Removes a composer that leaves the screen. If the conversation has no other composer, its text is stored
  /// (rule D12) and then removed from memory.
  mutating func leave(_ composer: ComposerID) {
    guard let conversation = composers.removeValue(forKey: composer)?.conversation else { return }
    let isLast = !composers.values.contains { $0.conversation == conversation }
    for slot in [DraftSlot.new, .edit] {
      let key = DraftKey(conversation: conversation, slot: slot)
      self[key]?.turn.blur(composer)
      self[key]?.putInFront = nil
      // A text that cannot be stored stays, and the saving loop tries again.
      if isLast, self[key]?.isLoaded == true { try? write(key) }
    }
    evict()
  }

  /// Removes from memory the stored drafts that no composer shows: a draft may have a megabyte.
  mutating func evict() {
    let onScreen = Set(composers.values.map(\.conversation))
    for (key, entry) in entries where !onScreen.contains(key.conversation) {
      let buffer = entry.buffer
      let isStored = !buffer.hasChanges && (buffer.content == buffer.stored || entry.editing != nil)
      if entry.isLoaded, isStored, entry.problem == nil { entries[key] = nil }
    }
  }

  /// Counts a restored draft when the first composer shows it. Composers that join later show the same draft.
  mutating func noteRestore(of key: DraftKey) {
    guard let entry = entries[key], entry.isToBeRestored, let writtenAt = entry.writtenAt else { return }
    entries[key]?.isToBeRestored = false
    restored.add(age: storage.environment.now().timeIntervalSince(writtenAt))
    wake.raise()
  }
}

extension ChatError {
  package static let draftNotLoaded = ChatError(
    .storageBusy, "The draft has not been loaded yet. It stays in the composer. Try again.")
}
