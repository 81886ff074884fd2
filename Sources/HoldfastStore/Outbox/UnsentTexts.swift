import Foundation
import GRDB
import HoldfastCore

private enum SummaryColumn: String, QueryColumn {
  case messages = "count(messageID)"
  case failed = "coalesce(sum(messageID IS NOT NULL AND parkedCode IS NOT NULL), 0)"
  case operations = "count(operationID)"
  case drafts = """
    (SELECT count(*) FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE (d.slot = 'edit' OR d.revision > c.sentRevision)
        AND c.id NOT IN (SELECT conversationID FROM deletion))
    """

  static let outbox = select("FROM outbox")
}

extension UnsentSummary {
  fileprivate init(_ row: QueryRow<SummaryColumn>) {
    self.init(
      messages: row[.messages], failed: row[.failed], operations: row[.operations], drafts: row[.drafts])
  }
}

private enum TextColumn: String, QueryColumn {
  case conversationID = "c.id"
  case title = "c.title"
  case slot = "d.slot"
  case writtenAt = "d.updatedAt"
  case text = "d.content"
  case attachmentNames = "(SELECT json_group_array(name) FROM attachmentUse u WHERE u.draftID = d.id)"
  case position = "0 AS position"

  static let unsent = select(
    """
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
    """)
}

extension UnsentText {
  fileprivate init(_ row: QueryRow<TextColumn>) {
    let kinds: [String: ChatConfiguration.ShownText.Unsent] = [
      "new": .draft, "edit": .unfinishedEdit, "change": .edit,
    ]
    let names: String = row[.attachmentNames]
    self.init(
      conversation: row[.conversationID], title: row[.title],
      kind: kinds[row[.slot]] ?? .message,
      writtenAt: row[.writtenAt], text: row[.text],
      attachments: (try? JSONDecoder().decode([String].self, from: Data(names.utf8))) ?? [])
  }
}

extension Reading {
  /// The number of unsent messages, operations and drafts. Deleted conversations are not counted.
  package func unsentSummary() throws -> UnsentSummary {
    try row(SummaryColumn.outbox) { UnsentSummary($0) }
      ?? UnsentSummary(messages: 0, failed: 0, operations: 0, drafts: 0)
  }

  /// The unsent texts by conversation: first the drafts, then the outbox in its order.
  package func unsentTexts() throws -> [UnsentText] { try rows(TextColumn.unsent) { UnsentText($0) } }
}
