import Foundation
import Holdfast
import Synchronization
import Testing

@testable import ChatServer

@Suite(.timeLimit(.minutes(10))) struct ExecutorTests {
  @Test func `the server runs on the executor that is handed in`() async throws {
    let executor = CountingExecutor()
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ChatServer(folder: folder, environment: ChatEnvironment(executor: executor))
    try await server.register("alice", token: "secret")
    #expect(executor.jobs.withLock { $0 } > 0)
  }
}

/// Runs every job at once, where it was enqueued.
private final class CountingExecutor: SerialExecutor {
  let jobs = Mutex(0)

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.withLock { $0 += 1 }
    job.runSynchronously(on: asUnownedSerialExecutor())
  }
}
