import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  /// Counts what the deletion of all conversations would delete, and words the question that says how many messages
  /// nobody else has.
  ///
  /// Costs one pass over the index of the messages and one over the outbox, and changes nothing.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func deletionQuestion() throws(ChatError) -> DeletionQuestion {
    try deletionQuestion(for: nil)
  }

  nonisolated func deletionQuestion(
    for id: ConversationKey?, isEmptying: Bool = false
  ) throws(ChatError) -> DeletionQuestion {
    let question = try store.read { try $0.deletions.question(of: id, isEmptying: isEmptying) }
    guard id == nil || question.conversations == 1 else {
      throw ChatError(.unknownConversation, "There is no such conversation, or it is deleted already.")
    }
    return question.worded(with: configuration.texts)
  }

  func deleteConversation(_ id: ConversationKey) throws(ChatError) {
    // Undo also brings back replies that are being written. Tokens that cannot be stored are lost with the
    // conversation.
    try? replies.storeDue(all: true)
    live.set(undoable: id, true)
    var hidden = id
    do throws(ChatError) {
      try drafts.hide(id) { hidden = try $0.deletions.hide(id) }
    } catch {
      live.set(undoable: id, false)
      throw error
    }
    if hidden != id { live.set(undoable: hidden, true) }
    erasing.offerUndo(of: hidden)
    followDeletions()
    choresDoor.ring(.erasing)
  }

  func undoDeletion(of id: ConversationKey) throws(ChatError) {
    try drafts.show(id) { try $0.deletions.unhide(id) }
    erasing.noteUndone(id)
    live.set(undoable: id, false)
    requests.askAgain()
    store.changes.publish(Changes(list: true))
  }

  /// Deletes all conversations, as ``ConversationHandle/delete()`` deletes one, but without Undo. That is why the call
  /// needs the confirmed question.
  ///
  /// ```swift
  /// let all = try client.deletionQuestion()
  /// guard await ask(all.title, all.sentence) else { return }
  /// try await client.deleteAllConversations(confirmedBy: all)
  /// ```
  ///
  /// One transaction hides them, which costs a few writes for each, and ``run()`` erases them.
  ///
  /// - Throws: ``ChatError`` with code `confirmationOutdated` when there is more to delete than the question said, or
  ///   when the question was about one conversation; or with one that starts with `storage`. Nothing is changed then.
  public func deleteAllConversations(confirmedBy question: DeletionQuestion) throws(ChatError) {
    try drafts.hideAll { transaction in
      let present = try transaction.deletions.question(of: nil)
      guard question.conversation == nil, present.conversations <= question.conversations,
        present.messages <= question.messages, present.unsent <= question.unsent,
        present.drafts <= question.drafts
      else {
        throw ChatError(.confirmationOutdated, "There is more to delete than was asked about. Ask again.")
      }
      for id in try transaction.deletions.visible() {
        try transaction.deletions.hide(id, isFinal: true)
      }
      for (id, mark) in transaction.localDeletions.marks where !mark.isFinal {
        try transaction.deletions.finish(of: id)
      }
    }
    followDeletions()
    choresDoor.ring(.erasing)
  }

  /// Follows the deletions of conversations, by this process or another. Messages that are being written in them end.
  func followDeletions() {
    erasing.followDeletions()
    replies.followDeletions()
  }
}
