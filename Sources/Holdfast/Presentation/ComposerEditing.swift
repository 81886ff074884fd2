import Foundation
import HoldfastCore
import HoldfastStore

/// The edit of an existing message, the versions of a draft, and the focus among composers.
extension ComposerModel {
  /// Shows the text of a message, or an unfinished edit of it, for editing. The unsent new message stays untouched in
  /// its own draft, and is back when the edit is sent or cancelled (SPEC D1). The edit is stored like any draft.
  ///
  /// ```swift
  /// composer.beginEdit(row.id)
  /// composer.edit("Half past eight, then")
  /// composer.send()                          // the message's text, and the new message is back
  /// ```
  ///
  /// One message of a conversation is edited at a time. While an edit is neither finished nor cancelled, in this window
  /// or since an earlier launch, the edit of another message is refused with a sentence in `snapshot.problem`. If the
  /// message of an unfinished edit has been deleted, its edit is moved behind the new message. Costs two reads.
  public func beginEdit(_ message: MessageID) {
    attempt { () throws(ChatError) in
      guard try session.beginEdit(message) else { return }
      // The generation goes up even when both texts are the same.
      show(session.present().entry, generation: snapshot.generation + 1)
    }
  }

  /// Ends the edit without changing the message. The unsent new message is back. The text of the edit is deleted, from
  /// the file too, and the banner offers Undo for some seconds. Outside an edit, the call ends an unfinished edit.
  public func cancelEdit() {
    guard session.editing != nil || snapshot.unfinishedEdit != nil else { return }
    attempt { () throws(ChatError) in try session.cancelEdit() }
    changed.raise()
  }

  /// Moves the text of the edit behind the unsent new message, in one transaction, and ends the edit. The call is meant
  /// for the edit of a message that was deleted, and for an edit that has become a message of its own.
  public func turnEditIntoNewMessage() {
    guard session.editing != nil || snapshot.unfinishedEdit != nil else { return }
    attempt { () throws(ChatError) in try client.drafts.turnEditIntoNew(in: session.conversation) }
  }

  /// Earlier texts of the composer, newest first, at most five. A text is kept when a save would have lost much of it,
  /// until the draft is sent or discarded (SPEC D18). The call stores unsaved content first.
  ///
  /// ```swift
  /// if let last = composer.versions().first { composer.restoreVersion(last.id) }   // "Take back"
  /// ```
  ///
  /// The list is also empty when the store cannot be read or written: `snapshot.problem` then says why.
  public func versions() -> [DraftVersion] {
    var versions: [DraftVersion] = []
    attempt { () throws(ChatError) in versions = try session.versions() }
    return versions
  }

  /// Puts an earlier text into the composer, in one transaction. The replaced text becomes a version.
  public func restoreVersion(_ id: DraftVersion.ID) {
    attempt { () throws(ChatError) in try session.restoreVersion(id) }
  }

  /// Tells the engine that the user's cursor is in this composer. While it is, an edit that another composer of the
  /// process makes on an older text does not replace this composer's text. Such an edit is kept as a version
  /// (SPEC D13). Costs nothing.
  public func focus() {
    session.appear()
    session.focus()
  }

  /// Tells the engine that the user's cursor has left this composer. While no composer has the focus, the one that was
  /// typed into last writes.
  public func blur() { session.blur() }
}
