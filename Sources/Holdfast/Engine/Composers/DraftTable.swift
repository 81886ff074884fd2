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
  var lastComposer = 0
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

  /// Stores the unsaved content of the chosen drafts. Returns those that could not be stored, and why.
  mutating func writeAll(
    _ isDue: (DraftEntry) -> Bool
  ) -> [(key: DraftKey, problem: ChatError)] {
    keys.compactMap { key in
      guard let entry = entries[key], isDue(entry) else { return nil }
      load(key)
      do throws(ChatError) {
        try write(key)
        return nil
      } catch {
        return (key, error)
      }
    }
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
    let hasChanged = write(typed, to: key, by: writer, basedOn: base)
    if isSoonerThanAwaited(entries[key]?.buffer.deadline) { wake.raise() }
    if hasChanged { storage.announce(key) }
  }

  /// Returns whether the text has changed.
  private mutating func write(
    _ typed: DraftContent, to key: DraftKey, by writer: ComposerID?, basedOn base: Int?
  ) -> Bool {
    let now = storage.environment.uptime()
    var content = typed
    (content.text, content.attachments) = (typed.text.storable, [])
    if var entry = entries[key], !entry.isLoaded {
      // The composer that was typed into has not shown the stored text. Loading merges both, so that neither is lost.
      _ = entry.buffer.edit(content, now: now)
      entries[key] = entry
      load(key)
      return true
    }
    load(key)
    // If another window has sent or discarded the edit, the text is not applied, and the entry shows that to the
    // composer.
    guard var entry = entries[key], key.slot == .new || entry.editing != nil else { return false }
    let before = entry.buffer.content
    // Typing changes no attachments. They are stored when they are picked.
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
      (entry.isRecovered, entry.isKept) = (false, false)
      // The text begins another draft.
      if before.isEmpty { bannersShown.remove(key) }
      // The problem was about the earlier text. A text that was too long and has grown is still too long.
      let isShorter = content.text.utf8.count < before.text.utf8.count
      if entry.problem?.code == .emptyMessage || (entry.problem?.code == .messageTooLong && isShorter) {
        entry.problem = nil
      }
    }
    entries[key] = entry
    return hasChanged
  }

  /// Records a deadline. Returns whether it comes before the saving loop wakes by itself. While typing continues, each
  /// keystroke moves the deadline. The loop wakes at the first deadline and waits on, so that only the first
  /// keystroke after a pause wakes it.
  private mutating func isSoonerThanAwaited(_ deadline: ChatEnvironment.Instant?) -> Bool {
    guard let deadline, awaited.map({ deadline < $0 }) ?? true else { return false }
    awaited = deadline
    return true
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
