import Foundation
import GRDB
import HoldfastCore

extension StreamRows where Access == Transaction {
  /// Notes that a request is about to be sent, or that its reply begins. An earlier request of the conversation is
  /// no longer waited for.
  package func beginRequest(
    _ request: RequestID, in conversation: ConversationKey, by writer: String, now: Date
  ) throws {
    try run(
      """
      INSERT INTO work (conversationID, requestID, startedAt, writer) VALUES (?, ?, ?, ?)
      ON CONFLICT (conversationID) DO UPDATE SET
        startedAt = CASE WHEN requestID = excluded.requestID THEN startedAt ELSE excluded.startedAt END,
        requestID = excluded.requestID, writer = excluded.writer, isInterrupted = 0
      """, [conversation.rawValue, request.rawValue, now.microseconds, writer])
    changes.timelines.insert(conversation)
  }

  package func endRequest(_ request: RequestID, in conversation: ConversationKey) throws {
    try run(
      "DELETE FROM work WHERE conversationID = ? AND requestID = ?",
      [conversation.rawValue, request.rawValue])
    changes.timelines.insert(conversation)
  }

  /// Notes that the backend still works on a request whose process has ended. The backend is asked again on the next
  /// connection.
  package func resumeRequest(_ request: RequestID, in conversation: ConversationKey) throws {
    try run(
      "UPDATE work SET isInterrupted = 0 WHERE conversationID = ? AND requestID = ?",
      [conversation.rawValue, request.rawValue])
    changes.timelines.insert(conversation)
  }

  /// Marks all requests as interrupted, except those of this launch.
  package func interruptRequests(except writer: String) throws {
    let interrupted: [ConversationKey] = try values(
      "UPDATE work SET isInterrupted = 1 WHERE NOT isInterrupted AND writer <> ? RETURNING conversationID",
      [writer])
    changes.timelines.formUnion(interrupted)
  }
}

private enum RequestColumn: String, QueryColumn {
  case requestID, conversationID, isInterrupted, startedAt

  static let uncertain = select(
    "FROM work WHERE isInterrupted OR writer IS NOT ? OR ? IS NULL ORDER BY startedAt, conversationID")
}

/// A request whose outcome is unknown, with the key of its conversation.
package struct StoredRequest: Sendable {
  package var request: ProcessingRequest
  package var conversation: ConversationKey

  package var id: RequestID { request.id }
}

extension StreamRows {
  /// The requests whose outcome is unknown, oldest first.
  ///
  /// - Parameter writer: the launch whose own pending requests are left out. Nil leaves none out.
  package func requests(besidesOf writer: String? = nil) throws -> [StoredRequest] {
    try rows(RequestColumn.uncertain, [writer, writer]) { row in
      let conversation: ConversationKey = row[.conversationID]
      let request = ProcessingRequest(
        id: row[.requestID], conversation: try name(of: conversation), isInterrupted: row[.isInterrupted],
        startedAt: row[.startedAt])
      return StoredRequest(request: request, conversation: conversation)
    }
  }
}
