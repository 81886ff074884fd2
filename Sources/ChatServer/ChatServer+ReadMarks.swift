import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// Moves the account's read mark forward, and notifies all members. A mark gets no response of its own: its sender
  /// is notified like all members, and repeats the mark until then.
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
