import Foundation
import HoldfastCore
import HoldfastStore
import Synchronization

/// A discarded draft, while it can be brought back. Its files have no name on the disk, and are deleted once this value
/// is.
package struct DiscardedDraft: Sendable {
  package let content: DraftContent
  /// The files that have not been brought back yet.
  package var files: [ChatAttachment.ID: OpenFile]
  /// The number of times that all drafts had been cleared when this draft was discarded.
  let clearings: Int
  /// Whether the text has been brought back. That happens once, however often the files are tried.
  var isTextBack = false

  /// Whether there was no room for some of the files. They can be tried again.
  package var hasFilesLeft: Bool { !files.isEmpty }
}

extension Drafts {
  /// Empties a composer and deletes its draft with its versions and files, in one transaction. Then the text is removed
  /// from the journal too (rules D10, S9). Returns the discarded draft.
  ///
  /// - Parameter isRecovered: whether the banner was about a restored draft. The discard of such a draft is counted.
  package func discard(_ key: DraftKey, isRecovered: Bool = false) throws(ChatError) -> DiscardedDraft {
    let discarded = try move(key) { content, transaction in
      if isRecovered { try transaction.metrics.add(DraftMetrics.recoveredDiscardedMetric, [0: 1]) }
      transaction.changes.remnants = true
      let files = content.attachments.compactMap { attachment in
        (try? OpenFile(reading: store.attachments.file(of: attachment.checksum))).map { (attachment.id, $0) }
      }
      return DiscardedDraft(
        content: content, files: Dictionary(files) { first, _ in first },
        clearings: clearings.load(ordering: .relaxed))
    }
    store.emptyJournal(environment.logger)
    return discarded
  }

  /// Empties every composer and deletes every draft, in the transaction of `body`. Drafts that were discarded before
  /// can then no longer be brought back.
  func clearAll(_ body: (Transaction) throws -> Void) throws(ChatError) {
    let keys = try locked { table throws(ChatError) in
      try store.write { transaction in
        try transaction.drafts.deleteAll()
        transaction.changes.remnants = true
        try body(transaction)
      }
      let keys = table.endAll()
      // The store has no draft left to load.
      for key in keys { table[key]?.isLoaded = true }
      clearings.add(1, ordering: .relaxed)
      return keys
    }
    for key in keys { announce(key) }
  }

  /// Puts a discarded draft back, in front of text that was typed since, and stores it. The attachments follow one by
  /// one.
  ///
  /// - Throws: ``ChatError`` with a storage code. The text is in the composer even then, and
  ///   `discarded` keeps the files that could not be brought back.
  package func restore(_ key: DraftKey, _ discarded: inout DiscardedDraft) throws(ChatError) {
    guard clearings.load(ordering: .relaxed) == discarded.clearings else {
      discarded.files = [:]
      return
    }
    let content = discarded.content
    if !discarded.isTextBack {
      let typed = open(key).buffer.content
      edit(key, typed.isEmpty ? content : DraftContent.merge(content, typed))
      discarded.isTextBack = true
    }
    try save(key)
    for attachment in content.attachments {
      guard let file = discarded.files[attachment.id] else { continue }
      try store.copying { () throws(ChatError) in
        let copy = try store.copyAttachment(named: environment.makeID(), atMost: .max) {
          try file.read(OpenFile.pieceBytes, at: $0)
        }
        _ = try attach(key, copy, name: attachment.name, mediaType: attachment.mediaType, atMost: .max)
      }
      discarded.files[attachment.id] = nil
    }
  }

  // MARK: Deleted conversations

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
}
