import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Announces a conversation to its members once more, for example when a member is let in again. A client whose
  /// messages were refused then sends them again. Returns whether the conversation exists.
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
