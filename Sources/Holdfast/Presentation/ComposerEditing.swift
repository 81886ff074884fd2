import Foundation
import HoldfastCore
import HoldfastStore

/// The edit of an old message, the versions of a draft, and which of two composers writes.
extension ComposerModel {
  /// Shows the text of a message, or an unfinished edit of it, for editing. The unsent new message stays in its own
  /// draft, untouched, and is back when the edit is sent or cancelled (SPEC D1). What is typed is stored as any draft.
  ///
  /// ```swift
  /// composer.beginEdit(row.id)
  /// composer.edit("Half past eight, then")
  /// composer.send()                          // the message's text, and the new message is back
  /// ```
  ///
  /// One message of a conversation is edited at a time: another one is refused with a sentence in `snapshot.problem` as
  /// long as its edit is neither finished nor cancelled, in this window or an earlier launch. The unfinished edit of a
  /// message that has been deleted meanwhile is moved behind the new message. Costs two reads.
  public func beginEdit(_ message: MessageID) {
    attempt { () throws(ChatError) in
      guard try client.drafts.beginEdit(message, in: conversation, by: client.user) else { return }
      switchSlot(to: message)
      // Another text, even when it says the same.
      show(client.drafts.open(key), generation: snapshot.generation + 1)
    }
  }

  /// Ends the edit without changing the message: the unsent new message is back. What was typed is deleted, from the
  /// file too, and the banner offers Undo for some seconds. Outside an edit, it does so to an unfinished one.
  public func cancelEdit() {
    guard let message = editing ?? snapshot.unfinishedEdit else { return }
    let writtenAt = client.drafts.open(DraftKey(conversation: conversation, slot: .edit)).writtenAt
    attempt { () throws(ChatError) in
      if let draft = try client.drafts.cancelEdit(in: conversation) {
        discarded(draft, of: message, writtenAt: writtenAt)
      }
    }
    changed.raise()
  }

  /// Moves the text of the edit behind the unsent new message, in one transaction, and ends the edit: for the edit of a
  /// message that was deleted, and for one that has become a message of its own.
  public func turnEditIntoNewMessage() {
    guard editing != nil || snapshot.unfinishedEdit != nil else { return }
    attempt { () throws(ChatError) in try client.drafts.turnEditIntoNew(in: conversation) }
  }

  func undoCancelEdit(_ discarded: DiscardedDraft) {
    guard let message = discardedEdit else { return }
    discardedEdit = nil
    beginEdit(message)
    // The message is gone, or another one is edited: the text is not lost for that.
    guard editing == message else { return bringBack(discarded) }
    attempt { () throws(ChatError) in
      client.drafts.edit(key, discarded.content)
      try client.drafts.save(key)
    }
  }

  /// Earlier texts of what the composer holds, newest first: at most five, kept when a save would have lost much of one,
  /// and until it is sent or discarded (SPEC D18). What is unsaved is stored first.
  ///
  /// ```swift
  /// if let last = composer.versions().first { composer.restoreVersion(last.id) }   // "Take back"
  /// ```
  ///
  /// Empty as well when the store cannot be read or written: `snapshot.problem` says why.
  public func versions() -> [DraftVersion] {
    var versions: [DraftVersion] = []
    attempt { () throws(ChatError) in versions = try client.drafts.versions(key) }
    return versions
  }

  /// Puts an earlier text into the composer, in one transaction. What is there becomes a version itself.
  public func restoreVersion(_ id: DraftVersion.ID) {
    attempt { () throws(ChatError) in try client.drafts.restoreVersion(id, key) }
  }

  /// The user's cursor is in this composer. As long as it is, what another composer of the process was typed into on an
  /// older text does not stand over this one's: it is kept as a version (SPEC D13). Costs nothing.
  public func focus() {
    hasFocus = true
    client.drafts.focus(key, composer)
  }

  /// The user's cursor has left this composer. While none has the focus, the last one that is typed into writes.
  public func blur() {
    hasFocus = false
    client.drafts.blur(key, composer)
  }
}
