extension ChatClient {
  /// The drafts and their versions as they lie in the file, hidden ones included, for whoever compares them with what was
  /// promised.
  package nonisolated func storedDrafts(in conversation: ConversationID) throws(ChatError) -> [String] {
    try store.read { db in
      try db.rows(
        """
        SELECT content FROM draft WHERE conversationID = ?1
        UNION ALL SELECT content FROM draftVersion WHERE conversationID = ?1
        """, [conversation.rawValue]
      ) { $0[0] }
    }
  }
}

extension ChatClient {
  /// What ``LinkModel/needsCredentials`` shows.
  package nonisolated var needsCredentials: Bool { live.needsCredentials }
}
