import Foundation
import HoldfastCore
import HoldfastStore

/// What is asked of a backend and not answered yet: on disk, so that a kill does not forget it.
///
/// ```
///   (nothing) ── beginProcessing ──► under way ── endProcessing, finishStream ──► (nothing)
///                                     │     ▲                                        ▲
///              kill, interruptStream  ▼     │ the backend still works on it          │ the backend has answered
///                                   interrupted ── asked on each connection ─────────┘
///                                     └── retried by its user, as another request, or continued
/// ```
extension ChatClient {
  /// Marks a request as under way, before it leaves. It takes the place of an earlier one of the conversation.
  ///
  /// ```swift
  /// try client.beginProcessing(request, in: conversation)
  /// let answer = try await model.ask(question, as: request)
  /// try client.endProcessing(request, in: conversation)
  /// ```
  ///
  /// ``beginStream(in:role:answering:)`` does it by itself. One transaction, which costs a sync. After a kill the mark is
  /// there, as interrupted; on each connection the backend is asked for the outcome
  /// (``TransportConnection/outcome(of:in:)``), and the mark goes once there is one.
  ///
  /// - Throws: ``ChatError`` with code `unknownConversation`, `malformedID`, or one that starts with `storage`.
  public nonisolated func beginProcessing(
    _ request: RequestID, in conversation: ConversationID
  ) throws(ChatError) {
    try requireWellFormed(request)
    try store.write { transaction in
      let conversation = transaction.current(conversation)
      try transaction.requireConversation(conversation)
      try transaction.beginWork(request, in: conversation, by: session, now: environment.now())
    }
  }

  /// Takes the mark of a request away: it was answered, or nobody waits for it any more. Does nothing when it is not
  /// there, or another request has taken its place. One transaction; a crash leaves the mark as it was, or none.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func endProcessing(
    _ request: RequestID, in conversation: ConversationID
  ) throws(ChatError) {
    guard request.isWellFormed else { return }
    try store.write { try $0.endWork(request, in: $0.current(conversation)) }
  }

  /// All requests that have no outcome yet, the oldest first: for an app that, at its launch, resumes what was
  /// interrupted. One read.
  ///
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func processingRequests() throws(ChatError) -> [ProcessingRequest] {
    try store.read { try $0.work() }.filter { !store.deletions.isHidden($0.conversation) }
  }

  nonisolated func requireWellFormed(_ request: RequestID?) throws(ChatError) {
    guard request?.isWellFormed != false else {
      throw ChatError(.malformedID, "An ID is 1 to 255 bytes without control characters.")
    }
  }

  /// Asks the backend for the outcome of what was interrupted, each once on each connection, for as long as that lives.
  func askForOutcomes(over connection: any TransportConnection) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      var asked: Set<RequestID> = []
      while !Task.isCancelled {
        let orphans = try store.read { try $0.work(besidesOf: session) }
        for request in orphans where asked.insert(request.id).inserted {
          group.addTask {
            let outcome = try await connection.outcome(of: request.id, in: request.conversation)
            try await self.settle(request, outcome)
          }
        }
        await requestSignal.wait()
      }
    }
  }

  private func settle(_ request: ProcessingRequest, _ outcome: RequestOutcome) throws {
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
