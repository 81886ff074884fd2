import Foundation
import GRDB

extension Transaction {
  /// Stores what is in a composer: one upsert. The draft's ID stays the same until it is sent or discarded.
  func saveDraft(
    _ key: DraftKey, content: DraftContent, newID: String, session: String, now: Date
  ) throws {
    try run(
      Self.draftUpsert,
      [
        newID, key.conversation.rawValue, key.slot.rawValue, content.text, content.selection?.start,
        content.selection?.end, key.conversation.rawValue, try nextRevision(), session, now.microseconds,
      ])
    changes.drafts.insert(key.conversation)
    changes.list = true
  }

  private static let draftUpsert = """
    INSERT INTO draft (id, conversationID, slot, content, cursorStart, cursorEnd, lastSentMessageID,
      revision, session, updatedAt)
    VALUES (?, ?, ?, ?, ?, ?, (SELECT lastSentMessageID FROM conversation WHERE id = ?), ?, ?, ?)
    ON CONFLICT (conversationID, slot) DO UPDATE SET content = excluded.content,
      cursorStart = excluded.cursorStart, cursorEnd = excluded.cursorEnd,
      lastSentMessageID = excluded.lastSentMessageID, revision = excluded.revision,
      session = excluded.session, updatedAt = excluded.updatedAt
    """

  func deleteDraft(_ key: DraftKey) throws {
    try run(
      "DELETE FROM draft WHERE conversationID = ? AND slot = ?",
      [key.conversation.rawValue, key.slot.rawValue])
    guard changedRows > 0 else { return }
    changes.drafts.insert(key.conversation)
    changes.list = true
  }
}

extension Database {
  /// The draft to restore: the one that is newer than the conversation's last sent message.
  func draft(_ key: DraftKey) throws -> StoredDraft? {
    try row(
      """
      SELECT d.content, d.cursorStart, d.cursorEnd, d.revision, d.session, d.updatedAt
      FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE d.conversationID = ? AND d.slot = ? AND (d.slot = 'edit' OR d.revision > c.sentRevision)
      """, [key.conversation.rawValue, key.slot.rawValue]
    ).map { row in
      let start: Int? = row[1]
      let end: Int? = row[2]
      let selection = start.flatMap { start in end.map { TextSelection(start: start, end: $0) } }
      let content = DraftContent(
        row[0], selection: selection, attachments: try attachments(of: key))
      return StoredDraft(
        content: content, revision: row[3], session: row[4], updatedAt: Date(microseconds: row[5]))
    }
  }

  /// The beginnings of all new-message drafts, for the list. One without a text has its attachment's name.
  func draftExcerpts() throws -> [ConversationID: String] {
    let excerpts = try rows(
      """
      SELECT d.conversationID, coalesce(nullif(trim(substr(d.content, 1, 200)), ''),
        (SELECT u.name FROM attachmentUse u WHERE u.draftID = d.id ORDER BY u.number LIMIT 1),
        substr(d.content, 1, 200))
      FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE d.slot = 'new' AND d.revision > c.sentRevision
      """
    ) { (ConversationID(rawValue: $0[0]), $0[1] as String) }
    return Dictionary(uniqueKeysWithValues: excerpts)
  }
}
