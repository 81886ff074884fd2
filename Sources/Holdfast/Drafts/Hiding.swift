import HoldfastCore
import HoldfastStore

/// Composers of conversations that are deleted, and brought back (SPEC H5).
extension Drafts {
  /// Stores what is unsaved, hides the conversation in the transaction of `body`, and empties its composers: only the
  /// store has their texts, for Undo.
  package func hide(_ id: ConversationID, _ body: (Transaction) throws -> Void) throws(ChatError) {
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      adoptRenames(in: &entries)
      let keys = Self.keys(of: id).filter { entries[$0] != nil }
      for key in keys {
        load(key, in: &entries)
        if case .failure(let error) = write(key, in: &entries) { return .failure(error) }
      }
      do throws(ChatError) {
        try store.write(body)
      } catch {
        return .failure(error)
      }
      for key in keys { entries[key]?.end() }
      return .success(())
    }
    announce(DraftKey(conversation: id))
    try result.get()
  }

  /// Hides every conversation in the transaction of `body`, and empties all composers.
  func hideAll(_ body: (Transaction) throws -> Void) throws(ChatError) {
    let result = entries.withLock { entries -> Result<[DraftKey], ChatError> in
      do throws(ChatError) {
        try store.write(body)
      } catch {
        return .failure(error)
      }
      let keys = Self.ordered(entries.keys)
      for key in keys { entries[key]?.end() }
      return .success(keys)
    }
    for key in try result.get() { announce(key) }
  }

  /// Shows the conversation again in the transaction of `body`: its composers have what the store has.
  package func show(_ id: ConversationID, _ body: (Transaction) throws -> Void) throws(ChatError) {
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      let keys = Self.keys(of: id)
      do throws(ChatError) {
        let kept = try store.write { transaction in
          try body(transaction)
          return try keys.map { try transaction.kept($0) }
        }
        for (key, kept) in zip(keys, kept) { entries[key]?.follow(kept) }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    announce(DraftKey(conversation: id))
    try result.get()
  }

  /// What the store has of drafts, for their composers, all from one snapshot: nothing where the conversation is deleted.
  package func kept(_ keys: [DraftKey]) throws(ChatError) -> [KeptDraft] {
    try store.read { db in
      try keys.map { key in
        guard !store.deletions.isHidden(key.conversation) else {
          return KeptDraft(draft: nil, original: nil, versionCount: 0)
        }
        return try db.kept(key)
      }
    }
  }

  private static func keys(of id: ConversationID) -> [DraftKey] {
    [DraftKey(conversation: id), DraftKey(conversation: id, slot: .edit)]
  }
}
