import HoldfastCore
import HoldfastTransport

extension TransportConnection {
  /// A page of older messages. Without an answer until `deadline` it counts as refused, and the connection continues.
  func page(
    _ request: HistoryRequest, until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment
  ) async throws -> HistoryPage {
    try await answer(until: deadline, in: environment, or: .historyNotLoaded) {
      try await self.history(request)
    }
  }

  /// The messages that the server finds. Without an answer until `deadline` the search counts as refused, and the
  /// connection continues.
  func found(
    _ request: SearchRequest, until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment
  ) async throws -> SearchResults {
    try await answer(until: deadline, in: environment, or: .searchNotMade) { try await self.search(request) }
  }

  private func answer<Answer: Sendable>(
    until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment,
    or failure: ChatConfiguration.ShownText.Failure, _ ask: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await environment.value(until: deadline) {
      throw HistoryPage.Refusal.rejected(FailureReason(failure))
    } of: {
      try await ask()
    }
  }
}
