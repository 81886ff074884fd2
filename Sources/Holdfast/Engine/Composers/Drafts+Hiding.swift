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
    defer { announce(DraftKey(conversation: id)) }
    try locked { table throws(ChatError) in
      table.adoptRenames()
      let keys = Self.keys(of: id, slots).filter { table[$0] != nil }
      for key in keys {
        table.load(key)
        try table.write(key)
      }
      try store.write(body)
      for key in keys { table[key]?.end() }
    }
  }

  /// Hides every conversation in the transaction of `body`, and empties all composers.
  func hideAll(_ body: (Transaction) throws -> Void) throws(ChatError) {
    let keys = try locked { table throws(ChatError) in
      try store.write(body)
      return table.endAll()
    }
    for key in keys { announce(key) }
  }

  /// Shows the conversation again in the transaction of `body`. Its composers take over the stored drafts.
  ///
  /// - Parameter slots: the drafts that were hidden.
  package func show(
    _ id: ConversationID, slots: [DraftSlot] = [.new, .edit], _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    defer { announce(DraftKey(conversation: id)) }
    try locked { table throws(ChatError) in
      let keys = Self.keys(of: id, slots)
      let kept = try store.write { transaction in
        try body(transaction)
        return try keys.map { try transaction.kept($0) }
      }
      for (key, kept) in zip(keys, kept) { table[key]?.follow(kept) }
    }
  }

  private static func keys(of id: ConversationID, _ slots: [DraftSlot]) -> [DraftKey] {
    slots.map { DraftKey(conversation: id, slot: $0) }
  }
}
