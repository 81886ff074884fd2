import Foundation
import HoldfastCore
import HoldfastTransport

/// Implements the relay's wire format over any ``FrameConnector``: a WebSocket, or a simulated network. It owns no
/// socket, and waits only on the environment's clock.
///
/// ```swift
/// let transport = FrameTransport(connector: connector, environment: environment)
/// try await transport.withConnection(resumingAfter: cursor) { connection in
///   while true { try store(try await connection.receive()) }
/// }
/// ```
///
/// It throws ``ConnectionFailure`` and the errors of the body, and no others. At most one page of events is in
/// memory. It stores nothing, so nothing is lost in a crash.
package struct FrameTransport: Transport {
  private let connector: any FrameConnector
  private let environment: ChatEnvironment
  private let heartbeat: Duration
  private let timeout: Duration
  private let recent: Int?

  package let capabilities: TransportCapabilities

  /// - Parameters:
  ///   - window: the number of messages of one conversation that may be in flight. More than one is safe, because
  ///     the relay refuses a message whose predecessor it does not have.
  ///   - heartbeat: the period of silence after which the server is pinged.
  ///   - recent: the number of messages of each conversation that a new device gets at first. Older messages arrive
  ///     on request. Nil: it gets all.
  ///   - timeout: the time that a welcome, a requested page, or a pong may take.
  package init(
    connector: any FrameConnector, environment: ChatEnvironment, window: Int = 512,
    heartbeat: Duration = .seconds(15), timeout: Duration = .seconds(10), recent: Int? = nil
  ) {
    self.recent = recent
    self.connector = connector
    self.environment = environment
    self.heartbeat = heartbeat
    self.timeout = timeout
    capabilities = TransportCapabilities(
      window: window, maximumMessageBytes: 100_000, idempotency: .forever,
      operations: Set(MessageOperation.Kind.allCases), fields: Set(TransportCapabilities.Field.allCases),
      carriesAttachments: true, maximumAttachmentBytes: 100_000_000, supportsReadReceipts: true,
      carriesHistory: true, carriesSearch: true)
  }

  package func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withConnection(from: nil, resumingAfter: cursor, body)
  }

  package func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withConnection(from: device, resumingAfter: cursor, body)
  }

  private func withConnection(
    from device: String?, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await connector.withChannel { channel in
        let connection = FrameConnection(
          channel: channel, environment: environment, cursor: cursor, recent: recent,
          heartbeat: FrameHeartbeat(interval: heartbeat, timeout: timeout))
        // The task that ends first decides how the connection ended, and cancels the other.
        try await withThrowingTaskGroup(of: Void.self) { group in
          defer { group.cancelAll() }
          group.addTask { try await connection.watch() }
          group.addTask {
            try await connection.open(of: device)
            try await body(connection)
          }
          try await group.next()
        }
      }
    }
  }
}
