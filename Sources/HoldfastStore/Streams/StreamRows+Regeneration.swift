import Foundation
import GRDB
import HoldfastCore

private enum VersionColumn: String, QueryColumn {
  case number, body, formatting, reasoning, metadata, images, videos, keptAt

  static let all = select("FROM messageVersion WHERE messageID = ? ORDER BY number DESC")
}

extension MessageVersion {
  fileprivate init(_ row: QueryRow<VersionColumn>) {
    self.init(
      id: row[.number],
      content: MessageContent(
        row[.body], formatting: row[.formatting], reasoning: row[.reasoning], metadata: row[.metadata],
        images: ReferenceList.references(row[.images]), videos: ReferenceList.references(row[.videos])),
      keptAt: row[.keptAt])
  }
}

private enum RegenerationColumn: String, QueryColumn {
  case conversationID = "m.conversationID"
  case sender = "m.sender"
  case role = "m.role"
  case isUnsent = "EXISTS (SELECT 1 FROM outbox o WHERE o.messageID = m.id)"
  case isStreaming = "EXISTS (SELECT 1 FROM stream s WHERE s.messageID = m.id)"

  static let message = select("FROM message m WHERE m.id = ?")
}

/// A reply that is to be regenerated.
package struct FinishedReply {
  package var conversation: ConversationKey
  package var sender: UserID
  package var role: MessageRole
  /// Whether it is deleted, or is about to be.
  package var isDeleted = false
  /// Whether it waits in the outbox.
  package var isUnsent: Bool
  /// Whether it is being written or regenerated, or was cut off.
  package var isStreaming: Bool

  fileprivate init(_ row: QueryRow<RegenerationColumn>) {
    conversation = row[.conversationID]
    sender = row[.sender]
    role = MessageRole(rawValue: row[.role]) ?? .user
    isUnsent = row[.isUnsent]
    isStreaming = row[.isStreaming]
  }
}

/// Regenerated replies, and their earlier versions (rule L10).
extension StreamRows where Access == Transaction {
  /// Begins to regenerate a whole reply. Its row keeps its content until the new one is whole.
  package func beginRegeneration(
    _ id: MessageID, in conversation: ConversationKey, by writer: String, now: Date
  ) throws {
    try run(
      "INSERT INTO stream (messageID, writer, regenerates, startedAt) VALUES (?, ?, 1, ?)",
      [id.rawValue, writer, now.microseconds])
    changes.timelines.insert(conversation)
  }

  /// Ends a regeneration. Its text was stored elsewhere, or is empty. The row still has the earlier content.
  package func endRegeneration(_ id: MessageID, in conversation: ConversationKey) throws {
    try run("DELETE FROM stream WHERE messageID = ? AND regenerates", [id.rawValue])
    changes.noteMessage(in: conversation)
  }

  /// Deletes the text of a regeneration, from the journal too. The row still has the earlier content.
  package func dropRegeneration(_ id: MessageID, in conversation: ConversationKey) throws {
    try endRegeneration(id, in: conversation)
    changes.deletedTexts = true
  }

  /// Stores the content of a message as a version, before it is replaced.
  package func keepVersion(of id: MessageID, now: Date) throws {
    guard let shown = try db.messages.shownContent(of: id) else { return }
    try run(versionInsertion, [id.rawValue, now.microseconds] + shown.replacing)
  }

  /// Replaces the content of a message that no server has.
  package func replaceHere(
    _ id: MessageID, with content: MessageContent, in conversation: ConversationKey
  ) throws {
    // A revision above 0 marks that there may be versions.
    try run(replacement, content.replacing + [id.rawValue])
    changes.noteMessage(in: conversation)
  }

  /// Removes a version whose content is the message's again.
  package func removeVersion(_ number: Int64, of id: MessageID) throws {
    try run("DELETE FROM messageVersion WHERE number = ? AND messageID = ?", [number, id.rawValue])
  }

  /// Removes all versions of a deleted message, and the text of its regeneration.
  func removeVersions(ofDeleted id: MessageID) throws {
    try run("DELETE FROM messageVersion WHERE messageID = ?", [id.rawValue])
    try run("DELETE FROM stream WHERE messageID = ? AND regenerates", [id.rawValue])
  }
}

extension StreamRows {
  /// The reply that is to be regenerated. Nil when there is no such message.
  package func finishedReply(_ id: MessageID) throws -> FinishedReply? {
    guard id.isWellFormed,
      var reply = try row(RegenerationColumn.message, [id.rawValue], FinishedReply.init)
    else { return nil }
    reply.isDeleted = try db.messages.shownContent(of: id) == nil
    return reply
  }

  /// Whether the stream of a message regenerates it: the message is whole without it.
  package func isRegeneration(_ id: MessageID) throws -> Bool {
    try exists("SELECT 1 FROM stream WHERE messageID = ? AND regenerates", [id.rawValue])
  }

  /// The earlier versions of a regenerated message, newest first.
  package func versions(of id: MessageID) throws -> [MessageVersion] {
    try rows(VersionColumn.all, [id.rawValue], MessageVersion.init)
  }

  func versionCount(of id: MessageID) throws -> Int {
    try value("SELECT count(*) FROM messageVersion WHERE messageID = ?", [id.rawValue]) ?? 0
  }
}

private let versionInsertion = """
  INSERT INTO messageVersion (messageID, keptAt, \(MessageContent.replacedColumns.joined(separator: ", ")))
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  """

private let replacement =
  "UPDATE message SET \(MessageContent.replacements), revision = revision + 1 WHERE id = ?"
