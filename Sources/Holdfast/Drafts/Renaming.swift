import Foundation

extension Drafts {
  /// Carries the drafts of a conversation over to its new ID, in the transaction of `body`, which renames everything
  /// else. Where the new ID has a draft too, the texts are joined: nothing is lost, and what both say is there once.
  func rename(
    _ old: ConversationID, to new: ConversationID, _ body: (Transaction) throws -> Void
  ) throws(ChatError) {
    let result = entries.withLock { entries -> Result<Void, ChatError> in
      let keys = [old, new].flatMap { id in
        [DraftKey(conversation: id), DraftKey(conversation: id, slot: .edit)]
      }
      for key in keys { load(key, in: &entries) }
      let loaded = keys.compactMap { entries[$0] }.filter(\.isLoaded)
      guard loaded.count == keys.count else {
        return .failure(ChatError(.storageBusy, "The drafts have not been loaded yet. Try again."))
      }
      var joined = JoinedDrafts(old: (loaded[0], loaded[1]), new: (loaded[2], loaded[3]))
      do throws(ChatError) {
        joined.versionCounts = try store.write { transaction in
          if joined.isMessageJoined { for key in [keys[0], keys[2]] { try transaction.deleteDraft(key) } }
          if joined.isEditJoined { try transaction.deleteDraft(keys[1]) }
          try body(transaction)
          if joined.isMessageJoined { _ = try save(keys[2], joined.message, in: transaction) }
          return (try transaction.db.versionCount(of: keys[2]), try transaction.db.versionCount(of: keys[3]))
        }
      } catch {
        return .failure(error)
      }
      joined.stored(at: environment.now())
      for (index, entry) in [joined.message, joined.edit].enumerated() {
        entries[keys[index]] = nil
        entries[keys[index + 2]] = entry
      }
      desk.withLock { desk in
        guard let composers = desk.composers.removeValue(forKey: old) else { return }
        desk.composers[new, default: []].formUnion(composers)
      }
      return .success(())
    }
    announce(DraftKey(conversation: new))
    try result.get()
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
        joined.text.hasSameBytes(as: next.text) ? joined : DraftContent.merge(joined, next)
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

  var versionCounts: (Int, Int) {
    get { (message.versionCount, edit.versionCount) }
    set { (message.versionCount, edit.versionCount) = newValue }
  }

  /// The text is on disk.
  mutating func stored(at date: Date) {
    guard isMessageJoined else { return }
    message.buffer.wrote(message.buffer.content)
    message.writtenAt = date
  }
}

extension Drafts.Entry {
  /// Nothing is in it, and nothing of it is stored.
  fileprivate var isVacant: Bool { buffer.content.isEmpty && buffer.stored == DraftContent() }
}
