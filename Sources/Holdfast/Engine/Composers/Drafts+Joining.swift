import Foundation
import HoldfastCore
import HoldfastStore

/// Conversations that get another ID, and the drafts of two conversations that become one (rule D15).
extension Drafts {
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

extension DraftTable {
  /// Follows conversations that were merged, by this process or another. Composers of either write into the one
  /// draft. Text that was typed for the conversation that no longer exists moves to the draft of the one that remains.
  mutating func adoptJoins() {
    let names = storage.store.names
    guard seenNames != names.revision else { return }
    seenNames = names.revision
    for (composer, state) in composers {
      composers[composer]?.conversation = names.whole(of: state.conversation)
    }
    bannersShown = Set(bannersShown.map(storage.whole))
    for key in keys where storage.whole(key) != key {
      guard let entry = self[key] else { continue }
      self[key] = nil
      adopt(entry, as: storage.whole(key))
    }
  }

  /// Moves the unsaved part of an entry to another key. Everything else is in the store under that key.
  private mutating func adopt(_ entry: DraftEntry, as key: DraftKey) {
    guard var target = self[key] else {
      self[key] = entry
      return
    }
    if target.isLoaded, !target.buffer.hasChanges {
      // Nothing was typed into the target. Its stored draft is the one that the merged conversation had.
      let turn = target.turn
      self[key] = nil
      load(key)
      target = self[key] ?? target
      target.turn = turn
      (target.isRecovered, target.isToBeRestored) = (entry.isRecovered, entry.isToBeRestored)
      target.isKept = entry.isKept
      // The next save joins the text with the one that another process has stored. Joined now, it would show a text
      // of that process that may be sent meanwhile.
      if storage.store.isShared, entry.isLoaded, entry.buffer.isTyped, entry.editing == target.editing {
        target.turn.overtake(entry.turn)
        self[key] = entry
        self[key]?.turn = target.turn
        return
      }
    }
    let now = storage.environment.uptime()
    target.turn.overtake(entry.turn)
    var text = entry.buffer.content
    // Files are stored as soon as they are picked, and joining has moved them in the store.
    text.attachments = target.buffer.content.attachments
    if entry.buffer.isTyped, !text.text.hasSameBytes(as: target.buffer.content.text) {
      if target.editing == entry.editing {
        _ = target.buffer.edit(DraftContent.merge(target.buffer.content, text), now: now)
      } else if target.editing == nil {
        target = entry
      } else {
        // Only one message is edited at a time: the text of the other edit goes behind the new message.
        let new = DraftKey(conversation: key.conversation)
        load(new)
        guard var message = self[new] else { return }
        _ = message.buffer.edit(
          DraftContent.merge(message.buffer.content, DraftContent(text.text)), now: now)
        message.turn.wrote(nil)
        self[new] = message
      }
    }
    // A draft that was sent or discarded meanwhile does not come back as a version.
    let isSameDraft = entry.edition?.id == target.edition?.id
    for text in isSameDraft ? entry.buffer.setAside : entry.buffer.setAsideHere {
      target.buffer.setAside(text, now: now)
    }
    self[key] = target
  }
}

/// The drafts of two conversations, joined into those of one. Pure.
struct JoinedDrafts {
  private(set) var message: DraftEntry
  private(set) var edit: DraftEntry
  /// Whether the new message was joined from several texts, and must be stored again.
  private(set) var isMessageJoined = false
  /// Whether both conversations had an edit. The edit of the old ID is then deleted, or its text is in the new message.
  private(set) var isEditJoined = false

  /// Whether the conversation with the old ID gave the draft, and the one with the new ID had none.
  private let isMessageOld: Bool
  private let isEditOld: Bool

  typealias Pair = (message: DraftEntry, edit: DraftEntry)

  init(old: Pair, new: Pair) {
    (isMessageOld, isEditOld) = (new.message.isVacant, new.edit.editing == nil)
    edit = isEditOld ? old.edit : new.edit
    message = isMessageOld ? old.message : new.message
    var texts = [new.message.buffer.content, old.message.buffer.content]
    if old.edit.editing != nil, new.edit.editing != nil {
      isEditJoined = true
      let text = old.edit.buffer.content
      let isKept =
        old.edit.editing == new.edit.editing && text.text.hasSameBytes(as: new.edit.buffer.content.text)
      // Only one message is edited at a time. The text of the other edit must not be lost.
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
    // Composers of either conversation continue from the greater number.
    message.turn = new.message.turn
    message.turn.overtake(old.message.turn)
    edit.turn = new.edit.turn
    edit.turn.overtake(old.edit.turn)
  }

  /// Replaces joined text that was not stored by the text that was typed here. Until its next save, the joined text
  /// would show the text of another process that may be sent meanwhile.
  ///
  /// - Parameters:
  ///   - old: the drafts of the old ID, as they were before they were joined with those of another process.
  ///   - new: the drafts of the new ID, likewise.
  mutating func leaveUnsaved(old: Pair, new: Pair) {
    let (ownMessage, ownEdit) = (isMessageOld ? old.message : new.message, isEditOld ? old.edit : new.edit)
    let (messageTurn, editTurn) = (message.turn, edit.turn)
    if !isMessageJoined, ownMessage.buffer.isTyped { message = ownMessage }
    if !isEditJoined, ownEdit.buffer.isTyped, ownEdit.editing == edit.editing { edit = ownEdit }
    (message.turn, edit.turn) = (messageTurn, editTurn)
  }

  /// Notes that the joined drafts are on disk.
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
