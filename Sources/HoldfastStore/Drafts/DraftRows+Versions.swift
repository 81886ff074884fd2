import Foundation
import GRDB
import HoldfastCore

extension DraftRows where Access == Transaction {
  /// Stores texts as versions. The last text is the newest version. Returns the number of versions now; `count`
  /// is the number before.
  package func keepVersions(
    _ contents: [DraftContent], of key: DraftKey, besides count: Int, now: Date
  ) throws -> Int {
    guard !contents.isEmpty else { return count }
    for content in contents {
      try run(
        """
        INSERT INTO draftVersion (conversationID, slot, revision, content, cursorStart, cursorEnd, updatedAt)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          key.conversation.rawValue, key.slot.rawValue, try db.settings.nextRevision(), content.text,
          content.selection?.start, content.selection?.end, now.microseconds,
        ])
    }
    try run(
      """
      DELETE FROM draftVersion WHERE conversationID = ?1 AND slot = ?2 AND revision NOT IN (
        SELECT revision FROM draftVersion WHERE conversationID = ?1 AND slot = ?2 ORDER BY revision DESC LIMIT ?3)
      """, [key.conversation.rawValue, key.slot.rawValue, DraftBuffer.versionsKept])
    changes.drafts.insert(key.conversation)
    return try versionCount(of: key)
  }

  package func deleteVersions(of key: DraftKey) throws {
    try run(
      "DELETE FROM draftVersion WHERE conversationID = ? AND slot = ?",
      [key.conversation.rawValue, key.slot.rawValue])
    if changedRows > 0 { changes.drafts.insert(key.conversation) }
  }

  /// Removes a version and returns it: its text now belongs to the draft.
  package func takeVersion(_ id: Int64, of key: DraftKey) throws -> DraftVersion? {
    guard let version = try versions(of: key).first(where: { $0.id == id }) else { return nil }
    try run(
      "DELETE FROM draftVersion WHERE conversationID = ? AND slot = ? AND revision = ?",
      [key.conversation.rawValue, key.slot.rawValue, id])
    changes.drafts.insert(key.conversation)
    return version
  }
}

private enum VersionColumn: String, QueryColumn {
  case revision, content, cursorStart, cursorEnd, updatedAt

  static let all = select("FROM draftVersion WHERE conversationID = ? AND slot = ? ORDER BY revision DESC")
}

extension DraftVersion {
  fileprivate init(_ row: QueryRow<VersionColumn>) {
    self.init(
      id: row[.revision], text: row[.content],
      selection: TextRange(storedStart: row[.cursorStart], storedEnd: row[.cursorEnd]),
      keptAt: row[.updatedAt])
  }
}

extension DraftRows {
  /// The versions of a draft, newest first.
  package func versions(of key: DraftKey) throws -> [DraftVersion] {
    try rows(VersionColumn.all, [key.conversation.rawValue, key.slot.rawValue], DraftVersion.init)
  }

  /// The texts of all versions in a conversation. They outlive an emptied draft.
  package func versionTexts(in conversation: ConversationKey) throws -> [String] {
    try values("SELECT content FROM draftVersion WHERE conversationID = ?", [conversation.rawValue])
  }

  package func versionCount(of key: DraftKey) throws -> Int {
    try value(
      "SELECT count(*) FROM draftVersion WHERE conversationID = ? AND slot = ?",
      [key.conversation.rawValue, key.slot.rawValue]) ?? 0
  }
}
