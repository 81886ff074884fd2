import Foundation
import GRDB
import HoldfastCore

private enum SummaryColumn: String, QueryColumn {
  case messages, failed, operations, drafts

  static let outbox = select(
    """
    FROM (
      SELECT count(messageID) AS messages, count(operationID) AS operations,
        coalesce(sum(messageID IS NOT NULL AND parkedCode IS NOT NULL), 0) AS failed
      FROM outbox),
    (SELECT count(*) AS drafts FROM draft d JOIN conversation c ON c.id = d.conversationID
      WHERE \(DraftRule.isRestorable) AND c.id \(DeletionRule.notDeleted))
    """)
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
    WHERE \(DraftRule.isRestorable) AND c.id \(DeletionRule.notDeleted)
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
  fileprivate init(_ row: QueryRow<TextColumn>, in conversation: ConversationID) {
    let kinds: [String: ChatConfiguration.ShownText.Unsent] = [
      "new": .draft, "edit": .unfinishedEdit, "change": .edit,
    ]
    self.init(
      conversation: conversation, title: row[.title],
      kind: kinds[row[.slot]] ?? .message,
      writtenAt: row[.writtenAt], text: row[.text],
      attachments: Self.names(row[.attachmentNames]))
  }
}

extension OutboxRows {
  /// The number of unsent messages, operations and drafts, and of other items that only this device has. Deleted
  /// conversations are not counted.
  ///
  /// - Parameter hasServer: false when every finished message is on this device only.
  package func unsentSummary(hasServer: Bool) throws -> UnsentSummary {
    var summary =
      try row(SummaryColumn.outbox) { UnsentSummary($0) }
      ?? UnsentSummary(messages: 0, failed: 0, operations: 0, drafts: 0)
    summary.onDevice =
      try value("SELECT count(*) FROM (\(DeviceRows.finished(hasServer: hasServer)))") ?? 0
    summary.replies = try value("SELECT count(*) FROM (\(DeviceRows.replies))") ?? 0
    return summary
  }

  /// The texts that only this device has, by conversation: first the drafts, then the outbox in its order, then the
  /// finished messages and the unfinished replies.
  package func unsentTexts(hasServer: Bool) throws -> [UnsentText] {
    let texts =
      try rows(TextColumn.unsent) { UnsentText($0, in: try name(of: $0[.conversationID])) }
      + rows(DeviceColumn.finished(hasServer: hasServer)) {
        UnsentText($0, in: try name(of: $0[.conversationID]), .onDevice)
      }
      + rows(DeviceColumn.replies) { UnsentText($0, in: try name(of: $0[.conversationID]), .reply) }
    // A stable sort: the texts of a conversation stay in their order.
    return texts.sorted { $0.conversation.rawValue < $1.conversation.rawValue }
  }
}

/// Items that only this device has although they do not wait for a server: finished messages that no server has, and
/// unfinished replies that were begun here.
private enum DeviceRows {
  private static let isVisible = "c.id \(DeletionRule.notDeleted)"
  private static let isFinished = """
    m.deletedAt IS NULL AND m.id NOT IN (SELECT messageID FROM stream)
      AND m.id NOT IN (SELECT messageID FROM outbox WHERE messageID IS NOT NULL)
    """
  private static let ofWholeConversations = """
    SELECT m.position FROM conversation c JOIN message m ON m.conversationID = c.id
    WHERE \(isVisible) AND \(isFinished)
    """

  /// The positions of the messages, each once. Two queries, because each has an index of its own.
  static func finished(hasServer: Bool) -> String { hasServer ? besidesServer : ofWholeConversations }

  private static let besidesServer = """
    \(ofWholeConversations) AND c.isOnDevice
    UNION
    SELECT m.position FROM message m JOIN conversation c ON c.id = m.conversationID
    WHERE m.isRecorded AND \(isVisible) AND \(isFinished)
    """

  static let replies = """
    SELECT m.position FROM stream s JOIN message m ON m.id = s.messageID
    JOIN conversation c ON c.id = m.conversationID WHERE s.writer IS NOT NULL AND \(isVisible)
    """
}

private enum DeviceColumn: String, QueryColumn {
  case conversationID = "c.id"
  case title = "c.title"
  case sender = "m.sender"
  case writtenAt = "m.createdAt"
  case text = """
    m.body || CASE WHEN m.body <> '' AND EXISTS (SELECT 1 FROM chunk WHERE messageID = m.id) THEN x'0A0A' ELSE '' END
      || coalesce((SELECT group_concat(k.text, '') FROM
      (SELECT text FROM chunk WHERE messageID = m.id ORDER BY firstSequence) k), '')
    """
  case attachmentNames = "(SELECT json_group_array(name) FROM attachmentUse u WHERE u.messageID = m.id)"

  private static func texts(at positions: String) -> Query<DeviceColumn> {
    select(
      """
      FROM message m JOIN conversation c ON c.id = m.conversationID
      WHERE m.position IN (\(positions)) ORDER BY c.id, m.place, m.position
      """)
  }

  private static let besidesServer = texts(at: DeviceRows.finished(hasServer: true))
  private static let withoutServer = texts(at: DeviceRows.finished(hasServer: false))
  static let replies = texts(at: DeviceRows.replies)

  static func finished(hasServer: Bool) -> Query<DeviceColumn> { hasServer ? besidesServer : withoutServer }
}

extension UnsentText {
  fileprivate init(
    _ row: QueryRow<DeviceColumn>, in conversation: ConversationID, _ kind: ChatConfiguration.ShownText.Unsent
  ) {
    self.init(
      conversation: conversation, title: row[.title], sender: row[.sender], kind: kind,
      writtenAt: row[.writtenAt], text: row[.text], attachments: Self.names(row[.attachmentNames]))
  }

  fileprivate static func names(_ json: String) -> [String] {
    (try? JSONDecoder().decode([String].self, from: Data(json.utf8))) ?? []
  }
}
