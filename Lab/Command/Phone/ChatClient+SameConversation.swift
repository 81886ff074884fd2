import Holdfast

extension ChatClient {
  /// Whether both IDs refer to the same conversation. A server may have given it another ID while it is open.
  nonisolated func isSame(_ conversation: ConversationID, _ other: String?) -> Bool {
    guard let other else { return false }
    return store.key(of: conversation) == store.key(of: ConversationID(rawValue: other))
  }
}
