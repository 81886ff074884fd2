import Foundation
import HoldfastCore
import HoldfastStore

extension Drafts {
  /// Carries the drafts of a conversation over to its new ID, in the transaction of `body`, which renames everything
  /// else. Where the new ID has a draft too, the texts are joined: nothing is lost, and what both say is there once.
  package func rename(
    _ old: ConversationID, to new: ConversationID, _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      let keys = [old, new].flatMap { id in
        [DraftKey(conversation: id), DraftKey(conversation: id, slot: .edit)]
      }
      adoptRenames(in: &entries)
      for key in keys { load(key, in: &entries) }
      var loaded = keys.compactMap { entries[$0] }.filter(\.isLoaded)
      guard loaded.count == keys.count else {
        return .failure(ChatError(.storageBusy, "The drafts have not been loaded yet. Try again."))
      }
      let joined: JoinedDrafts
      do throws(ChatError) {
        joined = try store.write { transaction in
          for index in keys.indices {
            try loaded[index].join(try othersUnderAnyID(loaded[index], keys[index], transaction))
          }
          var joined = JoinedDrafts(old: (loaded[0], loaded[1]), new: (loaded[2], loaded[3]))
          if joined.isMessageJoined { for key in [keys[0], keys[2]] { try transaction.deleteDraft(key) } }
          if joined.isEditJoined { try transaction.deleteDraft(keys[1]) }
          try body(transaction)
          if joined.isMessageJoined {
            _ = try save(keys[2], joined.message, newID: environment.makeID(), in: transaction)
          }
          joined.stored(
            versionCounts: (
              try transaction.versionCount(of: keys[2]), try transaction.versionCount(of: keys[3])
            ), editions: (try edition(keys[2], transaction), try edition(keys[3], transaction)),
            at: environment.now())
          return joined
        }
      } catch {
        return .failure(error)
      }
      for (index, entry) in [joined.message, joined.edit].enumerated() {
        entries[keys[index]] = nil
        entries[keys[index + 2]] = entry
      }
      adoptRenames(in: &entries)
      return .success(())
    }
    if case .failure(let error) = result, error.code == .draftChanged { followOthers() }
    announce(DraftKey(conversation: new))
    try result.get()
  }

  /// The draft's key as its conversation is called now.
  package func current(_ key: DraftKey, in entries: inout [DraftKey: Entry]) -> DraftKey {
    adoptRenames(in: &entries)
    return current(key)
  }

  /// Conversations may have been renamed, by another process too: composers that know one by an earlier ID write into
  /// the draft that it has now, and what was typed under the earlier one goes with it.
  func adoptRenames(in entries: inout [DraftKey: Entry]) {
    let renames = store.aliases.renames
    let areKnown = desk.withLock { desk in
      defer { desk.renames = renames }
      return desk.renames == renames
    }
    guard !areKnown else { return }
    desk.withLock { desk in
      for (old, composers) in desk.composers where store.aliases.current(old) != old {
        desk.composers[old] = nil
        desk.composers[store.aliases.current(old), default: []].formUnion(composers)
      }
    }
    for key in Self.ordered(entries.keys) where current(key) != key {
      guard let entry = entries.removeValue(forKey: key) else { continue }
      move(entry, to: current(key), in: &entries)
    }
  }

  /// What rests is in the store, under the new ID: only what is unsaved is carried over.
  private func move(_ entry: Entry, to key: DraftKey, in entries: inout [DraftKey: Entry]) {
    guard var target = entries[key] else {
      entries[key] = entry
      return
    }
    if target.isLoaded, !target.buffer.hasChanges {
      // Nothing was typed under the new ID. Its draft in the store is the one that the earlier ID had.
      let turn = target.turn
      entries[key] = nil
      load(key, in: &entries)
      target = entries[key] ?? target
      target.turn = turn
      (target.isRecovered, target.isToBeRestored) = (entry.isRecovered, entry.isToBeRestored)
    }
    let now = environment.uptime()
    target.turn.overtake(entry.turn)
    var text = entry.buffer.content
    // Files are in the store as soon as they are picked, and were carried over there.
    text.attachments = target.buffer.content.attachments
    if entry.buffer.isTyped, !text.text.hasSameBytes(as: target.buffer.content.text) {
      if target.editing == entry.editing {
        _ = target.buffer.edit(DraftContent.merge(target.buffer.content, text), now: now)
      } else if target.editing == nil {
        target = entry
      } else {
        // One message is edited at a time: the other text goes behind the new message.
        let new = DraftKey(conversation: key.conversation)
        load(new, in: &entries)
        guard var message = entries[new] else { return }
        _ = message.buffer.edit(
          DraftContent.merge(message.buffer.content, DraftContent(text.text)), now: now)
        message.turn.wrote(nil)
        entries[new] = message
      }
    }
    // A draft that was sent or discarded meanwhile does not come back as a version.
    let isSameDraft = entry.edition?.id == target.edition?.id
    for text in isSameDraft ? entry.buffer.setAside : entry.buffer.setAsideHere {
      target.buffer.setAside(text, now: now)
    }
    entries[key] = target
  }
}

/// The drafts of two conversations as those of one. Pure.
struct JoinedDrafts {
  private(set) var message: Drafts.Entry
  private(set) var edit: Drafts.Entry
  /// Both conversations had one: the text is to be stored anew.
  private(set) var isMessageJoined = false
  /// Both had one: that of the old ID is gone, or is in the message.
  private(set) var isEditJoined = false

  typealias Pair = (message: Drafts.Entry, edit: Drafts.Entry)

  init(old: Pair, new: Pair) {
    edit = new.edit.editing == nil ? old.edit : new.edit
    message = new.message.isVacant ? old.message : new.message
    var texts = [new.message.buffer.content, old.message.buffer.content]
    if old.edit.editing != nil, new.edit.editing != nil {
      isEditJoined = true
      let text = old.edit.buffer.content
      let isKept =
        old.edit.editing == new.edit.editing && text.text.hasSameBytes(as: new.edit.buffer.content.text)
      // One message is edited at a time. The text of the other edit is not to be lost.
      if !isKept, !old.edit.buffer.isNothing(text) { texts.append(DraftContent(text.text)) }
    }
    isMessageJoined = texts.count > 2 || !(old.message.isVacant || new.message.isVacant)
    if isMessageJoined {
      let content = texts.reduce(DraftContent()) { joined, next in
        guard joined.text.hasSameBytes(as: next.text) else { return DraftContent.merge(joined, next) }
        var joined = joined
        joined.attachments = DraftContent.joined(joined.attachments, next.attachments)
        return joined
      }
      message.buffer.restart(
        with: content, setAside: new.message.buffer.setAside + old.message.buffer.setAside)
    }
    // Composers on either count from the greater number on.
    message.turn = new.message.turn
    message.turn.overtake(old.message.turn)
    edit.turn = new.edit.turn
    edit.turn.overtake(old.edit.turn)
  }

  /// The text is on disk.
  mutating func stored(
    versionCounts: (message: Int, edit: Int), editions: (message: DraftEdition?, edit: DraftEdition?),
    at date: Date
  ) {
    (message.versionCount, edit.versionCount) = versionCounts
    (message.edition, edit.edition) = editions
    guard isMessageJoined else { return }
    message.buffer.wrote(message.buffer.content)
    message.writtenAt = date
  }
}

extension Drafts.Entry {
  /// Nothing is in it, and nothing of it is stored.
  fileprivate var isVacant: Bool { buffer.content.isEmpty && buffer.stored == DraftContent() }
}
