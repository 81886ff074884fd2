import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Moves the account's read mark forward, and tells all members. A mark is not answered: its sender hears of it as all
  /// members do, and repeats it otherwise.
  func accept(_ read: Wire.Read, from session: Session) {
    guard charge(session.account) == nil, MessageID.isWellFormed(read.conversation),
      MessageID.isWellFormed(read.message)
    else { return }
    do {
      let entry: LogEntry? = try database.write { db in
        let conversations = Conversations(db: db)
        guard try conversations.isMember(session.account, of: read.conversation),
          let mark = try ReadMarks(db: db).move(of: session.account, to: read)
        else { return nil }
        return try EventLog(db: db).append(mark, for: try conversations.members(of: read.conversation))
      }
      if let entry { push([entry]) }
    } catch {
      logStorage(error)
    }
  }
}
