import HoldfastCore
import HoldfastStore

/// Deletes conversations and their messages on this device, with Undo (rules H5, L7).
///
/// ```
///   here ── delete, empty ──► hidden ── the time for Undo ends ──► final ── ErasingTask ──► gone
///    ▲                          │
///    └────────── undo ──────────┘
/// ```
final class Deletions {
  private let context: EngineContext
  private let drafts: Drafts
  private let replies: Replies
  private let requests: Requests
  private let erasing: ErasingTask

  private var store: Store { context.store }

  init(_ context: EngineContext, drafts: Drafts, replies: Replies, requests: Requests, erasing: ErasingTask) {
    (self.context, self.drafts) = (context, drafts)
    (self.replies, self.requests, self.erasing) = (replies, requests, erasing)
  }

  func delete(_ id: ConversationKey) throws(ChatError) {
    try hide(as: id) { () throws(ChatError) in
      var hidden = id
      try drafts.hide(id) { hidden = try $0.deletions.hide(id) }
      return hidden
    }
  }

  func undo(deletionOf id: ConversationKey) throws(ChatError) {
    try drafts.show(id) { try $0.deletions.unhide(id) }
    noteUndone(id)
  }

  func empty(_ id: ConversationKey) throws(ChatError) {
    let aside = ConversationKey(rawValue: context.environment.makeID())
    try hide(as: aside) { () throws(ChatError) in
      try drafts.hide(id, slots: [.edit]) { try $0.deletions.empty(id, into: aside) }
      return aside
    }
  }

  func undo(emptyingOf id: ConversationKey) throws(ChatError) {
    let aside = store.deletions.value.undoableEmptying(of: id)
    try drafts.show(id, slots: [.edit]) { try $0.deletions.undoEmptying(of: id) }
    noteUndone(aside)
  }

  private func hide(
    as id: ConversationKey, _ hide: () throws(ChatError) -> ConversationKey
  ) throws(ChatError) {
    // Undo also brings back replies that are being written. Tokens that cannot be stored are lost with the messages.
    try? replies.storeDue(all: true)
    try erasing.allowUndo(of: id, hide)
    follow()
    erasing.ring()
  }

  private func noteUndone(_ id: ConversationKey?) {
    if let id { erasing.noteUndone(id) }
    requests.askAgain()
    store.changes.publish(Changes(list: true))
  }

  /// Deletes all conversations at once, with no Undo, unless there is more by now than the question stated.
  func deleteAll(confirmedBy question: DeletionQuestion) throws(ChatError) {
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
    follow()
    erasing.ring()
  }

  /// Follows the deletions of conversations. Messages that are being written in them end.
  private func follow() {
    erasing.followDeletions()
    replies.followDeletions()
  }
}

extension EngineContext {
  func deletionQuestion(
    for id: ConversationKey?, isEmptying: Bool = false
  ) throws(ChatError) -> DeletionQuestion {
    let question = try store.read { try $0.deletions.question(of: id, isEmptying: isEmptying) }
    guard id == nil || question.conversations == 1 else {
      throw ChatError(.unknownConversation, "There is no such conversation, or it is deleted already.")
    }
    return question.localized(with: configuration.texts)
  }
}
