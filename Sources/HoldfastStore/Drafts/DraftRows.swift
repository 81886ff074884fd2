import Foundation
import GRDB
import HoldfastCore

extension Transaction {
  /// Stores the content of a composer: one upsert. The draft's ID stays the same until the draft is sent or
  /// discarded.
  package func saveDraft(
    _ key: DraftKey, content: DraftContent, editing: MessageID? = nil, newID: String, session: String,
    now: Date
  ) throws {
    try run(
      Self.draftUpsert,
      [
        newID, key.conversation.rawValue, key.slot.rawValue, editing?.rawValue, content.text,
        content.selection?.start, content.selection?.end, content.formatting, content.replyTo?.rawValue,
        key.conversation.rawValue, try nextRevision(), session, now.microseconds,
      ])
    changes.drafts.insert(key.conversation)
    changes.list = true
  }

  private static let draftUpsert = """
    INSERT INTO draft (id, conversationID, slot, editing, content, cursorStart, cursorEnd, formatting, replyTo,
      lastSentMessageID, revision, session, updatedAt, saves)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT lastSentMessageID FROM conversation WHERE id = ?), ?, ?, ?, 1)
    ON CONFLICT (conversationID, slot) DO UPDATE SET editing = excluded.editing, content = excluded.content,
      cursorStart = excluded.cursorStart, cursorEnd = excluded.cursorEnd, formatting = excluded.formatting,
      replyTo = excluded.replyTo, lastSentMessageID = excluded.lastSentMessageID, revision = excluded.revision,
      session = excluded.session, updatedAt = excluded.updatedAt, saves = saves + 1
    """

  /// Makes the draft newer than every sent message.
  package func renewDraft(_ key: DraftKey) throws {
    try run(
      "UPDATE draft SET revision = ? WHERE conversationID = ? AND slot = ?",
      [try nextRevision(), key.conversation.rawValue, key.slot.rawValue])
    changes.drafts.insert(key.conversation)
    changes.list = true
  }

  /// Deletes the draft and keeps its versions. Its number of saves is added to the count of earlier drafts.
  package func deleteDraft(_ key: DraftKey) throws {
    let saves: Int? = try row(
      "DELETE FROM draft WHERE conversationID = ? AND slot = ? RETURNING saves",
      [key.conversation.rawValue, key.slot.rawValue])?[0]
    guard let saves else { return }
    try count(DraftMetrics.savesMetric, [0: saves])
    changes.drafts.insert(key.conversation)
    changes.list = true
  }

  /// Deletes a draft that was sent or discarded, with its versions.
  package func endDraft(_ key: DraftKey) throws {
    try deleteDraft(key)
    try deleteVersions(of: key)
  }
}

extension Reading {
  /// The draft to restore. A new-message draft is restored only if it is newer than the conversation's last sent
  /// message.
  package func draft(_ key: DraftKey) throws -> StoredDraft? {
    try row(
      """
      SELECT d.content, d.cursorStart, d.cursorEnd, d.revision, d.session, d.updatedAt, d.editing, d.replyTo,
        d.formatting, d.id
      FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE d.conversationID = ? AND d.slot = ? AND (d.slot = 'edit' OR d.revision > c.sentRevision)
      """, [key.conversation.rawValue, key.slot.rawValue]
    ).map { row in
      StoredDraft(
        content: DraftContent(
          row[0], selection: Self.selection(row[1], row[2]),
          replyTo: (row[7] as String?).map(MessageID.init(rawValue:)), formatting: row[8],
          attachments: try attachments(of: key)),
        editing: (row[6] as String?).map(MessageID.init(rawValue:)),
        edition: DraftEdition(id: row[9], revision: row[3]),
        session: row[4], updatedAt: Date(microseconds: row[5]))
    }
  }

  package static func selection(_ start: Int?, _ end: Int?) -> TextRange? {
    start.flatMap { start in end.map { TextRange(start: start, end: $0) } }
  }

  /// The beginnings of all new-message drafts, for the list. A draft without text has the name of its first
  /// attachment.
  package func draftExcerpts() throws -> [ConversationID: String] {
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

  /// The texts of a conversation's drafts, hidden ones included.
  package func draftTexts(in conversation: ConversationID) throws -> [String] {
    try rows("SELECT content FROM draft WHERE conversationID = ?", [conversation.rawValue]) { $0[0] }
  }

  /// The messages that a conversation's drafts answer, hidden drafts included.
  package func answers(ofDraftsIn conversation: ConversationID) throws -> [MessageID] {
    try rows(
      "SELECT replyTo FROM draft WHERE conversationID = ? AND replyTo IS NOT NULL", [conversation.rawValue]
    ) { MessageID(rawValue: $0[0]) }
  }

  /// The metrics of drafts, those that are gone and those that are there.
  package func draftMetrics() throws -> DraftMetrics {
    let saved: Int = try row("SELECT coalesce(sum(saves), 0) FROM draft")![0]
    let ages = try counts(of: DraftMetrics.restoreAgeMetric)
    var metrics = DraftMetrics(
      saves: saved + (try counts(of: DraftMetrics.savesMetric)[0] ?? 0),
      restores: ages.values.reduce(0, +),
      recoveredDiscarded: try counts(of: DraftMetrics.recoveredDiscardedMetric)[0] ?? 0)
    if let p50 = DeliveryTimes.percentile(0.5, of: ages), let p95 = DeliveryTimes.percentile(0.95, of: ages) {
      metrics.restoreAge = DraftMetrics.Age(p50: p50, p95: p95)
    }
    return metrics
  }
}
