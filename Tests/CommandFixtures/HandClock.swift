import Holdfast
import Synchronization

/// A clock that the test moves.
package final class HandClock: Sendable {
  private let state = Mutex((time: Duration.zero, sleepers: [Signal]()))

  package init() {}

  package var environment: ChatEnvironment {
    var environment = ChatEnvironment()
    environment.logger.logLevel = .critical
    environment.uptime = { self.state.withLock { $0.time } }
    environment.sleep = { deadline in
      let moved = Signal()
      while self.state.withLock({ state in
        if state.time < deadline { state.sleepers.append(moved) }
        return state.time < deadline
      }) {
        try Task.checkCancellation()
        await moved.wait()
      }
    }
    return environment
  }

  package func advance(by duration: Duration) {
    let sleepers = state.withLock { state in
      state.time += duration
      defer { state.sleepers = [] }
      return state.sleepers
    }
    for sleeper in sleepers { sleeper.raise() }
  }

  /// Advances the time, second by second, for as long as `body` runs.
  package func running(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          self.advance(by: .seconds(1))
          await Task.yield()
        }
      }
      group.addTask(operation: body)
      try await group.next()
      group.cancelAll()
    }
  }
}
