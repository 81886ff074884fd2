import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// What all drafts share.
  struct Desk {
    /// Which composers are on the screen.
    var composers: [ConversationID: Set<ComposerID>] = [:]
    var lastComposer = 0
    /// Drafts of an earlier session that have been shown: to come back to one is no recovery (SPEC D10).
    var shown: Set<DraftKey> = []
    /// When ``run()`` looks again without being told. Nil: never.
    var awaited: ChatEnvironment.Instant?
    /// Restored since the last time that it was stored.
    var restored = RestoreCounts()
    /// How often the conversations' earlier IDs had changed when the entries were moved to the present ones.
    var renames = 0
    /// How often all drafts were cleared.
    var clearings = 0
  }

  /// Saves what becomes due. Returns when the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      let deadline = saveDue()
      storeCounts()
      await wake.wait(until: deadline, in: environment)
    }
  }

  /// Writes what is due, and says when to look again. Nil: when something is typed.
  private func saveDue() -> ChatEnvironment.Instant? {
    store.lookForRenames()
    let (failed, deadline) = entries.withLock { entries in
      adoptRenames(in: &entries)
      let now = environment.uptime()
      var failed: [DraftKey] = []
      for key in Self.ordered(entries.keys) {
        guard let deadline = entries[key]?.buffer.deadline, deadline <= now else { continue }
        load(key, in: &entries)
        if case .failure = write(key, in: &entries) { failed.append(key) }
      }
      evict(from: &entries)
      let deadline = entries.values.compactMap(\.buffer.deadline).min()
      desk.withLock { $0.awaited = deadline }
      return (failed, deadline)
    }
    for key in failed { announce(key) }
    return deadline
  }

  /// While typing goes on, what is due moves away with each keystroke: whoever saves looks when it was due first, and
  /// goes on waiting. So a keystroke wakes nobody but the first one after a pause.
  func isSoonerThanAwaited(_ deadline: ChatEnvironment.Instant?) -> Bool {
    guard let deadline else { return false }
    return desk.withLock { desk in
      guard desk.awaited.map({ deadline < $0 }) ?? true else { return false }
      desk.awaited = deadline
      return true
    }
  }

  /// A composer comes on the screen.
  func join(_ conversation: ConversationID) -> ComposerID {
    entries.withLock { _ in
      desk.withLock { desk in
        desk.lastComposer += 1
        let composer = ComposerID(number: desk.lastComposer)
        desk.composers[store.aliases.current(conversation), default: []].insert(composer)
        return composer
      }
    }
  }

  /// A composer leaves the screen. What only it held is stored (SPEC D12), and forgotten once it is.
  package func leave(_ conversation: ConversationID, _ composer: ComposerID) {
    entries.withLock { entries in
      adoptRenames(in: &entries)
      let conversation = store.aliases.current(conversation)
      let isLast = desk.withLock { desk in
        desk.composers[conversation]?.remove(composer)
        guard desk.composers[conversation]?.isEmpty == true else { return false }
        desk.composers[conversation] = nil
        return true
      }
      for slot in [DraftSlot.new, .edit] {
        let key = DraftKey(conversation: conversation, slot: slot)
        entries[key]?.turn.blur(composer)
        guard isLast else { continue }
        if entries[key]?.isRecovered == true { desk.withLock { _ = $0.shown.insert(key) } }
        // What cannot be stored stays, and the next look tries again.
        if entries[key]?.isLoaded == true { _ = write(key, in: &entries) }
      }
      evict(from: &entries)
    }
  }

  func wasShown(_ key: DraftKey) -> Bool { desk.withLock { $0.shown.contains(key) } }

  /// Forgets what the store has and no composer shows: a draft may have a megabyte.
  func evict(from entries: inout [DraftKey: Entry]) {
    let onScreen = desk.withLock { $0.composers }
    for (key, entry) in entries where onScreen[key.conversation] == nil {
      let buffer = entry.buffer
      let isStored = !buffer.hasChanges && (buffer.content == buffer.stored || entry.editing != nil)
      if entry.isLoaded, isStored, entry.problem == nil { entries[key] = nil }
    }
  }
}
