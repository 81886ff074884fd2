import HoldfastCore
import HoldfastRelay

#if !canImport(Darwin)
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import NIOWebSocket
  import Synchronization

  typealias WebSocketMessages = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  /// One attempt to open a WebSocket: name, connection, TLS and handshake, all within one time limit.
  ///
  /// An attempt is finished once: by the handshake, a failure, the time limit or a cancellation. NIO's own futures
  /// cannot be cancelled, so the finishing event closes the channels that are still being opened.
  final class WebSocketAttempt: Sendable {
    private enum Handshake {
      case upgraded
      case refused(EventLoopFuture<HTTPResponseHead>)
    }

    private struct State {
      var isFinished = false
      var channels: [any Channel] = []
      /// The handshakes by channel. A host with several addresses is tried at several of them at once, and one wins.
      var handshakes: [ObjectIdentifier: EventLoopFuture<Handshake>] = [:]
    }

    private let loop: any EventLoop
    private let endpoint: Endpoint
    private let tls: NIOSSLContext?
    private let random: @Sendable () -> Double
    let refusal: @Sendable (HTTPResponseHead) -> ConnectionFailure
    private let promise: EventLoopPromise<WebSocketMessages>
    private let state = Mutex(State())

    init(
      endpoint: Endpoint, tls: NIOSSLContext?, random: @escaping @Sendable () -> Double,
      refusal: @escaping @Sendable (HTTPResponseHead) -> ConnectionFailure
    ) {
      loop = MultiThreadedEventLoopGroup.singleton.next()
      self.endpoint = endpoint
      self.tls = tls
      self.random = random
      self.refusal = refusal
      promise = loop.makePromise()
    }

    func open(authorization: String, timeout: TimeAmount) async throws -> WebSocketMessages {
      try await withTaskCancellationHandler {
        let limit = loop.scheduleTask(in: timeout) {
          self.fail(ConnectionFailure(.timedOut, detail: "the WebSocket did not open in time"))
        }
        defer { limit.cancel() }
        connect(authorization: authorization, timeout: timeout)
        return try await promise.futureResult.get()
      } onCancel: {
        fail(CancellationError())
      }
    }

    private func connect(authorization: String, timeout: TimeAmount) {
      ClientBootstrap(group: loop)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .connectTimeout(timeout)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try self.prepare(channel, authorization: authorization) }
        }
        .connect(host: endpoint.host, port: endpoint.port)
        .flatMap { channel in
          self.state.withLock { $0.handshakes[ObjectIdentifier(channel)] }
            ?? channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }
        .flatMap { handshake in
          switch handshake {
          case .upgraded: self.loop.makeSucceededVoidFuture()
          case .refused(let head): head.flatMapThrowing { throw self.refusal($0) }
          }
        }
        .whenFailure { self.fail(ConnectionFailure(classifying: $0)) }
    }

    private func prepare(_ channel: any Channel, authorization: String) throws {
      let isTooLate = state.withLock {
        $0.channels.append(channel)
        return $0.isFinished
      }
      if isTooLate { throw CancellationError() }
      let pipeline = channel.pipeline.syncOperations
      if let tls {
        // Without a name NIOSSL checks the certificate against the address.
        let name = endpoint.hasAddress ? nil : endpoint.host
        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
      }
      // NIO's own response to a broken frame would close the channel before the reader gets the reason.
      let upgrader = NIOTypedWebSocketClientUpgrader<Handshake>(
        maxFrameSize: WebSocketLimits.messageBytes, enableAutomaticErrorHandling: false
      ) { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try self.succeed(channel)
          return .upgraded
        }
      }
      var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: endpoint.target)
      head.headers = ["Host": endpoint.authority, "Content-Length": "0", "Authorization": authorization]
      let upgrade = NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) {
        channel in
        channel.eventLoop.makeCompletedFuture {
          let reader = ResponseHeadReader(promise: channel.eventLoop.makePromise())
          try channel.pipeline.syncOperations.addHandler(reader)
          return .refused(reader.head)
        }
      }
      var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
      // The default loses a frame that arrives together with the 101, without an error.
      configuration.leftOverBytesStrategy = .forwardBytes
      let handshake = try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
      state.withLock { $0.handshakes[ObjectIdentifier(channel)] = handshake }
    }

    /// Runs on the event loop before the first frame is passed on, so that no frame is lost.
    private func succeed(_ channel: any Channel) throws {
      guard finish() != nil else { throw CancellationError() }
      do {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: WebSocketLimits.fragments,
            maxAccumulatedFrameSize: WebSocketLimits.messageBytes))
        try pipeline.addHandler(WebSocketTextHandler(random: random))
        promise.succeed(try WebSocketMessages(wrappingChannelSynchronously: channel))
      } catch {
        promise.fail(ConnectionFailure(classifying: error))
        throw error
      }
    }

    private func fail(_ error: any Error) {
      guard let channels = finish() else { return }
      promise.fail(error)
      for channel in channels { channel.close(promise: nil) }
    }

    /// The channels so far for the first caller, nil for later callers.
    private func finish() -> [any Channel]? {
      state.withLock {
        guard !$0.isFinished else { return nil }
        $0.isFinished = true
        return $0.channels
      }
    }
  }

  /// The limits on incoming messages. A server's page of events stays well below them.
  enum WebSocketLimits {
    static let messageBytes = 16 << 20
    static let fragments = 4096
  }

  /// Reads the answer of a server that did not switch protocols.
  private final class ResponseHeadReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let promise: EventLoopPromise<HTTPResponseHead>
    var head: EventLoopFuture<HTTPResponseHead> { promise.futureResult }

    init(promise: EventLoopPromise<HTTPResponseHead>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head(let head) = unwrapInboundIn(data) { promise.succeed(head) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
  }
#endif
