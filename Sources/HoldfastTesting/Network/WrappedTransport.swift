import HoldfastTransport

/// A transport whose connections are wrapped.
struct WrappedTransport: Transport {
  let base: any Transport
  let capabilities: TransportCapabilities
  let wrap: @Sendable (any TransportConnection) -> any TransportConnection

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(resumingAfter: cursor) { try await body(wrap($0)) }
    }
  }

  func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await base.withConnection(of: device, resumingAfter: cursor) { try await body(wrap($0)) }
    }
  }
}
