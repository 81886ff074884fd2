import Foundation
import HoldfastCore
import HoldfastRelay

/// Finds messages for accounts, in the conversations of which they are members.
///
/// It has its own thread and database connection, so that no search delays a message.
actor SearchAnswers {
  private let database: ServerDatabase
  private let limits: Limits
  private let executor: any SerialExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ database: ServerDatabase, limits: Limits, environment: ChatEnvironment) {
    (self.database, self.limits) = (database, limits)
    executor = environment.executor ?? QueueExecutor(label: "chat-server-search")
  }

  func answer(_ question: Wire.Search, for account: UserID) throws -> Wire.Found {
    try database.read { db in try SearchIndex(db: db).answer(question, for: account, limits: limits) }
  }
}

extension ChatServer {
  /// Answers a search. A search that exceeds the rate limit, or that the storage cannot answer now, gets no answer.
  /// The client repeats it.
  func answer(_ question: Wire.Search, to session: Session) async {
    guard charge(session.account) == nil,
      searchBuckets.charge(session.account, now: environment.uptime()) == nil,
      question.conversation.map(MessageID.isWellFormed) != false
    else { return }
    do {
      let found = try await searches.answer(question, for: session.account)
      if !isStopped { send(.found(found), to: session.id) }
    } catch {
      logStorage(error)
    }
  }
}
