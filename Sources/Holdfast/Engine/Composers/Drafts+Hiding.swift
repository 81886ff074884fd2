import HoldfastCore
import HoldfastStore

/// Composers of conversations that are deleted, or brought back (SPEC H5).
extension Drafts {
  /// Stores unsaved content, hides the conversation in the transaction of `body`, and empties its composers. After
  /// that, only the store has their texts, for Undo.
  ///
  /// - Parameter slots: the drafts that are hidden. The others stay in their composers.
  package func hide(
    _ id: ConversationID, slots: [DraftSlot] = [.new, .edit], _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    let result = table.withLock { table -> Result<Void, ChatError> in
      table.adoptRenames()
      let keys = Self.keys(of: id, slots).filter { table.entries[$0] != nil }
      for key in keys {
        table.load(key)
        if case .failure(let error) = table.write(key) { return .failure(error) }
      }
      do throws(ChatError) {
        try store.write(body)
      } catch {
        return .failure(error)
      }
      for key in keys { table.entries[key]?.end() }
      return .success(())
    }
    announce(DraftKey(conversation: id))
    try result.get()
  }

  /// Hides every conversation in the transaction of `body`, and empties all composers.
  func hideAll(_ body: (Transaction) throws -> Void) throws(ChatError) {
    let result = table.withLock { table -> Result<[DraftKey], ChatError> in
      do throws(ChatError) {
        try store.write(body)
      } catch {
        return .failure(error)
      }
      let keys = Self.ordered(table.entries.keys)
      for key in keys { table.entries[key]?.end() }
      return .success(keys)
    }
    for key in try result.get() { announce(key) }
  }

  /// Shows the conversation again in the transaction of `body`. Its composers take over the stored drafts.
  ///
  /// - Parameter slots: the drafts that were hidden.
  package func show(
    _ id: ConversationID, slots: [DraftSlot] = [.new, .edit], _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    let result = table.withLock { table -> Result<Void, ChatError> in
      let keys = Self.keys(of: id, slots)
      do throws(ChatError) {
        let kept = try store.write { transaction in
          try body(transaction)
          return try keys.map { try transaction.kept($0) }
        }
        for (key, kept) in zip(keys, kept) { table.entries[key]?.follow(kept) }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    announce(DraftKey(conversation: id))
    try result.get()
  }

  private static func keys(of id: ConversationID, _ slots: [DraftSlot]) -> [DraftKey] {
    slots.map { DraftKey(conversation: id, slot: $0) }
  }
}
