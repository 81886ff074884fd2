import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Requests to a backend that are not answered yet. They are on disk, so that a kill does not forget them.
///
/// ```
///   (nothing) ── begin ──► under way ── end, a finished reply ──► (nothing)
///                           │     ▲                                  ▲
///    kill, a cut-off reply  ▼     │ the backend still works on it    │ the backend has answered
///                         interrupted ── asked on each connection ───┘
///                           └── retried by its user as another request, or continued
/// ```
///
/// A message that answers the request ends it at any moment (``MessageContent/request``), from any member.
final class Requests: Sendable {
  /// A request as the backend knows it. Another conversation may have a request of the same ID.
  private struct Question: Hashable {
    var request: RequestID
    var conversation: ConversationKey
  }

  private let context: EngineContext
  private let signal = Signal()

  private var store: Store { context.store }

  init(_ context: EngineContext) { self.context = context }

  func begin(_ request: RequestID, in conversation: ConversationKey) throws(ChatError) {
    try Self.requireWellFormed(request)
    try store.write { transaction in
      let conversation = try transaction.conversations.require(conversation)
      try transaction.streams.beginRequest(
        request, in: conversation, by: context.session, now: context.environment.now())
    }
  }

  func end(_ request: RequestID, in conversation: ConversationKey) throws(ChatError) {
    guard request.isWellFormed else { return }
    try store.write { try $0.streams.endRequest(request, in: conversation) }
  }

  /// All requests without an outcome, the oldest first.
  func all() throws(ChatError) -> [ProcessingRequest] {
    try store.read { try $0.streams.requests() }.filter { !store.deletions.isHidden($0.conversation) }.map(
      \.request)
  }

  static func requireWellFormed(_ request: RequestID?) throws(ChatError) {
    guard request?.isWellFormed != false else {
      throw ChatError.malformedID
    }
  }

  /// Asks again, because a request may have become interrupted.
  func askAgain() { signal.raise() }

  /// Asks the backend for the outcome of interrupted requests, each once on each connection, for as long as the
  /// connection lives. A request in a conversation on this device alone is left to its user.
  func run(over connection: any TransportConnection) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      var asked: Set<Question> = []
      while !Task.isCancelled {
        let (orphans, onDevice) = try store.read { db in
          (try db.streams.requests(besidesOf: context.session), try db.conversations.onDevice())
        }
        let deletions = store.deletions.value
        // The server does not know a conversation that is kept on this device alone. A request of a deleted
        // conversation is asked about after Undo.
        for request in orphans where !onDevice.contains(request.conversation) {
          guard !deletions.isHidden(request.conversation) else { continue }
          let question = Question(request: request.id, conversation: request.conversation)
          guard asked.insert(question).inserted else { continue }
          group.addTask {
            let outcome = try await connection.outcome(
              of: request.id, in: self.store.names.name(of: request.conversation))
            try self.finish(request, outcome)
          }
        }
        await signal.wait()
      }
    }
  }

  private func finish(_ request: StoredRequest, _ outcome: ProcessingRequest.Outcome) throws {
    guard outcome != .unknown else { return }
    try store.write { transaction in
      let conversation = transaction.whole(of: request.conversation)
      switch outcome {
      case .finished: try transaction.streams.endRequest(request.id, in: conversation)
      case .running: try transaction.streams.resumeRequest(request.id, in: conversation)
      case .unknown: break
      }
    }
  }
}
