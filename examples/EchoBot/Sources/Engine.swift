import Holdfast
import ServiceLifecycle

/// The engine, until it is told to stop. What waits in the outbox then still leaves, for at most five seconds; the rest leaves at
/// the next start.
struct Engine: Service {
  let client: ChatClient

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      group.addTask {
        try await gracefulShutdown()
        await empty()
      }
      try await group.next()
      group.cancelAll()
    }
  }

  private func empty() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await health in client.outbox.healthChanges() where health.waiting == 0 { return } }
      group.addTask { try? await Task.sleep(for: .seconds(5)) }
      await group.next()
      group.cancelAll()
    }
  }
}
