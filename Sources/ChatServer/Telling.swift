import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Tells the members of a conversation of it once more, as when one of them is let in again: whoever was refused tries
  /// its messages then. Returns whether there is such a conversation.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  @discardableResult
  package func tell(of id: ConversationID) throws -> Bool {
    guard !isStopped else { throw ServerError.stopped }
    let entry = try throwingServerError {
      try database.write { db in
        try Conversations(db: db).find(id.rawValue).map { try EventLog(db: db).append(telling: $0) }
      }
    }
    guard let entry else { return false }
    push([entry])
    return true
  }
}
