import Foundation
import HoldfastCore
import HoldfastRelay
import HoldfastTransport

/// The transport to a Holdfast relay: JSON frames over one WebSocket ([RFC
/// 6455](https://www.rfc-editor.org/rfc/rfc6455)), as `docs/wire.md` describes them.
///
/// ```swift
/// let transport = WebSocketTransport(url: URL(string: "wss://chat.example.org/v1/connect")!) {
///   try await login.accessToken()
/// }
/// let client = try ChatClient(storage: .applicationSupport("alice"), transport: transport, user: "alice")
/// ```
///
/// `withConnection` throws every error of its body, and ``ConnectionFailure`` with one of these reasons:
/// - `.unauthorized` when the server answers 401, 403 or 407, or the token cannot be obtained
/// - `.unavailable` when the server asks the client to back off
/// - `.insecure` when the server's certificate is not trusted or belongs to another host, and when a `ws` address
///   leads to another machine: nothing is sent there, and no token is requested (rule E3)
/// - `.incompatible` when the address is not `ws` or `wss`, or the server is not a relay
/// - `.timedOut` and `.unreachable` for all other failures
///
/// One connection costs one socket and, while a page of events is read, the memory of that page. Unread pages stay
/// on the server. On Linux a transport to a `wss` address reads the system's certificates when it is created.
///
/// Nothing is stored, so nothing is lost in a crash: the engine resumes from its store.
public struct WebSocketTransport: Transport {
  private let frames: FrameTransport
  private let needsNetwork: Bool

  /// The guarantees of the relay. A relay on the same machine needs no network.
  public var capabilities: TransportCapabilities {
    var capabilities = frames.capabilities
    capabilities.needsNetwork = needsNetwork
    return capabilities
  }

  /// A transport to the relay. Connects only once the client runs.
  ///
  /// - Parameters:
  ///   - url: the relay's address, `wss://…/v1/connect`. `ws`, which is not encrypted, is allowed only for a server
  ///     on the same machine.
  ///   - environment: the clock for heartbeats, and the current date for dates that a server sends.
  ///   - token: called on every attempt, so that an expired token is replaced. The token is sent as a bearer token
  ///     ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750), section 2.1) and never logged. An error that `token`
  ///     throws counts as `.unauthorized`, except a ``ConnectionFailure``, which is passed on: throw
  ///     `ConnectionFailure(.unreachable)` when the token could not be fetched for lack of a network.
  ///   - newest: the number of newest messages of each conversation that a new device gets at first. Older messages
  ///     arrive on request: ``ConversationModel/loadOlder()``. Nil: it gets all of them at once. A device that was
  ///     connected before misses nothing in either case.
  public init(
    url: URL, environment: ChatEnvironment = ChatEnvironment(), newest: Int? = 100,
    token: @escaping @Sendable () async throws -> String
  ) {
    self.init(
      url: url, environment: environment, heartbeat: .seconds(15), timeout: .seconds(10), newest: newest,
      token: token)
  }

  /// A transport to the relay at an address that is given as a text, as in a bot's configuration.
  ///
  /// ```swift
  /// let transport = try WebSocketTransport("ws://127.0.0.1:8080/v1/connect") { token }
  /// ```
  ///
  /// - Throws: ``ConnectionFailure`` with `.incompatible` when the address is not a WebSocket's, and with
  ///   `.insecure` when it is not encrypted and leads to another machine. The detail explains the error. No
  ///   connection is made.
  public init(
    _ address: String, environment: ChatEnvironment = ChatEnvironment(), newest: Int? = 100,
    token: @escaping @Sendable () async throws -> String
  ) throws(ConnectionFailure) {
    guard let url = URL(string: address) else {
      throw ConnectionFailure(.incompatible, detail: "the address is not a URL")
    }
    _ = try Endpoint(url)
    self.init(url: url, environment: environment, newest: newest, token: token)
  }

  /// - Parameters:
  ///   - heartbeat: the silence after which the server is pinged.
  ///   - timeout: the time that the server has for an answer.
  package init(
    url: URL, environment: ChatEnvironment = ChatEnvironment(), heartbeat: Duration, timeout: Duration,
    newest: Int? = nil, token: @escaping @Sendable () async throws -> String
  ) {
    needsNetwork = (try? Endpoint(url))?.isOnThisMachine != true
    #if canImport(Darwin)
      let connector = URLSessionConnector(url: url, environment: environment, token: token)
    #else
      let connector = WebSocketConnector(url: url, environment: environment, trust: .system, token: token)
    #endif
    frames = FrameTransport(
      connector: connector, environment: environment, heartbeat: heartbeat, timeout: timeout,
      recent: newest)
  }

  #if !canImport(Darwin)
    /// Trusts the certificates of a PEM file instead of the system's, for a test's server.
    package init(
      url: URL, environment: ChatEnvironment = ChatEnvironment(), trustedCertificates: String,
      token: @escaping @Sendable () async throws -> String
    ) {
      needsNetwork = (try? Endpoint(url))?.isOnThisMachine != true
      let connector = WebSocketConnector(
        url: url, environment: environment, trust: .file(trustedCertificates), token: token)
      frames = FrameTransport(connector: connector, environment: environment)
    }
  #endif

  /// Connects for as long as `body` runs.
  public func withConnection(
    resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await frames.withConnection(resumingAfter: cursor, body)
  }

  /// Connects for as long as `body` runs, and names the device to the relay.
  public func withConnection(
    of device: String, resumingAfter cursor: SyncCursor?,
    _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await frames.withConnection(of: device, resumingAfter: cursor, body)
  }
}
