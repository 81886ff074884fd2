import Foundation
import GRDB
import HoldfastCore

extension Reading {
  /// The number of unsent messages, operations and drafts. Deleted conversations are not counted.
  package func unsentSummary() throws -> UnsentSummary {
    let row = try row(
      """
      SELECT count(messageID), coalesce(sum(messageID IS NOT NULL AND parkedCode IS NOT NULL), 0), count(operationID),
        (SELECT count(*) FROM draft d JOIN conversation c ON c.id = d.conversationID
          WHERE (d.slot = 'edit' OR d.revision > c.sentRevision)
            AND c.id NOT IN (SELECT conversationID FROM deletion))
      FROM outbox
      """)
    guard let row else { return UnsentSummary(messages: 0, failed: 0, changes: 0, drafts: 0) }
    return UnsentSummary(messages: row[0], failed: row[1], changes: row[2], drafts: row[3])
  }

  /// The unsent texts by conversation: first the drafts, then the outbox in its order.
  package func unsentTexts() throws -> [UnsentText] {
    try rows(
      """
      SELECT c.id, c.title, d.slot, d.updatedAt, d.content,
        (SELECT json_group_array(name) FROM attachmentUse u WHERE u.draftID = d.id), 0 AS position
      FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE (d.slot = 'edit' OR d.revision > c.sentRevision) AND c.id NOT IN (SELECT conversationID FROM deletion)
      UNION ALL
      SELECT c.id, c.title, 'outbox', m.createdAt,
        coalesce((SELECT p.payload FROM operation p JOIN outbox w ON w.operationID = p.id
          WHERE p.messageID = m.id AND p.kind = 'edit' ORDER BY w.position DESC LIMIT 1), m.body),
        (SELECT json_group_array(name) FROM attachmentUse u WHERE u.messageID = m.id), o.position
      FROM outbox o JOIN message m ON m.id = o.messageID JOIN conversation c ON c.id = o.conversationID
      UNION ALL
      SELECT c.id, c.title, 'change', p.createdAt, p.payload, '[]', o.position
      FROM outbox o JOIN operation p ON p.id = o.operationID JOIN conversation c ON c.id = o.conversationID
      WHERE p.kind = 'edit' AND p.messageID NOT IN (SELECT messageID FROM outbox WHERE messageID IS NOT NULL)
      ORDER BY 1, 7
      """
    ) { row in
      let slot: String = row[2]
      let names: String = row[5]
      return UnsentText(
        conversation: ConversationID(rawValue: row[0]), title: row[1],
        kind: ["new": "Draft", "edit": "Unfinished edit", "change": "Edit that was not sent"][slot]
          ?? "Not sent",
        writtenAt: Date(microseconds: row[3]), text: row[4],
        attachments: (try? JSONDecoder().decode([String].self, from: Data(names.utf8))) ?? [])
    }
  }
}
