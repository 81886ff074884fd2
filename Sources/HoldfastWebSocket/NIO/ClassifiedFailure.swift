import HoldfastCore
import HoldfastRelay

#if !canImport(Darwin)
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import NIOWebSocket

  extension ConnectionFailure {
    /// Classifies a network error by its meaning to the sender. NIO has an error type for each of its layers. The
    /// caller handles `CancellationError` first.
    init(classifying error: any Error) {
      switch error {
      case let failure as ConnectionFailure: self = failure
      case let error as NIOConnectionError: self.init(error)
      case let error as IOError: self.init(error)
      case ChannelError.connectTimeout: self.init(.timedOut, detail: "no connection in time")
      case NIOSSLError.uncleanShutdown: self.init(.unreachable, detail: "the connection was cut off")
      case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
        self.init(.insecure, detail: "TLS failed (\(type(of: error)))")
      case is HTTPParserError, is NIOHTTPClientUpgradeError, is NIOWebSocketError,
        is NIOWebSocketFrameAggregator.Error:
        self.init(.incompatible, detail: "the server does not speak WebSocket (\(error))")
      default: self.init(.unreachable, detail: "the connection ended (\(type(of: error)))")
      }
    }

    private init(_ error: NIOConnectionError) {
      let attempts = error.connectionErrors.map { ConnectionFailure(classifying: $0.error) }
      // With several addresses, a refusal is more informative than a timeout.
      if let failure = attempts.first(where: { $0.reason != .timedOut }) ?? attempts.first {
        self = failure
      } else {
        self.init(.unreachable, detail: "the host's name was not found")
      }
    }

    private init(_ error: IOError) {
      self.init(
        error.errnoCode == ETIMEDOUT ? .timedOut : .unreachable, detail: "errno \(error.errnoCode)")
    }
  }
#endif
