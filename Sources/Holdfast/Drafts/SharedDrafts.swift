import Foundation

/// Composers in a store that another process writes to as well (SPEC O15, D13). Which of two texts is newer is decided
/// by the store-wide revision, and what was typed on either side is lost on none.
///
/// ```
///                            the other process stores, sends or discards the draft
///   nothing unsaved here ─────────────────────────────────────────────────────────► follows
///   typed, and not saved ──► stays as it is; the save puts it behind the other's text
///                        ──► or is sent alone, and the other's text stays a draft
/// ```
extension Drafts {
  /// Another process has written: composers with nothing unsaved take over what it stored.
  func followOthers() {
    for key in takeOver() { announce(key) }
  }

  private func takeOver() -> [DraftKey] {
    entries.withLock { entries in
      let resting = entries.filter { $0.value.isLoaded && !$0.value.buffer.hasChanges }
      let keys = Self.ordered(resting.keys)
      guard !keys.isEmpty else { return [] }
      do throws(ChatError) {
        // All from one snapshot, and the lock keeps every save of our own in front of it or behind it.
        let drafts = try store.read { db in try keys.map { try db.draft($0) } }
        return zip(keys, drafts).compactMap { key, draft in
          guard let entry = entries[key], draft?.revision != entry.revision else { return nil }
          entries[key]?.follow(draft)
          return key
        }
      } catch {
        environment.logger.error("drafts not read", metadata: ["code": "\(error.code)"])
        return []
      }
    }
  }

  /// What is to be stored of a composer: what it holds, behind what another process has stored since.
  func joined(_ entry: Entry, _ key: DraftKey, _ transaction: Transaction) throws -> DraftContent {
    guard let others = try others(entry, key, transaction) else { return entry.buffer.content }
    return entry.buffer.hasChanges ? Self.join(others, entry.buffer.content) : others
  }

  /// What another process has stored of a draft that is about to be sent or discarded. Refuses what nobody here has
  /// seen: the text may have been sent already.
  func othersBeforeEnd(_ entry: Entry, _ key: DraftKey, _ transaction: Transaction) throws -> DraftContent? {
    let others = try others(entry, key, transaction)
    guard others == nil || entry.buffer.hasChanges else {
      throw ChatError(
        .draftChanged, "Another part of the app has changed the draft, or sent it. Look at it, and try again."
      )
    }
    return others.flatMap { Self.isCovered($0, by: entry.buffer.content) ? nil : $0 }
  }

  /// Ends the draft. What another process has stored since stays one, and is newer than what was sent from now on.
  func end(_ key: DraftKey, leaving others: DraftContent?, _ transaction: Transaction) throws -> StoredDraft?
  {
    guard others != nil else {
      try transaction.deleteDraft(key)
      return nil
    }
    try transaction.renewDraft(key)
    return try transaction.db.draft(key)
  }

  /// The revision of the draft as it is in the store. Asked only where others write.
  func revision(_ key: DraftKey, _ transaction: Transaction) throws -> Int64? {
    store.isShared ? try transaction.db.draft(key)?.revision : nil
  }

  /// What another process has made of the draft since it was read or written here. Nil: nothing.
  private func others(
    _ entry: Entry, _ key: DraftKey, _ transaction: Transaction
  ) throws -> DraftContent? {
    guard store.isShared else { return nil }
    let stored = try transaction.db.draft(key)
    guard stored?.revision != entry.revision else { return nil }
    return stored?.content.restorable ?? DraftContent()
  }

  /// Both texts, the other's first; one alone where it has the other in it, as when both went on from the same.
  static func join(_ others: DraftContent, _ typed: DraftContent) -> DraftContent {
    isCovered(others, by: typed) ? typed : merge(others, typed)
  }

  private static func isCovered(_ content: DraftContent, by other: DraftContent) -> Bool {
    content.isEmpty || other.text.contains(content.text)
  }
}

extension Drafts.Entry {
  /// Holds what another process has stored, and nothing when it has sent or discarded the draft.
  mutating func follow(_ draft: StoredDraft?) {
    buffer.replace(with: draft?.content.restorable ?? DraftContent())
    revision = draft?.revision
    writtenAt = draft?.updatedAt
    isRecovered = false
    problem = nil
  }
}
