import HoldfastTransport

/// A transport whose connections are wrapped.
struct WrappedTransport: Transport {
  let base: any Transport
  let capabilities: TransportCapabilities
  /// Wraps a connection that was resumed after the cursor.
  let wrap: @Sendable (any TransportConnection, SyncCursor?) -> any TransportConnection

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(resumingAfter: cursor) { try await body(wrap($0, cursor)) }
    }
  }

  func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(of: device, resumingAfter: cursor) { try await body(wrap($0, cursor)) }
    }
  }
}
