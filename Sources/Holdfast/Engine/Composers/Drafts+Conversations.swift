import Foundation
import HoldfastCore
import HoldfastStore

/// Composers of conversations that are deleted or brought back (rule H5), or get another ID (rule D15).
extension Drafts {
  /// Stores unsaved content, hides the conversation in the transaction of `body`, and empties its composers. After
  /// that, only the store has their texts, for Undo.
  ///
  /// - Parameter slots: the drafts that are hidden. The others stay in their composers.
  package func hide(
    _ id: ConversationKey, slots: [DraftSlot] = [.new, .edit], _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    try withdraw(id, slots: slots) { transaction in
      try body(transaction)
      return false
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
    _ id: ConversationKey, slots: [DraftSlot] = [.new, .edit], _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    defer { announce(DraftKey(conversation: id)) }
    try locked { table throws(ChatError) in
      let keys = Self.keys(of: id, slots)
      let kept = try store.write { transaction in
        try body(transaction)
        return try keys.map { try transaction.drafts.kept($0) }
      }
      for (key, kept) in zip(keys, kept) { table[key]?.follow(kept) }
    }
  }

  /// Empties the composers of a conversation that the server has removed, in the transaction of `body`, which returns
  /// whether something of it stays. Typed text is stored before, so that it stays.
  func withdraw(
    _ id: ConversationKey, slots: [DraftSlot] = [.new, .edit], _ body: (Transaction) throws -> Bool
  ) throws(ChatError) {
    defer { announce(DraftKey(conversation: id)) }
    try locked { table throws(ChatError) in
      let keys = Self.keys(of: id, slots).filter { table[$0] != nil }
      for key in keys {
        table.load(key)
        try table.write(key)
      }
      guard try !store.write(body) else { return }
      for key in keys { table[key]?.end() }
    }
  }

  private static func keys(of id: ConversationKey, _ slots: [DraftSlot]) -> [DraftKey] {
    slots.map { DraftKey(conversation: id, slot: $0) }
  }

  /// Gives a conversation another name. If another conversation has the name already, the drafts of both become one,
  /// in the transaction that merges the conversations.
  ///
  /// - Parameter prepare: runs first in the transaction. By default the conversation has to be there.
  package func rename(
    _ old: ConversationID, to new: ConversationID,
    preparing prepare: (ConversationKey, Transaction) throws -> Void = { try $1.conversations.require($0) }
  ) throws(ChatError) {
    guard old.isWellFormed, new.isWellFormed else { throw .malformedID }
    guard old != new else {
      throw ChatError(.sameConversation, "The conversation has this ID already. Give another one.")
    }
    let key = store.key(of: old)
    defer { announce(DraftKey(conversation: key)) }
    do throws(ChatError) {
      try locked { table throws(ChatError) in
        let holder = store.names.key(of: new)
        guard holder != key, store.names.name(of: holder) == new else {
          try store.write { transaction in
            try prepare(key, transaction)
            guard transaction.name(of: key) != new else { return }
            try transaction.conversations.rename(key, to: new)
          }
          return
        }
        try join(key, holder, in: &table) { transaction in
          try prepare(key, transaction)
          return try transaction.conversations.rename(key, to: new)
        }
      }
    } catch {
      if error.code == .draftChanged { followOthers() }
      throw error
    }
  }

  /// Joins the drafts of two conversations. `body` merges the conversations themselves, in the same transaction, and
  /// returns the one that stays. Its composers continue with both texts.
  private func join(
    _ first: ConversationKey, _ second: ConversationKey, in table: inout DraftTable,
    _ body: (Transaction) throws -> ConversationKey
  ) throws(ChatError) {
    let isHere = try store.read { try $0.conversations.isVisible(second) }
    let (old, new) = isHere ? (first, second) : (second, first)
    let keys = [old, new].flatMap { id in
      [DraftKey(conversation: id), DraftKey(conversation: id, slot: .edit)]
    }
    let typed = try keys.map { key throws(ChatError) in try table.loaded(key) }
    var loaded = typed
    let joined = try store.write { transaction in
      for index in keys.indices {
        try loaded[index].join(try storage.othersOfPart(loaded[index], keys[index], transaction))
      }
      var joined = JoinedDrafts(old: (loaded[0], loaded[1]), new: (loaded[2], loaded[3]))
      if joined.isMessageJoined { for key in [keys[0], keys[2]] { try transaction.drafts.delete(key) } }
      if joined.isEditJoined { try transaction.drafts.delete(keys[1]) }
      guard try body(transaction) == new else { throw DraftStorage.changedElsewhere }
      if joined.isMessageJoined {
        _ = try storage.save(keys[2], joined.message, newID: environment.makeID(), in: transaction)
      }
      joined.stored(
        versionCounts: (
          try transaction.drafts.versionCount(of: keys[2]), try transaction.drafts.versionCount(of: keys[3])
        ),
        editions: (try storage.edition(keys[2], transaction), try storage.edition(keys[3], transaction)),
        at: environment.now())
      joined.leaveUnsaved(old: (typed[0], typed[1]), new: (typed[2], typed[3]))
      return joined
    }
    for (index, entry) in [joined.message, joined.edit].enumerated() {
      table[keys[index]] = nil
      table[keys[index + 2]] = entry
    }
    table.adoptJoins()
  }
}
