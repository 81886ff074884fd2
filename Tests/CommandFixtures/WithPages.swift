import Holdfast
import HoldfastCommand

/// Serves pages on a free port for as long as `body` runs.
package func withPages(
  environment: ChatEnvironment = ChatEnvironment(),
  _ answer: @escaping @Sendable (PageRequest) async -> PageAnswer, _ body: (Int) async throws -> Void
) async throws {
  try await withPages(of: PageServer(environment: environment, answer: answer), body)
}

package func withPages(of server: PageServer, _ body: (Int) async throws -> Void) async throws {
  let (ports, announced) = AsyncStream.makeStream(of: Int.self)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { announced.finish() }
      try await server.run(on: 0) { announced.yield($0) }
    }
    for await port in ports {
      defer { group.cancelAll() }
      try await body(port)
    }
    try await group.waitForAll()
  }
}
