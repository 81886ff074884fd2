import Foundation
import GRDB
import HoldfastCore
import HoldfastRelay

/// Answers requests for older messages, and sends only the newest messages to new devices.
extension ChatServer {
  /// Answers a request. A request that exceeds the rate limit, or that the storage cannot answer now, gets no
  /// answer. The client repeats it.
  func answer(_ question: Wire.History, to session: Session) {
    guard charge(session.account) == nil, MessageID.isWellFormed(question.conversation),
      question.sought.map(MessageID.isWellFormed) != false
    else { return }
    do {
      let older = try database.read { db in
        try History(db: db).answer(question, for: session.account, limits: limits)
      }
      send(.older(older), to: session.id)
    } catch {
      logStorage(error)
    }
  }

  /// Sends the next page of the newest messages. The page after the last conversation is empty, and continues in the
  /// log.
  func sendRecent(to session: Session, _ wish: Wire.Recent) {
    let place = wish.after.map(RecentPlace.init)
    guard wish.count > 0, place.map({ $0 != nil }) != false else {
      return fail(session.id, .malformed, "The newest messages have a number of at least 1, and a place.")
    }
    if let wait = charge(session.account) {
      return fail(session.id, .overloaded, "The account asks too fast.", retryAfter: wait)
    }
    let page: Wire.Events
    do {
      page = try database.read { db in
        let head = try EventLog(db: db).head()
        // A place that was never issued comes from another log, so its client starts at the beginning.
        let start = place.flatMap { $0 }.flatMap { $0.head <= head ? $0 : nil }
        return try History(db: db).recentPage(
          for: session.account, behind: start ?? RecentPlace(head: head), isFirst: start == nil,
          count: min(wish.count, limits.pageSize), limits: limits)
      }
    } catch {
      return storageFailed(error, on: session.id)
    }
    sessions.update(session.id) {
      $0.cursor = nil
      $0.phase = .catchingUp
    }
    send(.events(page), to: session.id)
  }
}
