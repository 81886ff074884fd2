import HoldfastCore
import HoldfastTransport

extension TransportConnection {
  /// A page of older messages. Without an answer until `deadline` it counts as refused, and the connection goes on.
  func page(
    _ request: HistoryRequest, until deadline: ChatEnvironment.Instant, in environment: ChatEnvironment
  ) async throws -> HistoryPage {
    try await withThrowingTaskGroup(of: HistoryPage.self) { group in
      group.addTask { try await self.history(request) }
      group.addTask {
        try await environment.sleep(deadline)
        throw HistoryPage.Refusal.rejected(FailureReason(.historyNotLoaded))
      }
      defer { group.cancelAll() }
      guard let page = try await group.next() else { throw CancellationError() }
      return page
    }
  }
}
