import Foundation
import HoldfastCore
import HoldfastStore

extension ChatClient {
  func renameConversation(_ old: ConversationID, to new: ConversationID) throws(ChatError) {
    guard old.isWellFormed, new.isWellFormed else {
      throw ChatError.malformedID
    }
    guard old != new else {
      throw ChatError(.sameConversation, "The conversation has this ID already. Give another one.")
    }
    store.lookForRenames()
    let current = store.aliases.current(old)
    guard current != new else { return queue.followRenames() }
    try drafts.rename(current, to: new) { try $0.renameConversation(current, to: new) }
    queue.followRenames()
    replies.followRenames()
  }
}
