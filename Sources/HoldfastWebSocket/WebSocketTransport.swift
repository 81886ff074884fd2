import Foundation
import HoldfastCore
import HoldfastRelay

/// The transport to a Holdfast relay: JSON frames over one WebSocket
/// ([RFC 6455](https://www.rfc-editor.org/rfc/rfc6455)), as `docs/wire.md` describes them.
///
/// ```swift
/// let transport = WebSocketTransport(url: URL(string: "wss://chat.example.org/v1/connect")!) {
///   try await session.accessToken()
/// }
/// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: "alice")
/// ```
///
/// `withConnection` throws ``LinkFailure``, and whatever its body throws: `.unauthorized` when the server
/// answers 401 or 403, `.unavailable` when it asks for patience, `.insecure` when its certificate is not
/// trusted or is another host's, `.incompatible` when the address is not `ws` or `wss` or the server is no
/// relay, `.timedOut` and `.unreachable` for the rest.
///
/// One connection costs one socket and, while a page of events is read, the memory of that page: what is
/// not read stays with the server. On Linux a transport to a `wss` address reads the system's certificates
/// when it is made. Nothing survives a crash, because nothing is kept: the engine resumes from its store.
public struct WebSocketTransport: Transport {
  private let frames: FrameTransport

  /// What the relay promises.
  public var guarantees: TransportGuarantees { frames.guarantees }

  /// - Parameters:
  ///   - url: the relay's address, `wss://…/v1/connect`. With `ws` the token and the messages travel in the
  ///     clear: that is for a server on the same machine.
  ///   - environment: the clock for heartbeats, and the date for what a server says in dates.
  ///   - token: called on every attempt, so that an expired token is replaced; sent as a bearer token
  ///     ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750), section 2.1) and never logged. What it throws
  ///     counts as `.unauthorized`, except a ``LinkFailure``, which is passed on: throw
  ///     `LinkFailure(.unreachable)` when a token could not be fetched for want of a network.
  public init(
    url: URL, environment: ChatEnvironment = ChatEnvironment(),
    token: @escaping @Sendable () async throws -> String
  ) {
    #if canImport(Darwin)
      let connector = URLSessionConnector(url: url, environment: environment, token: token)
    #else
      let connector = WebSocketConnector(url: url, environment: environment, trust: .system, token: token)
    #endif
    frames = FrameTransport(connector: connector, environment: environment)
  }

  #if !canImport(Darwin)
    /// Trusts the certificates of a PEM file instead of the system's, as a test's server needs it.
    package init(
      url: URL, environment: ChatEnvironment = ChatEnvironment(), trustedCertificates: String,
      token: @escaping @Sendable () async throws -> String
    ) {
      let connector = WebSocketConnector(
        url: url, environment: environment, trust: .file(trustedCertificates), token: token)
      frames = FrameTransport(connector: connector, environment: environment)
    }
  #endif

  /// A connection for as long as `body` runs.
  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await frames.withConnection(resumingAfter: cursor, body)
  }

  /// The same for one of several stores of an account.
  public func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await frames.withConnection(of: device, resumingAfter: cursor, body)
  }
}
