import HoldfastCore
import HoldfastRelay

#if !canImport(Darwin)
  import Foundation
  import NIOCore
  import NIOSSL

  /// Opens WebSockets on SwiftNIO, for Linux, where Foundation's WebSockets are compiled out.
  struct WebSocketConnector: FrameConnector {
    enum Trust: Sendable {
      case system
      /// The certificates of a PEM file.
      case file(String)
    }

    private let url: URL
    private let environment: ChatEnvironment
    /// The time for the name, the connection, TLS and the handshake together.
    private let timeout: TimeAmount
    private let token: @Sendable () async throws -> String
    /// Created once, because reading the system's certificates takes a while. Nil for `ws`.
    private let tls: Result<NIOSSLContext, any Error>?

    init(
      url: URL, environment: ChatEnvironment, trust: Trust, timeout: TimeAmount = .seconds(10),
      token: @escaping @Sendable () async throws -> String
    ) {
      self.url = url
      self.environment = environment
      self.timeout = timeout
      self.token = token
      tls = url.scheme?.lowercased() == "wss" ? Result { try Self.context(trust) } : nil
    }

    func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
      let endpoint = try Endpoint(url)
      let authorization = try await bearer(from: token)
      let context: NIOSSLContext?
      do { context = try tls?.get() } catch {
        throw ConnectionFailure(.insecure, detail: "the trusted certificates cannot be read")
      }
      let now = environment.now
      let attempt = WebSocketAttempt(endpoint: endpoint, tls: context, random: environment.random) { head in
        ConnectionFailure(
          status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"),
          date: head.headers.first(name: "Date"), now: now())
      }
      let messages = try await attempt.open(authorization: authorization, timeout: timeout)
      try await messages.executeThenClose { inbound, outbound in
        try await body(WebSocketChannel(inbound: inbound, outbound: outbound))
      }
    }

    private static func context(_ trust: Trust) throws -> NIOSSLContext {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      configuration.certificateVerification = .fullVerification
      // The WebSocket has already been closed, and the engine waits for the TLS shutdown.
      configuration.shutdownTimeout = .milliseconds(500)
      if case .file(let path) = trust { configuration.trustRoots = .file(path) }
      return try NIOSSLContext(configuration: configuration)
    }
  }

  /// `@unchecked` only because of the iterator. ``FrameChannel`` requires that `receive` is called by one task at a
  /// time, and nothing else uses the iterator.
  private final class WebSocketChannel: FrameChannel, @unchecked Sendable {
    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    init(
      inbound: NIOAsyncChannelInboundStream<ByteBuffer>, outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
      iterator = inbound.makeAsyncIterator()
      self.outbound = outbound
    }

    func send(_ frame: Data) async throws {
      do {
        try await outbound.write(ByteBuffer(bytes: frame))
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw ConnectionFailure(classifying: error)
      }
    }

    /// Receives the next message. A cancelled `receive` ends the stream, so the channel cannot be used
    /// afterwards.
    func receive() async throws -> Data {
      do {
        if let message = try await iterator.next() { return Data(message.readableBytesView) }
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw ConnectionFailure(classifying: error)
      }
      try Task.checkCancellation()
      throw ConnectionFailure(.unreachable, detail: "the connection was closed")
    }
  }
#endif
