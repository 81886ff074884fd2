import Holdfast
import HoldfastTesting

extension AppWorld.Stage {
  /// Starts the reference server, with accounts. `server.transport(for: "alice")` leads to it, and `server.record(of:)` is
  /// what it has of a conversation.
  ///
  /// - Throws: the file system's error.
  public func server(_ accounts: UserID...) async throws -> SimulatedBackend {
    let server = try SimulatedBackend()
    try await server.start(in: environment)
    for account in accounts { _ = try await server.account(account.rawValue) }
    return server
  }
}
