import Foundation
import HoldfastCore
import HoldfastStore

/// Drafts of merged conversations (rule D15).
extension DraftTable {
  /// Follows conversations that were merged, by this process or another. Composers of either write into the one
  /// draft. Text that was typed for the conversation that no longer exists moves to the draft of the one that remains.
  mutating func adoptJoins() {
    let names = storage.store.names
    guard seenNames != names.revision else { return }
    seenNames = names.revision
    joinComposers()
    bannersShown = Set(bannersShown.map(storage.whole))
    for key in keys where storage.whole(key) != key {
      guard let entry = self[key] else { continue }
      self[key] = nil
      move(entry, to: storage.whole(key))
    }
  }

  /// Moves the unsaved part of an entry to another key. Everything else is in the store under that key.
  private mutating func move(_ entry: DraftEntry, to key: DraftKey) {
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
