import GRDB
import HoldfastCore

/// The emptying of a conversation, which itself stays (rule L7). Its messages move into a hidden conversation of
/// their own, which is then deleted like any other:
/// ```
///                     empty                          Undo is over
///   in the timeline ─────────► put aside, hidden ──────────────────► erased
///          ▲                        │
///          └───────── undo ─────────┘
/// ```
extension DeletionRows where Access == Transaction {
  /// Sets the messages of a conversation aside, with their outbox entries and the unfinished edit. An earlier
  /// emptying can no longer be undone. Costs a write for each message.
  ///
  /// - Parameter aside: the ID of the hidden conversation, which is made here.
  package func empty(_ id: ConversationKey, into aside: ConversationKey) throws {
    let id = try db.conversations.require(id)
    try finishEmptying(of: id)
    let last = try db.messages.lastConfirmedPlace(in: id)
    try run(
      """
      INSERT INTO conversation (id, title, titleIsCustom, members, isConfirmed, isOnDevice, readPlace, createdAt,
        updatedAt, listRevision)
      SELECT ?, title, titleIsCustom, members, isConfirmed, isOnDevice, readPlace, createdAt, updatedAt, listRevision
      FROM conversation WHERE id = ?
      """, [aside.rawValue, id.rawValue])
    try moveContents(from: id, to: aside)
    // The title of a conversation without other accounts is the beginning of a message.
    try run(
      """
      UPDATE conversation SET emptiedPlace = ?1, readPlace = max(readPlace, ?1),
        title = CASE WHEN titleIsCustom OR NOT \(ConversationTitle.isOfWords("members")) THEN title END
      WHERE id = ?2
      """, [last, id.rawValue])
    try hide(aside)
    try run("UPDATE deletion SET emptied = ? WHERE conversationID = ?", [id.rawValue, aside.rawValue])
    localDeletions.marks[aside]?.emptied = id
    note(of: id)
  }

  /// Restores the messages that were set aside last. Their outbox entries are sent before those of newer messages,
  /// unless the newer ones may have been sent already.
  package func undoEmptying(of id: ConversationKey) throws {
    guard let aside = localDeletions.undoableEmptying(of: id) else {
      throw ChatError(.tooLate, "The messages have been erased, or the conversation was never emptied.")
    }
    try putBackOutbox(of: aside)
    try run(
      """
      UPDATE outbox SET position = position + (
        SELECT (SELECT max(position) FROM outbox) - min(position) + 1 FROM outbox WHERE conversationID = ?1)
      WHERE conversationID = ?1 AND NOT mayHaveArrived
        AND EXISTS (SELECT 1 FROM outbox WHERE conversationID = ?2)
      """, [id.rawValue, aside.rawValue])
    try moveContents(from: aside, to: id)
    try run(
      """
      UPDATE conversation SET title = coalesce(conversation.title, aside.title),
        readPlace = CASE WHEN conversation.readPlace = emptiedPlace THEN aside.readPlace ELSE conversation.readPlace END
      FROM (SELECT title, readPlace FROM conversation WHERE id = ?2) AS aside WHERE id = ?1
      """, [id.rawValue, aside.rawValue])
    // Foreign keys also delete the mark of the deletion.
    try run("DELETE FROM conversation WHERE id = ?", [aside.rawValue])
    localDeletions.marks[aside] = nil
    changes.lanes.insert(id)
    note(of: id)
  }

  /// Ends the period in which an emptying can be undone.
  func finishEmptying(of id: ConversationKey) throws {
    guard let aside = localDeletions.undoableEmptying(of: id) else { return }
    try finish(of: aside)
  }

  /// If the other conversation already has a request and an unfinished edit, those are kept.
  private func moveContents(from old: ConversationKey, to new: ConversationKey) throws {
    for table in ["message", "outbox", "work"] {
      try run(
        "UPDATE OR IGNORE \(table) SET conversationID = ? WHERE conversationID = ?",
        [new.rawValue, old.rawValue])
    }
    for table in ["draft", "draftVersion"] {
      try run(
        "UPDATE OR IGNORE \(table) SET conversationID = ? WHERE conversationID = ? AND slot = 'edit'",
        [new.rawValue, old.rawValue])
    }
  }
}

extension LocalDeletions {
  /// The hidden conversation with the messages that Undo brings back. Nil when there is nothing to undo.
  package func undoableEmptying(of id: ConversationKey) -> ConversationKey? {
    marks.first { $0.value.emptied == id && !$0.value.isFinal }?.key
  }
}
