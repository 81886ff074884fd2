import ChatServer
import Foundation
import Holdfast
import HoldfastCore
import NIOCore
import Testing

@testable import HoldfastCommand

/// Runs a relay with the account `alice:secret` on a free port, and stops it afterwards.
package func withRelay(
  interceptor: (any RelayInterceptor)? = nil, gate: CommitGate? = nil,
  _ body: @escaping @Sendable (URL) async throws -> Void
) async throws {
  try await withRelayServer(interceptor: interceptor, gate: gate) { url, _ in try await body(url) }
}

/// The same with the relay itself.
package func withRelayServer(
  interceptor: (any RelayInterceptor)? = nil, gate: CommitGate? = nil,
  environment: ChatEnvironment = ChatEnvironment(),
  _ body: @escaping @Sendable (URL, RelayServer) async throws -> Void
) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "relay-\(ChatEnvironment().makeID())")
  defer { try? FileManager.default.removeItem(at: folder) }
  let server = try ChatServer(folder: folder, environment: ChatEnvironment(), gate: gate)
  try await server.register("alice", token: "secret")
  let relay = RelayServer(
    server: server, address: try SocketAddress(ipAddress: "127.0.0.1", port: 0), interceptor: interceptor,
    environment: environment)
  let (urls, announced) = AsyncStream.makeStream(of: String.self)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { announced.finish() }
      try await relay.run { announced.yield($0) }
    }
    for await url in urls {
      let result: Result<Void, any Error>
      do { result = .success(try await body(try #require(URL(string: url)), relay)) } catch {
        result = .failure(error)
      }
      await relay.stop()
      try result.get()
    }
    try await group.waitForAll()
  }
}
