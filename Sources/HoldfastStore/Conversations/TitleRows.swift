import Foundation
import GRDB
import HoldfastCore

extension Transaction {
  /// Sets the title of a conversation. Nil restores the automatic title.
  package func setTitle(_ title: String?, of id: ConversationID, by owner: UserID) throws {
    try requireConversation(id)
    try run(
      "UPDATE conversation SET title = ?, titleIsCustom = ? WHERE id = ?",
      [try title ?? automaticTitle(of: id, by: owner), title != nil, id.rawValue])
    changes.timelines.insert(id)
    changes.list = true
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

private enum ExtrasColumn: String, QueryColumn {
  case conversationID, images, videos, readBy, importedStatus

  static let message = select("FROM message WHERE id = ?")
}

extension MessageExtras {
  fileprivate init(_ row: QueryRow<ExtrasColumn>) {
    self.init(
      images: Reading.references(row[.images]), videos: Reading.references(row[.videos]),
      readBy: Reading.references(row[.readBy]).map(UserID.init(rawValue:)),
      importedStatus: row[.importedStatus])
  }
}

extension Reading {
  /// The active conversation. Nil when there is none, or when it is gone or hidden.
  package func activeConversation() throws -> ConversationID? {
    try setting(.activeConversation).flatMap { try isVisible($0) ? $0 : nil }
  }

  package func messageExtras(of id: MessageID) throws -> (
    conversation: ConversationID, extras: MessageExtras
  )? {
    guard id.isWellFormed else { return nil }
    return try row(ExtrasColumn.message, [id.rawValue]) { ($0[.conversationID], MessageExtras($0)) }
  }

  /// The texts of a JSON array. Empty when the JSON is not an array of texts: only another program's import could
  /// have stored that.
  static func references(_ json: String?) -> [String] {
    json.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
  }
}
