import HoldfastCore
import HoldfastStore
import HoldfastTransport

extension ChatClient {
  func renameConversation(_ old: ConversationID, to new: ConversationID) throws(ChatError) {
    try drafts.rename(old, to: new)
    queue.followJoins()
    replies.followJoins()
  }

  /// Gives a conversation the ID that the server has told, as when the server's word about the conversation comes. For
  /// simulated worlds, whose server knows each conversation by its first ID.
  package func takeName(_ new: ConversationID, of earlier: ConversationID) throws {
    try inbox.name(IncomingConversation(id: new, title: nil, members: [], earlierIDs: [earlier]))
  }
}
