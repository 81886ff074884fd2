import HoldfastCore
import HoldfastStore

/// Emptying a conversation, which stays itself (SPEC L7).
extension ChatClient {
  func emptyConversation(_ id: ConversationKey) throws(ChatError) {
    // Undo also brings back replies that are being written. Tokens that cannot be stored are lost with the messages.
    try? replies.storeDue(all: true)
    let aside = ConversationKey(rawValue: environment.makeID())
    live.set(undoable: aside, true)
    do throws(ChatError) {
      try drafts.hide(id, slots: [.edit]) { try $0.deletions.empty(id, into: aside) }
    } catch {
      live.set(undoable: aside, false)
      throw error
    }
    erasing.offerUndo(of: aside)
    followDeletions()
    choresDoor.ring(.erasing)
  }

  func undoEmptying(of id: ConversationKey) throws(ChatError) {
    let aside = store.deletions.value.undoableEmptying(of: id)
    try drafts.show(id, slots: [.edit]) { try $0.deletions.undoEmptying(of: id) }
    if let aside {
      erasing.noteUndone(aside)
      live.set(undoable: aside, false)
    }
    requests.askAgain()
    store.changes.publish(Changes(list: true))
  }
}
