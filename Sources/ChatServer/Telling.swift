import Foundation
import GRDB
import Holdfast

extension ChatServer {
  /// Tells the members of a conversation of it once more, as when one of them is let in again: whoever was refused tries
  /// its messages then. Returns whether there is such a conversation.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  @discardableResult
  package func tell(of id: ConversationID) throws -> Bool {
    guard !isStopped else { throw ServerError.stopped }
    let entry = try throwingServerError {
      try database.write { db -> LogEntry? in
        guard let conversation = try Conversations(db: db).find(id.rawValue) else { return nil }
        return LogEntry(
          cursor: try EventLog(db: db).append(conversation: conversation.id, message: nil),
          item: .init(
            conversation: .init(
              id: conversation.id, title: conversation.title, members: conversation.members.map(\.rawValue))),
          audience: conversation.members)
      }
    }
    guard let entry else { return false }
    push([entry])
    return true
  }
}
