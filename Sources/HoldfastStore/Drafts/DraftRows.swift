import Foundation
import GRDB
import HoldfastCore

/// The drafts and their versions.
package struct DraftRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var drafts: DraftRows<Self> { DraftRows(db: self) }
}

extension DraftRows where Access == Transaction {
  /// Stores the content of a composer: one upsert. The draft's ID stays the same until the draft is sent or
  /// discarded.
  package func save(
    _ key: DraftKey, content: DraftContent, editing: MessageID? = nil, newID: String, session: String,
    now: Date
  ) throws {
    try run(
      draftUpsert,
      [
        newID, key.conversation.rawValue, key.slot.rawValue, editing?.rawValue, content.text,
        content.selection?.start, content.selection?.end, content.formatting, content.replyTo?.rawValue,
        key.conversation.rawValue, try db.settings.nextRevision(), session, now.microseconds,
      ])
    changes.noteDraft(in: key.conversation)
  }

  /// Notes that the user keeps an old draft. The prompt appears again once it has changed (rule D11).
  package func keep(_ key: DraftKey) throws {
    try run(
      "UPDATE draft SET isKept = 1 WHERE conversationID = ? AND slot = ?",
      [key.conversation.rawValue, key.slot.rawValue])
  }

  /// Makes the draft newer than every sent message.
  package func renew(_ key: DraftKey) throws {
    try run(
      "UPDATE draft SET revision = ? WHERE conversationID = ? AND slot = ?",
      [try db.settings.nextRevision(), key.conversation.rawValue, key.slot.rawValue])
    changes.noteDraft(in: key.conversation)
  }

  /// Deletes the draft and keeps its versions. Its number of saves is added to the count of earlier drafts. After
  /// the commit, files without other references are removed.
  ///
  /// Only the caller knows whether the text is gone: a sent text is in its message. A caller that discards the text
  /// announces `remnants`.
  package func delete(_ key: DraftKey) throws {
    if try hasLastReferences(key) { changes.unusedAttachments = true }
    let saves: Int? = try value(
      "DELETE FROM draft WHERE conversationID = ? AND slot = ? RETURNING saves",
      [key.conversation.rawValue, key.slot.rawValue])
    guard let saves else { return }
    try db.metrics.add(DraftMetrics.savesMetric, [0: saves])
    changes.noteDraft(in: key.conversation)
  }

  /// Whether the draft has an attachment that nothing else refers to.
  private func hasLastReferences(_ key: DraftKey) throws -> Bool {
    try exists(
      """
      SELECT 1 FROM draft d JOIN attachmentUse u ON u.draftID = d.id
      WHERE d.conversationID = ? AND d.slot = ? AND NOT EXISTS (
        SELECT 1 FROM attachmentUse other WHERE other.checksum = u.checksum AND other.draftID IS NOT d.id)
      """, [key.conversation.rawValue, key.slot.rawValue])
  }

  /// Deletes a draft that was sent or discarded, with its versions.
  package func end(_ key: DraftKey) throws {
    try delete(key)
    try deleteVersions(of: key)
  }

  /// Gives an imported draft the date that it had before the import.
  package func setDate(_ key: DraftKey, _ date: Date) throws {
    try run(
      "UPDATE draft SET updatedAt = ? WHERE conversationID = ? AND slot = ?",
      [date.microseconds, key.conversation.rawValue, key.slot.rawValue])
    changes.drafts.insert(key.conversation)
  }

  /// Deletes every draft, with its versions and its files. The number of their saves is added to the count of
  /// earlier drafts.
  package func deleteAll() throws {
    let concerned: [ConversationKey] = try values(
      "SELECT conversationID FROM draft UNION SELECT conversationID FROM draftVersion")
    guard !concerned.isEmpty else { return }
    let saves = try value("SELECT sum(saves) FROM draft") ?? 0
    try db.metrics.add(DraftMetrics.savesMetric, [0: saves])
    try run("DELETE FROM draft")
    try run("DELETE FROM draftVersion")
    changes.drafts.formUnion(concerned)
    changes.list = true
    changes.unusedAttachments = true
  }
}

private enum DraftColumn: String, QueryColumn {
  case id = "d.id"
  case content = "d.content"
  case cursorStart = "d.cursorStart"
  case cursorEnd = "d.cursorEnd"
  case replyTo = "d.replyTo"
  case formatting = "d.formatting"
  case editing = "d.editing"
  case revision = "d.revision"
  case session = "d.session"
  case updatedAt = "d.updatedAt"
  case isKept = "d.isKept"

