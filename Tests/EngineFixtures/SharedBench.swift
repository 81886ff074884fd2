import Foundation
import Holdfast
import HoldfastCore
import HoldfastTesting
import HoldfastTransport

private typealias eg = EngineExample

/// A file watcher that reports on request of the test.
package final class PlayedWatcher: FileWatcher {
  private let signals = Mutexed<[String: [Signal]]>([:])

  package func watch(_ file: URL, raising signal: Signal) async throws(ChatError) {
    signals.withLock { $0[file.lastPathComponent, default: []].append(signal) }
    signal.raise()
    await Signal().wait()
  }

  /// Reports that a process has finished with the file.
  package func notify(_ name: String) {
    for signal in signals.withLock({ $0[name] ?? [] }) { signal.raise() }
  }
}

/// Two clients on one store. Each opens the files for itself, as two processes do.
package struct SharedBench: Sendable {
  package let bench: Bench
  package let watcher = PlayedWatcher()
  package let app = ScriptedTransport(
    TransportCapabilities(
      window: 1, idempotency: .forever, fields: Set(TransportCapabilities.Field.allCases),
      carriesAttachments: true))
  package let other = ScriptedTransport(
    TransportCapabilities(
      window: 1, idempotency: .forever, fields: Set(TransportCapabilities.Field.allCases),
      carriesAttachments: true))

  package init(_ bench: Bench) { self.bench = bench }

  package func client(
    _ transport: ScriptedTransport, isShared: Bool = true, isSimulated: Bool = true
  ) throws -> ChatClient {
    var environment = bench.environment
    environment.watcher = watcher
    if isSimulated { environment.executor = SeededSerialExecutor(scheduler: bench.scheduler) }
    let location = StorageLocation.folder(bench.scratch.url)
    let client = try ChatClient(
      storage: isShared ? location.shared() : location, transport: transport, user: eg.user,
      configuration: ChatConfiguration(path: bench.path, environment: environment), gate: bench.gate.gate)
    try client.createConversation(eg.conversation, members: [eg.user, eg.other])
    return client
  }

  /// Runs a client while `body` runs, and ends it.
  package func running(_ client: ChatClient, _ body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      try await bench.rest()
      defer { group.cancelAll() }
      try await body()
    }
  }
}
