extension ChatEnvironment {
  /// The value of `body`, or that of `late` when `body` has none until `deadline`. The loser is cancelled.
  package func value<Value: Sendable>(
    until deadline: Instant, late: @escaping @Sendable () throws -> Value,
    of body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await self.sleep(deadline)
        return try late()
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }
}
