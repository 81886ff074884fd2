import Foundation
import HoldfastCore
import HoldfastStore

/// A composer's content on its way to the store and back.
extension Drafts {
  package func write(_ key: DraftKey, in entries: inout [DraftKey: Entry]) -> Result<Void, ChatError> {
    guard var entry = entries[key], entry.buffer.hasChanges else { return .success(()) }
    guard entry.isLoaded else {
      entry.buffer.failed(now: environment.uptime())
      entries[key] = entry
      return .failure(
        entry.problem ?? ChatError(.storageBusy, "The draft has not been loaded yet. Try again."))
    }
    do throws(ChatError) {
      var saved = entry
      lazy var newID = environment.makeID()
      try store.writeDraft { transaction in
        // A full disk has the reserve, and asks a second time.
        saved = entry
        try saved.join(try others(entry, key, transaction))
        // Nothing was typed: it follows the other process, as any composer that rests.
        guard saved.buffer.hasChanges else { return }
        (saved.versionCount, saved.edition) = try save(key, saved, newID: newID, in: transaction)
        let content = saved.buffer.content
        saved.buffer.wrote(content)
        saved.writtenAt = saved.buffer.isNothing(content) ? nil : environment.now()
      }
      // That it is on the disk does not make it shorter.
      if saved.problem?.isAboutText != true { saved.problem = nil }
      entries[key] = saved
      // Another process's text is in it now, and nothing may have been committed.
      if saved.turn != entry.turn { announce(key) }
      return .success(())
    } catch {
      entry.buffer.failed(now: environment.uptime())
      entry.problem = error
      entries[key] = entry
      environment.logger.error("draft not saved", metadata: ["code": "\(error.code)"])
      return .failure(error)
    }
  }

  /// Stores a composer's content, and the versions that it leaves behind. Gives how many versions there are then, and
  /// what is stored.
  ///
  /// - Parameter newID: the draft's, when there is none yet.
  package func save(
    _ key: DraftKey, _ entry: Entry, newID: @autoclosure () -> String, in transaction: Transaction
  ) throws -> (versionCount: Int, edition: DraftEdition?) {
    let count = try saveContent(key, entry, newID: newID(), in: transaction)
    return (count, try edition(key, transaction))
  }

  private func saveContent(
    _ key: DraftKey, _ entry: Entry, newID: @autoclosure () -> String, in transaction: Transaction
  ) throws -> Int {
    let content = entry.buffer.content
    guard content.text.utf8.count <= Self.maximumBytes else {
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
      versions.filter { $0.text.utf8.count <= Self.maximumBytes }, of: key, besides: entry.versionCount,
      now: now)
  }

  /// Does nothing where conversations are made by somebody else.
  package func makeConversation(_ id: ConversationID, in transaction: Transaction, now: Date) throws {
    guard let conversationOwner, id.isWellFormed else { return }
    try transaction.createConversation(id, title: nil, members: [conversationOwner], now: now)
  }

  package func load(_ key: DraftKey, in entries: inout [DraftKey: Entry]) {
    let typed = entries[key]
    guard typed?.isLoaded != true else { return }
    do throws(ChatError) {
      install(try kept([key])[0], as: key, in: &entries)
    } catch {
      var entry = typed ?? Entry(buffer: DraftBuffer(stored: DraftContent()), isLoaded: false)
      entry.problem = error
      entries[key] = entry
    }
  }

  /// What the store has becomes the composer's, in front of what was typed before it was read.
  private func install(_ stored: KeptDraft, as key: DraftKey, in entries: inout [DraftKey: Entry]) {
    let typed = entries[key]
    guard typed?.isLoaded != true else { return }
    let draft = stored.draft
    var entry = Entry(buffer: stored.buffer, isLoaded: true)
    entry.editing = draft?.editing
    entry.versionCount = stored.versionCount
    entry.isToBeRestored = draft != nil
    entry.isRecovered = draft.map { $0.session != session && !wasShown(key) } ?? false
    entry.writtenAt = draft?.updatedAt
    entry.edition = draft?.edition
    entry.turn = typed?.turn ?? DraftTurn()
    if let typed, !typed.buffer.content.isEmpty {
      _ = entry.buffer.edit(
        DraftContent.merge(entry.buffer.content, typed.buffer.content), now: environment.uptime())
      entry.turn.wrote(nil)
    }
    entries[key] = entry
  }

  /// Loads drafts from the same snapshot of the store as whatever else `read` gives. No save of this process lies between
  /// the two.
  func loading<Value: Sendable>(
    _ read: () throws(ChatError) -> (Value, [DraftKey: KeptDraft])
  ) throws(ChatError) -> Value {
    let result = entries.withLock { entries -> Result<Value, ChatError> in
      adoptRenames(in: &entries)
      do throws(ChatError) {
        let (value, drafts) = try read()
        for key in Self.ordered(drafts.keys) {
          if let draft = drafts[key] { install(draft, as: key, in: &entries) }
        }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension ChatError {
  /// The text cannot be sent as it is, wherever it is stored.
  var isAboutText: Bool { code == .emptyMessage || code == .messageTooLong }
}
