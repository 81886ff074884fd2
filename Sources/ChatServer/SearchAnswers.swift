import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// Finds messages for accounts, in the conversations in which they take part.
extension ChatServer {
  /// A search that comes too fast, or that the storage cannot answer now, gets no answer. Its asker repeats it.
  func answer(_ question: Wire.Search, to session: Session) {
    guard charge(session.account) == nil, question.conversation.map(MessageID.isWellFormed) != false else {
      return
    }
    do {
      let found = try database.read { db in
        try SearchIndex(db: db).answer(question, for: session.account, limits: limits)
      }
      send(.found(found), to: session.id)
    } catch {
      logStorage(error)
    }
  }
}
