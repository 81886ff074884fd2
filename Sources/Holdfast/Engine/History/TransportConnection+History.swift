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
    try await withThrowingTaskGroup(of: Answer.self) { group in
      group.addTask { try await ask() }
      group.addTask {
        try await environment.sleep(deadline)
        throw HistoryPage.Refusal.rejected(FailureReason(failure))
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw CancellationError() }
      return answer
    }
  }
}
