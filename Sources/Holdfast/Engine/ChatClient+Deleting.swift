import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// What would be deleted: for a question that says how many messages nobody else has.
  ///
  /// ```swift
  /// let question = try client.deletionQuestion(for: chat)
  /// if question.unsent > 0 { ask("\(question.unsent) messages have not been sent. Delete them too?") }
  /// ```
  ///
  /// Costs one pass over the index of the messages concerned and one over the outbox, and changes nothing.
  ///
  /// - Parameter id: nil for all conversations.
  /// - Throws: ``ChatError`` with code `unknownConversation`, or one that starts with `storage`.
  public nonisolated func deletionQuestion(
    for id: ConversationID? = nil
  ) throws(ChatError) -> DeletionQuestion {
    let id = id.map(store.aliases.current)
    let question = try store.read { try $0.deletionQuestion(of: id) }
    guard id == nil || question.conversations == 1 else {
      throw ChatError(.unknownConversation, "There is no such conversation, or it is deleted already.")
    }
    return question
  }

  /// Deletes a conversation on this device: it is hidden at once, and for eight seconds ``undoDeletion(of:)`` brings it
  /// back with everything. Then ``run()`` erases it: messages, outbox, drafts with their versions, files, and what the
  /// search knew of them, so that nothing of it can be read in the store's files. Others keep what they have.
  ///
  /// ```swift
  /// try await client.deleteConversation(row.id)
  /// // list.snapshot.undoable has it now: "Conversation deleted - Undo"
  /// ```
  ///
  /// What is on its way to the server cannot be called back. What others write after the deletion brings the
  /// conversation back with that alone; nothing that was there before comes back from the server.
  ///
  /// One transaction, which costs a write for each message in its outbox, however long the conversation is. It
  /// survives any crash: the app's end ends the eight seconds too, and the next `run()` erases it.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, or one that starts with `storage`; and with that of a draft
  ///   in it that cannot be saved, such as `draftTooLong`. Nothing was changed then.
  public func deleteConversation(_ id: ConversationID) throws(ChatError) {
    store.lookForRenames()
    let id = store.aliases.current(id)
    // What is being written in it is worth its Undo too. What cannot be stored is lost with the conversation.
    try? replies.storeDue(all: true)
    live.set(undoable: id, true)
    do throws(ChatError) {
      try drafts.hide(id) { try $0.hideConversation(id) }
    } catch {
      live.set(undoable: id, false)
      throw error
    }
    erasing.offerUndo(of: id)
    followDeletions()
    choresDoor.ring(.erasing)
  }

  /// Brings back a conversation that was deleted less than eight seconds ago, with everything: what was in its outbox
  /// leaves now. One transaction; costs as the deletion did.
  ///
  /// - Throws: ``ChatError`` with code `tooLate` when it is being erased, was made anew, or was not deleted; or one that
  ///   starts with `storage`, and it is still hidden then.
  public func undoDeletion(of id: ConversationID) throws(ChatError) {
    let id = store.aliases.current(id)
    try drafts.show(id) { try $0.unhideConversation(id) }
    erasing.noteUndone(id)
    live.set(undoable: id, false)
    store.changes.publish(Changes(list: true))
  }

  /// Deletes all conversations, as ``deleteConversation(_:)`` does one, without Undo: that is why it asks for the answer
  /// to a question.
  ///
  /// ```swift
  /// let all = try client.deletionQuestion()
  /// guard await ask("Delete \(all.conversations) conversations? \(all.unsent) messages were never sent.") else { return }
  /// try await client.deleteAllConversations(confirmedBy: all)
  /// ```
  ///
  /// They are hidden in one transaction, which costs a few writes for each, and erased by ``run()``.
  ///
  /// - Throws: ``ChatError`` with code `confirmationOutdated` when more would go by now than the question said, or when it
  ///   was about one conversation; or one that starts with `storage`. Nothing was changed then.
  public func deleteAllConversations(confirmedBy question: DeletionQuestion) throws(ChatError) {
    try drafts.hideAll { transaction in
      let present = try transaction.deletionQuestion(of: nil)
      guard question.conversation == nil, present.conversations <= question.conversations,
        present.messages <= question.messages, present.unsent <= question.unsent,
        present.drafts <= question.drafts
      else {
        throw ChatError(.confirmationOutdated, "There is more to delete than was asked about. Ask again.")
      }
      for id in try transaction.visibleConversations() {
        try transaction.hideConversation(id, isFinal: true)
      }
      for (id, mark) in transaction.deletions.marks where !mark.isFinal {
        try transaction.finishDeletion(of: id)
      }
    }
    followDeletions()
    choresDoor.ring(.erasing)
  }

  /// A conversation was deleted, here or by another process: messages that are being written in it end.
  func followDeletions() {
    erasing.followDeletions()
    replies.followDeletions()
  }
}
