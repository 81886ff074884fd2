import Holdfast

extension ChatClient {
  /// Whether both IDs are the same conversation's. A server may have given it another one while it is open.
  nonisolated func isSame(_ conversation: ConversationID, _ other: String?) -> Bool {
    guard let other else { return false }
    return store.key(of: conversation) == store.key(of: ConversationID(rawValue: other))
  }
}
