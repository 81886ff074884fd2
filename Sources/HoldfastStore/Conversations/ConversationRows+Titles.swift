import GRDB
import HoldfastCore

extension ConversationRows where Access == Transaction {
  /// Sets the title of a conversation. Nil restores the automatic title.
  package func setTitle(_ title: String?, of id: ConversationKey, by owner: UserID) throws {
    let id = try require(id)
    try run(
      "UPDATE conversation SET title = ?, titleIsCustom = ? WHERE id = ?",
      [try title ?? automaticTitle(of: id, by: owner), title != nil, id.rawValue])
    changes.noteConversation(id)
  }

  private func automaticTitle(of id: ConversationKey, by owner: UserID) throws -> String? {
    let beginning: String? = try value(
      """
      SELECT coalesce(nullif(substr(m.body, 1, 400), ''),
        (SELECT u.name FROM attachmentUse u WHERE u.messageID = m.id ORDER BY u.number LIMIT 1), '')
      FROM message m JOIN conversation c ON c.id = m.conversationID
      WHERE m.conversationID = ? AND m.sender = ? AND m.role = 'user' AND m.deletedAt IS NULL
        AND \(ConversationTitle.isOfWords("c.members"))
      ORDER BY m.place, m.position LIMIT 1
      """, [id.rawValue, owner.rawValue])
    return beginning.map(ConversationTitle.automatic(from:))
  }

  package func setActive(_ id: ConversationKey?) throws {
    guard let id else { return try db.settings.remove(.activeConversation) }
    try db.settings.set(.activeConversation, to: id)
  }
}

extension ConversationTitle {
  /// An SQL condition: a conversation with these members takes its title from its user's first words. It has no
  /// other account among its members; assistants do not count (rule H18).
  static func isOfWords(_ members: String) -> String {
    """
    (json_array_length(\(members)) < 2 OR \(members) LIKE '%assistant%' AND
      (SELECT count(*) FROM json_each(\(members)) WHERE value NOT LIKE '_%/assistant/_%') < 2)
    """
  }
}

extension ConversationRows {
  /// The active conversation. Nil when no conversation is active, or when it is gone or hidden.
  package func active() throws -> ConversationKey? {
    try db.settings.value(.activeConversation).flatMap { try isVisible($0) ? $0 : nil }
  }
}
