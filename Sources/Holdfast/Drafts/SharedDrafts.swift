import Foundation
import HoldfastCore
import HoldfastStore

/// Composers in a store that another process writes to as well (SPEC O15, D13). Which of two texts is newer is decided
/// by the store-wide revision, and what was typed on either side is lost on none.
///
/// ```
///                            the other process stores, sends or discards the draft
///   nothing unsaved here ─────────────────────────────────────────────────────────► follows
///   typed, and not saved ──► stays as it is; the save puts it behind the other's text
///                        ──► or is sent alone, and the other's text stays a draft
///   an edit, and the other process edits another message ──► is stored once that one is finished
///   files ── are stored when they are picked: those of the store are the draft's, whoever picked them
/// ```
extension Drafts {
  /// Another process has written: composers with nothing unsaved take over what it stored.
  func followOthers() {
    for key in takeOver() { announce(key) }
  }

  private func takeOver() -> [DraftKey] {
    entries.withLock { entries in
      adoptRenames(in: &entries)
      let resting = entries.filter {
        $0.value.isLoaded && !$0.value.buffer.isTyped && $0.value.buffer.setAside.isEmpty
      }
      let keys = Self.ordered(resting.keys)
      guard !keys.isEmpty else { return [] }
      do throws(ChatError) {
        // All from one snapshot, and the lock keeps every save of our own in front of it or behind it.
        let drafts = try kept(keys)
        return zip(keys, drafts).compactMap { key, kept in
          guard let entry = entries[key] else { return nil }
          if kept.draft?.edition != entry.edition {
            entries[key]?.follow(kept)
          } else if kept.versionCount != entry.versionCount {
            // Written and emptied there: only a version is left of it.
            entries[key]?.versionCount = kept.versionCount
          } else {
            return nil
          }
          return key
        }
      } catch {
        environment.logger.error("drafts not read", metadata: ["code": "\(error.code)"])
        return []
      }
    }
  }

  /// What another process has made of the draft since it was read or written here. Nil: nothing.
  package func others(_ entry: Entry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft? {
    // Renamed a moment ago: the next try has the new ID.
    guard transaction.current(key.conversation) == key.conversation else { throw Self.changedElsewhere }
    return try othersUnderAnyID(entry, key, transaction)
  }

  func othersUnderAnyID(_ entry: Entry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft? {
    guard store.isShared else { return nil }
    let kept = try transaction.kept(key)
    return kept.draft?.edition == entry.edition ? nil : kept
  }

  /// What another process has stored of a draft that is about to be sent or discarded. Refuses what nobody here has
  /// seen: the text may have been sent already.
  func othersBeforeEnd(_ entry: Entry, _ key: DraftKey, _ transaction: Transaction) throws -> KeptDraft? {
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
}

extension Drafts.Entry {
  /// Holds what another process has stored, and nothing when it has sent or discarded the draft.
  package mutating func follow(_ others: KeptDraft) {
    if let draft = others.draft {
      let stored = draft.content.restorable
      if draft.editing == nil {
        buffer.overtake(stored: stored, isAnother: isAnother(draft), with: stored)
      } else {
        buffer = others.buffer
      }
      turn.wrote(nil)
      (editing, edition, writtenAt) = (draft.editing, draft.edition, draft.updatedAt)
      (isRecovered, isToBeRestored, problem) = (false, false, nil)
    } else {
      end()
    }
    versionCount = others.versionCount
  }

  /// The draft that was known here was sent or discarded, and this one was begun since, or none was.
  private func isAnother(_ draft: StoredDraft?) -> Bool { draft?.edition.id != edition?.id }

  /// Takes in what another process has made of the draft: what was typed here stays, behind the other's text. Nothing is
  /// on disk by that.
  mutating func join(_ others: KeptDraft?) throws {
    guard let others else { return }
    guard buffer.isTyped else { return follow(others) }
    guard others.draft.map({ $0.editing == editing }) ?? true else {
      throw ChatError(
        .editInProgress, "You are editing another message. Finish that edit or discard it first.")
    }
    let (before, stored) = (buffer.content, others.draft?.content.restorable ?? DraftContent())
    var joined = before.joined(to: stored, since: buffer.stored)
    joined.attachments = stored.attachments
    buffer.overtake(stored: stored, isAnother: isAnother(others.draft), with: joined)
    if buffer.content != before { turn.wrote(nil) }
    (edition, versionCount) = (others.draft?.edition, others.versionCount)
  }
}

extension DraftContent {
  /// Both texts, the other's first; one alone where it has the other in it, as when both went on from the same. The
  /// answered message is whichever was chosen since `base`.
  fileprivate func joined(to others: DraftContent, since base: DraftContent) -> DraftContent {
    guard others.isCovered(by: self) else { return DraftContent.merge(others, self) }
    var joined = self
    if replyTo == base.replyTo, !others.isEmpty { joined.replyTo = others.replyTo }
    return joined
  }

  fileprivate func isCovered(by other: DraftContent) -> Bool {
    hasBlankText || other.text.contains(text)
  }
}
