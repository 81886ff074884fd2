import HoldfastCore
import HoldfastTransport

extension TransportConnection {
  /// The delivery outcomes of the messages in a query. Throws when there is no answer until `deadline`: the
  /// connection then counts as broken.
  func answer(
    to question: OutcomeQuery, in conversation: ConversationID, until deadline: ChatEnvironment.Instant,
    in environment: ChatEnvironment
  ) async throws -> [MessageID: OutgoingMessage.DeliveryOutcome] {
    try await environment.value(until: deadline) {
      throw ConnectionFailure(.timedOut, detail: "no answer on what became of a message")
    } of: {
      try await self.outcomes(of: question.ids, in: conversation)
    }
  }
}
