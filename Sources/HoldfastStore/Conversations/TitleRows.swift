import Foundation
import GRDB
import HoldfastCore

/// A title of at most 40 characters from the first line, cut at a word if possible.
package func title(from body: String) -> String {
  // Only the beginning is read: a body may have a megabyte.
  let head = body.drop(while: \.isNewline).prefix(41).prefix { !$0.isNewline }
  guard head.count > 40 else { return String(head) }
  let cut = head.lastIndex(where: \.isWhitespace) ?? head.index(before: head.endIndex)
  return head[..<cut].trimmingCharacters(in: .whitespaces) + "…"
}

extension Transaction {
  /// Sets the title of a conversation. Nil restores the automatic title.
  package func setTitle(_ title: String?, of id: ConversationID, by owner: UserID) throws {
    try requireConversation(id)
    try run(
      "UPDATE conversation SET title = ?, titleIsCustom = ? WHERE id = ?",
      [try title ?? automaticTitle(of: id, by: owner), title != nil, id.rawValue])
    changes.noteConversation(id)
  }

  private func automaticTitle(of id: ConversationID, by owner: UserID) throws -> String? {
    let beginning: String? = try value(
      """
      SELECT coalesce(nullif(substr(m.body, 1, 400), ''),
        (SELECT u.name FROM attachmentUse u WHERE u.messageID = m.id ORDER BY u.number LIMIT 1), '')
      FROM message m JOIN conversation c ON c.id = m.conversationID
      WHERE m.conversationID = ? AND m.sender = ? AND m.role = 'user' AND m.deletedAt IS NULL
        AND json_array_length(c.members) < 2
      ORDER BY m.place, m.position LIMIT 1
      """, [id.rawValue, owner.rawValue])
    return beginning.map(HoldfastStore.title(from:))
  }

  package func setActiveConversation(_ id: ConversationID?) throws {
    guard let id else { return try remove(.activeConversation) }
    try set(.activeConversation, to: id)
  }
}

extension Reading {
  /// The active conversation. Nil when there is none, or when it is gone or hidden.
  package func activeConversation() throws -> ConversationID? {
    try setting(.activeConversation).flatMap { try isVisible($0) ? $0 : nil }
  }
}
