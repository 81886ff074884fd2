import Foundation
import HoldfastCore
import HoldfastStore

/// Reads drafts from the store for their composers, and writes them within a transaction.
package struct DraftStorage: Sendable {
  package let store: Store
  let environment: ChatEnvironment
  /// The ID of this launch of the app.
  let session: String
  /// The account that owns the conversations created for drafts. Nil when a draft of a missing conversation is refused.
  let conversationOwner: UserID?
  let intervals: ChatConfiguration.SaveIntervals

  /// The entry of a draft that has not been read.
  var unloaded: DraftEntry {
    DraftEntry(buffer: DraftBuffer(stored: DraftContent(), intervals: intervals), isLoaded: false)
  }

  /// The stored drafts for these composers, all from one snapshot. A deleted conversation has no drafts.
  package func kept(_ keys: [DraftKey]) throws(ChatError) -> [KeptDraft] {
    try store.read { db in
      try keys.map { key in
        guard !store.deletions.isHidden(key.conversation) else {
          return KeptDraft(draft: nil, original: nil, versionCount: 0)
        }
        return try db.drafts.kept(key)
      }
    }
  }

  /// Stores a composer's content, and the versions that it leaves behind. Returns the number of versions and the stored
  /// edition afterwards.
  ///
  /// - Parameter newID: the draft's ID, for a draft that is not stored yet.
  package func save(
    _ key: DraftKey, _ entry: DraftEntry, newID: @autoclosure () -> String, in transaction: Transaction
  ) throws -> (versionCount: Int, edition: DraftEdition?) {
    let content = entry.buffer.content
    guard content.text.utf8.count <= Drafts.maximumBytes else {
      throw ChatError(.draftTooLong, "The draft is over 8 MB. Shorten it; it stays in the composer.")
    }
    let isNothing = entry.buffer.isNothing(content)
    let versions = entry.buffer.versions
    if isNothing { try transaction.drafts.delete(key) }
    guard !isNothing || !versions.isEmpty else { return (entry.versionCount, try edition(key, transaction)) }
    let now = environment.now()
    try makeConversation(key.conversation, in: transaction, now: now)
    try transaction.conversations.require(key.conversation)
    if !isNothing {
      try transaction.drafts.save(
        key, content: content, editing: entry.editing, newID: newID(), session: session, now: now)
      if content.attachments != entry.buffer.stored.attachments {
        try transaction.attachments.set(content.attachments, of: .draft(key))
      }
    }
    // A text that is too long for a draft was never stored as one, and does not become a version.
    let versionCount = try transaction.drafts.keepVersions(
      versions.filter { $0.text.utf8.count <= Drafts.maximumBytes }, of: key, besides: entry.versionCount,
      now: now)
    return (versionCount, try edition(key, transaction))
  }

  /// Creates the conversation of a draft. Does nothing when the conversation exists, or when the app creates
  /// conversations itself.
  package func makeConversation(_ id: ConversationKey, in transaction: Transaction, now: Date) throws {
    guard let conversationOwner, id.isWellFormed else { return }
    try transaction.conversations.create(id, title: nil, members: [conversationOwner], now: now)
  }

  /// The draft as another process has changed it since it was read or written here. Nil when it is unchanged.
  package func others(_ entry: DraftEntry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft? {
    // This conversation was merged into another one a moment ago. The next try writes there.
    guard transaction.whole(of: key.conversation) == key.conversation else { throw Self.changedElsewhere }
    return try othersOfPart(entry, key, transaction)
  }

  func othersOfPart(_ entry: DraftEntry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft? {
    guard store.isShared else { return nil }
    let kept = try transaction.drafts.kept(key)
    return kept.draft?.edition == entry.edition ? nil : kept
  }

  /// The draft that another process has stored, for a draft that is about to be sent or discarded here. Nil when it is
  /// unchanged, or when the text here contains it. Throws `draftChanged` when nothing was typed here, or when the files
  /// differ: nobody here has seen the stored draft, and its text may have been sent already.
  func othersBeforeEnd(_ entry: DraftEntry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft?
  {
    guard let others = try others(entry, key, transaction) else { return nil }
    let areSameFiles = entry.buffer.content.attachments == others.draft?.content.attachments ?? []
    guard entry.buffer.isTyped, areSameFiles else { throw Self.changedElsewhere }
    guard let draft = others.draft else { return nil }
    let isCovered = draft.editing == entry.editing && draft.content.isCovered(by: entry.buffer.content)
    return isCovered ? nil : others
  }

  /// Ends the draft. A draft that another process has stored since stays, and is newer than the sent message from now
  /// on. It loses its files: both drafts have the same files, and these go with the ended draft. Returns the draft that
  /// stays. Nil when there is none.
  package func end(_ key: DraftKey, leaving others: KeptDraft?, _ transaction: Transaction) throws
    -> KeptDraft?
  {
    guard let others else {
      try transaction.drafts.end(key)
      return nil
    }
    if others.draft?.content.attachments.isEmpty == false {
      try transaction.attachments.set([], of: .draft(key))
    }
    try transaction.drafts.deleteVersions(of: key)
    try transaction.drafts.renew(key)
    return try transaction.drafts.kept(key)
  }

  /// The edition of the stored draft. It is read only where other processes write to the store, and is nil elsewhere.
  func edition(_ key: DraftKey, _ transaction: Transaction) throws -> DraftEdition? {
    store.isShared ? try transaction.drafts.restorable(key)?.edition : nil
  }

  static var changedElsewhere: ChatError {
    ChatError(
      .draftChanged, "Another part of the app has changed the draft, or sent it. Look at it, and try again.")
  }

  /// Notifies the composers of a conversation that its draft has changed.
  func announce(_ key: DraftKey) {
    store.changes.publish(Changes(drafts: [whole(key).conversation]))
  }

  /// The canonical key of the draft, which has the conversation that the given one was merged into (rule D15).
  func whole(_ key: DraftKey) -> DraftKey {
    DraftKey(conversation: store.names.whole(of: key.conversation), slot: key.slot)
  }
}
