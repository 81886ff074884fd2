import Foundation
import GRDB
import HoldfastCore

/// A title of at most 40 characters from the first line, cut at a word if possible. One character may have any number of
/// combining marks, so the bytes have a limit too.
package func title(from body: String) -> String {
  // Only the beginning is read: a body may have a megabyte.
  let start = body.cut(toBytes: 4 * Transaction.maximumTitleBytes)
  let head = start.drop(while: \.isNewline).prefix(41).prefix { !$0.isNewline }
  guard head.count > 40 else { return String(head).cut(toBytes: Transaction.maximumTitleBytes) }
  let cut = head.lastIndex(where: \.isWhitespace) ?? head.index(before: head.endIndex)
  let words = head[..<cut].trimmingCharacters(in: .whitespaces)
  return words.cut(toBytes: Transaction.maximumTitleBytes) + "…"
}

extension Transaction {
  /// The largest size of a title, in UTF-8 bytes. A longer one of an import or a server is cut.
  package static let maximumTitleBytes = 1_000

  /// A title from outside in the form in which it is stored. Nil when nothing can be seen in it.
  static func storedTitle(_ title: String?) -> String? {
    title.flatMap { $0.isBlank ? nil : $0.storable.cut(toBytes: maximumTitleBytes) }
  }

  /// Sets the title of a conversation. Nil restores the automatic title.
  package func setTitle(_ title: String?, of id: ConversationKey, by owner: UserID) throws {
    let id = try requireConversation(id)
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
        AND json_array_length(c.members) < 2
      ORDER BY m.place, m.position LIMIT 1
      """, [id.rawValue, owner.rawValue])
    return beginning.map(HoldfastStore.title(from:))
  }

  package func setActiveConversation(_ id: ConversationKey?) throws {
    guard let id else { return try remove(.activeConversation) }
    try set(.activeConversation, to: id)
  }
}

extension Reading {
  /// The active conversation. Nil when there is none, or when it is gone or hidden.
  package func activeConversation() throws -> ConversationKey? {
    try setting(.activeConversation).flatMap { try isVisible($0) ? $0 : nil }
  }
}