  static let restorable = select(
    """
    FROM draft d JOIN conversation c ON c.id = d.conversationID
    WHERE d.conversationID = ? AND d.slot = ? AND \(DraftRule.isRestorable)
    """)
}

extension StoredDraft {
  /// The draft without its attachments.
  fileprivate init(_ row: QueryRow<DraftColumn>) {
    self.init(
      content: DraftContent(
        row[.content], selection: TextRange(storedStart: row[.cursorStart], storedEnd: row[.cursorEnd]),
        replyTo: row[.replyTo], formatting: row[.formatting]),
      editing: row[.editing], edition: DraftEdition(id: row[.id], revision: row[.revision]),
      session: row[.session], updatedAt: row[.updatedAt], isKept: row[.isKept])
  }
}

extension TextRange {
  /// Nil when there is no cursor.
  init?(storedStart start: Int?, storedEnd end: Int?) {
    guard let start, let end else { return nil }
    self.init(start: start, end: end)
  }
}

private enum ExcerptColumn: String, QueryColumn {
  case conversationID = "d.conversationID"
  case excerpt = """
    coalesce(nullif(trim(substr(d.content, 1, 400)), ''),
      (SELECT u.name FROM attachmentUse u WHERE u.draftID = d.id ORDER BY u.number LIMIT 1),
      substr(d.content, 1, 400))
    """

  static let drafts = select(
    """
    FROM draft d JOIN conversation c ON c.id = d.conversationID
    WHERE d.slot = 'new' AND \(DraftRule.isRestorable)
    """)
}

extension DraftRows {
  /// The draft to restore. A new-message draft is restored only if it is newer than the conversation's last sent
  /// message.
  package func restorable(_ key: DraftKey) throws -> StoredDraft? {
    var draft = try row(
      DraftColumn.restorable, [key.conversation.rawValue, key.slot.rawValue], StoredDraft.init)
    if draft != nil { draft?.content.attachments = try db.attachments.all(of: key) }
    return draft
  }

  /// The beginnings of all new-message drafts, for the list. A draft without text shows the name of its first
  /// attachment.
  package func excerpts() throws -> [ConversationKey: String] {
    let excerpts = try rows(ExcerptColumn.drafts) { row in
      (row[.conversationID] as ConversationKey, (row[.excerpt] as String).excerpt)
    }
    return Dictionary(uniqueKeysWithValues: excerpts)
  }

  /// The texts of a conversation's drafts, hidden ones included.
  package func texts(in conversation: ConversationKey) throws -> [String] {
    try values("SELECT content FROM draft WHERE conversationID = ?", [conversation.rawValue])
  }

  /// The messages that a conversation's drafts reply to, hidden drafts included.
  package func replyTargets(ofDraftsIn conversation: ConversationKey) throws -> [MessageID] {
    try values(
      "SELECT replyTo FROM draft WHERE conversationID = ? AND replyTo IS NOT NULL", [conversation.rawValue])
  }

  /// The metrics of past and present drafts.
  package func metrics() throws -> DraftMetrics {
    let saved = try value("SELECT sum(saves) FROM draft") ?? 0
    let ages = try db.metrics.counts(of: DraftMetrics.restoreAgeMetric)
    var metrics = DraftMetrics(
      saves: saved + (try db.metrics.counts(of: DraftMetrics.savesMetric)[0] ?? 0),
      restores: ages.values.reduce(0, +),
      recoveredDiscarded: try db.metrics.counts(of: DraftMetrics.recoveredDiscardedMetric)[0] ?? 0)
    if let p50 = DeliveryTimes.percentile(0.5, of: ages), let p95 = DeliveryTimes.percentile(0.95, of: ages) {
      metrics.restoreAge = DraftMetrics.Age(p50: p50, p95: p95)
    }
    return metrics
  }
}

private let draftUpsert = """
  INSERT INTO draft (id, conversationID, slot, editing, content, cursorStart, cursorEnd, formatting, replyTo,
    lastSentMessageID, revision, session, updatedAt, saves)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT lastSentMessageID FROM conversation WHERE id = ?), ?, ?, ?, 1)
  ON CONFLICT (conversationID, slot) DO UPDATE SET editing = excluded.editing, content = excluded.content,
    cursorStart = excluded.cursorStart, cursorEnd = excluded.cursorEnd, formatting = excluded.formatting,
    replyTo = excluded.replyTo, lastSentMessageID = excluded.lastSentMessageID, revision = excluded.revision,
    session = excluded.session, updatedAt = excluded.updatedAt, saves = saves + 1,
    isKept = isKept AND content IS excluded.content
  """
