import HoldfastCore
import HoldfastStore

/// Requests to a backend that are not answered yet. They are on disk, so that a kill does not forget them.
///
/// ```
///   (nothing) ── begin ──► under way ── end, a finished reply ──► (nothing)
///                           │     ▲                                  ▲
///    kill, a cut-off reply  ▼     │ the backend still works on it    │ the backend has answered
///                         interrupted ── asked on each connection ───┘
///                           └── retried by its user as another request, or continued
/// ```
final class Requests: Sendable {
  private let context: EngineContext
  private let signal = Signal()

  private var store: Store { context.store }

  init(_ context: EngineContext) { self.context = context }

  func begin(_ request: RequestID, in conversation: ConversationID) throws(ChatError) {
    try Self.requireWellFormed(request)
    try store.write { transaction in
      let conversation = transaction.current(conversation)
      try transaction.requireConversation(conversation)
      try transaction.beginWork(
        request, in: conversation, by: context.session, now: context.environment.now())
    }
  }

  func end(_ request: RequestID, in conversation: ConversationID) throws(ChatError) {
    guard request.isWellFormed else { return }
    try store.write { try $0.endWork(request, in: $0.current(conversation)) }
  }

  /// All requests without an outcome, the oldest first.
  func all() throws(ChatError) -> [ProcessingRequest] {
    try store.read { try $0.work() }.filter { !store.deletions.isHidden($0.conversation) }
  }

  static func requireWellFormed(_ request: RequestID?) throws(ChatError) {
    guard request?.isWellFormed != false else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
  }

  /// A request may have become interrupted.
  func askAgain() { signal.raise() }

  /// Asks the backend for the outcome of interrupted requests, each once on each connection, for as long as the
  /// connection lives.
  func run(over connection: any TransportConnection) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      var asked: Set<RequestID> = []
      while !Task.isCancelled {
        let orphans = try store.read { try $0.work(besidesOf: context.session) }
        for request in orphans where asked.insert(request.id).inserted {
          group.addTask {
            let outcome = try await connection.outcome(of: request.id, in: request.conversation)
            try self.settle(request, outcome)
          }
        }
        await signal.wait()
      }
    }
  }

  private func settle(_ request: ProcessingRequest, _ outcome: ProcessingRequest.Outcome) throws {
    guard outcome != .unknown else { return }
    try store.write { transaction in
      let conversation = transaction.current(request.conversation)
      switch outcome {
      case .finished: try transaction.endWork(request.id, in: conversation)
      case .running: try transaction.resumeWork(request.id, in: conversation)
      case .unknown: break
      }
    }
  }
}
