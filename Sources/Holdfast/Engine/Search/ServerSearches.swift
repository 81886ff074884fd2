import HoldfastCore
import HoldfastStore
import HoldfastTransport
import Synchronization

/// Sends the queries of search fields to the server (rule B6), one after the other. Only the last query of a field is
/// sent. The results are in memory alone.
///
/// ```
///   ask ──► waits ── connected ──► asked ──► found, failed
///             ▲                      │
///             └── connection lost ◄──┘   another query of the field: the answer is not for it
/// ```
final class ServerSearches {
  struct Query: Hashable, Sendable {
    var text: String
    var conversation: ConversationKey?
    var limit: Int
  }

  enum Outcome: Sendable {
    case found(SearchResults)
    case failed(FailureReason)
  }

  /// The part that any thread may access. A field is identified by the signal that is raised when the server has
  /// answered.
  final class SharedState: Sendable {
    private struct Field {
      var changed: Signal
      var query: Query
      var outcome: Outcome?
    }

    fileprivate let signal = Signal()
    private let fields = Mutex<[Field]>([])

    /// Asks, unless the same query was asked before.
    func ask(_ query: Query, for changed: Signal) {
      let isNew = fields.withLock { fields in
        guard !fields.contains(where: { $0.changed === changed && $0.query == query }) else { return false }
        fields.removeAll { $0.changed === changed }
        fields.append(Field(changed: changed, query: query))
        return true
      }
      if isNew { signal.raise() }
    }

    /// Forgets the query of a field, and its results.
    func forget(_ changed: Signal) {
      fields.withLock { $0.removeAll { $0.changed === changed } }
    }

    /// The server's answer to a query of a field. Nil until it has come.
    func outcome(of query: Query, for changed: Signal) -> Outcome? {
      fields.withLock { $0.first { $0.changed === changed && $0.query == query }?.outcome }
    }

    fileprivate func next() -> Query? {
      fields.withLock { $0.first { $0.outcome == nil }?.query }
    }

    fileprivate func finish(_ query: Query, _ outcome: Outcome) {
      let asked = fields.withLock { fields in
        for index in fields.indices where fields[index].query == query && fields[index].outcome == nil {
          fields[index].outcome = outcome
        }
        return fields.filter { $0.query == query }.map(\.changed)
      }
      for changed in asked { changed.raise() }
    }
  }

  private let context: EngineContext
  private let sharedState: SharedState

  init(_ context: EngineContext, sharedState: SharedState) {
    (self.context, self.sharedState) = (context, sharedState)
  }

  /// Asks for as long as the connection lives.
  nonisolated(nonsending) func run(over connection: any TransportConnection) async throws {
    var busyFaults = 0
    while !Task.isCancelled {
      guard let query = sharedState.next() else {
        await sharedState.signal.wait()
        continue
      }
      do {
        let name = try query.conversation.map { key in try context.store.read { try $0.name(of: key) } }
        let deadline = context.environment.uptime() + context.configuration.retry.answerTimeout
        let results = try await connection.found(
          SearchRequest(query.text, in: name, limit: query.limit), until: deadline, in: context.environment)
        sharedState.finish(query, .found(results))
        busyFaults = 0
      } catch HistoryPage.Refusal.notNow(let after) {
        busyFaults += 1
        try await context.pauseTransfers(afterFault: busyFaults, asked: after)
      } catch HistoryPage.Refusal.rejected(let reason) {
        sharedState.finish(query, .failed(reason))
      } catch let failure as ConnectionFailure {
        throw failure
      } catch {
        try Task.checkCancellation()
        context.logger.notice("server not searched", metadata: ["error": "\(type(of: error))"])
        sharedState.finish(query, .failed(FailureReason(.searchNotMade)))
      }
    }
  }
}
