import HoldfastCore
import HoldfastStore
import HoldfastTransport

/// Messages of one conversation that may be on the server. They must not be sent again before the server has reported
/// whether it has them.
struct OutcomeQuery: Equatable, Sendable {
  var ids: [MessageID]
  var conversation: ConversationKey

  /// The acknowledgements of the messages that the server has, and the IDs of the messages that it does not have. The
  /// outcome of the other messages stays unknown.
  func sorted(_ outcomes: [MessageID: OutgoingMessage.DeliveryOutcome]) -> (
    receipts: [Receipt], absent: [MessageID]
  ) {
    var (receipts, absent): ([Receipt], [MessageID]) = ([], [])
    for id in ids {
      switch outcomes[id] {
      case .accepted(let receipt) where receipt.id == id: receipts.append(receipt)
      case .absent: absent.append(id)
      case .accepted, .unknown, nil: break
      }
    }
    return (receipts, absent)
  }
}

/// Asks the server for the delivery outcome of messages that its idempotency does not cover (rule O6). Only the
/// conversations of these messages wait for the answer.
final class OutcomeLookup {
  private let context: EngineContext
  private let signal = Signal()
  /// The queries that were not sent on this connection yet.
  private var questions: [OutcomeQuery] = []

  init(_ context: EngineContext) { self.context = context }

  func ask(_ questions: [OutcomeQuery]) {
    guard !questions.isEmpty else { return }
    self.questions += questions
    signal.raise()
  }

  /// Drops the queries of a connection that has ended. The next connection makes them again.
  func forget() { questions = [] }

  /// Asks for as long as the connection lives, and passes the answers to the outbox.
  nonisolated(nonsending) func run(
    over connection: any TransportConnection, for outbox: Outbox
  ) async throws {
    while !Task.isCancelled {
      guard !questions.isEmpty else {
        await signal.wait()
        continue
      }
      let question = questions.removeFirst()
      let deadline = context.environment.uptime() + context.configuration.retry.answerTimeout
      try outbox.resolve(
        question,
        try await connection.answer(
          to: question, in: context.store.names.name(of: question.conversation), until: deadline,
          in: context.environment))
    }
  }
}
