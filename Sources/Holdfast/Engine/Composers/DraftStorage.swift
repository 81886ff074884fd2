import Foundation
import HoldfastCore
import HoldfastStore

/// The way of drafts to the store and back: what is read for a composer, and what is written within a transaction.
package struct DraftStorage: Sendable {
  package let store: Store
  let environment: ChatEnvironment
  /// The ID of this launch of the app.
  let session: String
  /// The account whose conversations are made when they are missing. Nil: a draft of a missing conversation is refused.
  let conversationOwner: UserID?
  let intervals: ChatConfiguration.SaveIntervals

  /// The composer of a draft that has not been read.
  var unloaded: DraftEntry {
    DraftEntry(buffer: DraftBuffer(stored: DraftContent(), intervals: intervals), isLoaded: false)
  }

  /// The stored drafts for their composers, all from one snapshot. A deleted conversation has none.
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

  /// Stores a composer's content, and the versions that it leaves behind. Gives how many versions there are then, and
  /// what is stored.
  ///
  /// - Parameter newID: the draft's, when there is none yet.
  package func save(
    _ key: DraftKey, _ entry: DraftEntry, newID: @autoclosure () -> String, in transaction: Transaction
  ) throws -> (versionCount: Int, edition: DraftEdition?) {
    let count = try saveContent(key, entry, newID: newID(), in: transaction)
    return (count, try edition(key, transaction))
  }

  private func saveContent(
    _ key: DraftKey, _ entry: DraftEntry, newID: @autoclosure () -> String, in transaction: Transaction
  ) throws -> Int {
    let content = entry.buffer.content
    guard content.text.utf8.count <= Drafts.maximumBytes else {
      throw ChatError(.draftTooLong, "The draft is over 8 MB. Shorten it; it stays in the composer.")
    }
    let isNothing = entry.buffer.isNothing(content)
    let versions = entry.buffer.versions
    if isNothing { try transaction.deleteDraft(key) }
    guard !isNothing || !versions.isEmpty else { return entry.versionCount }
    let now = environment.now()
    try makeConversation(key.conversation, in: transaction, now: now)
    try transaction.requireConversation(key.conversation)
    if !isNothing {
      try transaction.saveDraft(
        key, content: content, editing: entry.editing, newID: newID(), session: session, now: now)
      if content.attachments != entry.buffer.stored.attachments {
        try transaction.setAttachments(content.attachments, of: .draft(key))
      }
    }
    // Those that are too long to be stored as a draft are none that was ever stored.
    return try transaction.keepVersions(
      versions.filter { $0.text.utf8.count <= Drafts.maximumBytes }, of: key, besides: entry.versionCount,
      now: now)
  }

  /// Does nothing when the app makes the conversations itself.
  package func makeConversation(_ id: ConversationID, in transaction: Transaction, now: Date) throws {
    guard let conversationOwner, id.isWellFormed else { return }
    try transaction.createConversation(id, title: nil, members: [conversationOwner], now: now)
  }

  /// What another process has made of the draft since it was read or written here. Nil: nothing.
  package func others(_ entry: DraftEntry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft? {
    // Renamed a moment ago: the next try has the new ID.
    guard transaction.current(key.conversation) == key.conversation else { throw Self.changedElsewhere }
    return try othersUnderAnyID(entry, key, transaction)
  }

  func othersUnderAnyID(_ entry: DraftEntry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft?
  {
    guard store.isShared else { return nil }
    let kept = try transaction.kept(key)
    return kept.draft?.edition == entry.edition ? nil : kept
  }

  /// What another process has stored of a draft that is about to be sent or discarded. Refuses what nobody here has
  /// seen: the text may have been sent already.
  func othersBeforeEnd(_ entry: DraftEntry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft?
  {
    guard let others = try others(entry, key, transaction) else { return nil }
    let areSameFiles = entry.buffer.content.attachments == others.draft?.content.attachments ?? []
    guard entry.buffer.isTyped, areSameFiles else { throw Self.changedElsewhere }
    guard let draft = others.draft else { return nil }
    let isCovered = draft.editing == entry.editing && draft.content.isCovered(by: entry.buffer.content)
    return isCovered ? nil : others
  }

  /// Ends the draft. What another process has stored since stays one, without the files, which both have and which go
  /// with what is ended; it is newer than what was sent from now on.
  package func end(_ key: DraftKey, leaving others: KeptDraft?, _ transaction: Transaction) throws
    -> KeptDraft?
  {
    guard let others else {
      try transaction.endDraft(key)
      return nil
    }
    if others.draft?.content.attachments.isEmpty == false {
      try transaction.setAttachments([], of: .draft(key))
    }
    try transaction.deleteVersions(of: key)
    try transaction.renewDraft(key)
    return try transaction.kept(key)
  }

  /// The draft as it is in the store. Asked only where others write.
  func edition(_ key: DraftKey, _ transaction: Transaction) throws -> DraftEdition? {
    store.isShared ? try transaction.draft(key)?.edition : nil
  }

  static var changedElsewhere: ChatError {
    ChatError(
      .draftChanged, "Another part of the app has changed the draft, or sent it. Look at it, and try again.")
  }

  /// Tells the composers of a conversation that its draft has changed.
  func announce(_ key: DraftKey) {
    store.changes.publish(Changes(drafts: [store.aliases.current(key.conversation)]))
  }

  /// The key of the draft under its conversation's present ID (SPEC D15).
  func current(_ key: DraftKey) -> DraftKey {
    DraftKey(conversation: store.aliases.current(key.conversation), slot: key.slot)
  }
}
