import HoldfastCore
import HoldfastTransport

extension TransportConnection {
  /// The delivery outcomes of the messages in a query. Throws when there is no answer until `deadline`: the
  /// connection then counts as broken.
  func answer(
    to question: OutcomeQuery, in conversation: ConversationID, until deadline: ChatEnvironment.Instant,
    in environment: ChatEnvironment
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    try await withThrowingTaskGroup(of: [MessageID: OutgoingMessage.DeliveryOutcome].self) { group in
      group.addTask { try await self.outcomes(of: question.ids, in: conversation) }
      group.addTask {
        try await environment.sleep(deadline)
        throw ConnectionFailure(.timedOut, detail: "no answer on what became of a message")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? [:]
    }
  }
}
