import HoldfastCore
import HoldfastStore

extension ChatClient {
  func renameConversation(_ old: ConversationID, to new: ConversationID) throws(ChatError) {
    try drafts.rename(old, to: new)
    queue.followJoins()
    replies.followJoins()
  }
}
