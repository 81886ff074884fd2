import Foundation

/// A WebSocket that only listens. `URLSession` has one on Apple's systems, and none on Linux.
struct PushSocket: Sendable {
  var url: URL
  var account: String
}

#if canImport(Darwin)
  extension PushSocket {
    /// Calls `receive` with each message, until the socket or the task ends.
    func open(
      opened: @Sendable () -> Void, receive: @Sendable (String) async throws -> Void
    ) async throws {
      var request = URLRequest(url: url)
      request.setValue(account, forHTTPHeaderField: "Authorization")
      let task = URLSession.shared.webSocketTask(with: request)
      task.resume()
      try await withTaskCancellationHandler {
        opened()
        while case .string(let text) = try await task.receive() { try await receive(text) }
      } onCancel: {
        task.cancel(with: .goingAway, reason: nil)
      }
    }
  }
#else
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOWebSocket

  extension PushSocket {
    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    private struct Refused: Error {}

    /// Calls `receive` with each message, until the socket or the task ends.
    func open(
      opened: @Sendable () -> Void, receive: @Sendable (String) async throws -> Void
    ) async throws {
      guard let frames = try await connect().get() else { throw Refused() }
      opened()
      try await frames.executeThenClose { incoming, outgoing in
        for try await frame in incoming {
          switch frame.opcode {
          case .text: try await receive(String(buffer: frame.unmaskedData))
          case .ping:
            try await outgoing.write(
              WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData))
          case .connectionClose: return
          default: break
          }
        }
      }
    }

    /// Nil when the server wants no WebSocket.
    private func connect() async throws -> EventLoopFuture<Frames?> {
      let host = url.host() ?? ""
      var head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: url.path() + (url.query().map { "?\($0)" } ?? ""))
      head.headers = ["Host": host, "Authorization": account, "Content-Length": "0"]
      return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: host, port: url.port ?? 80) { [head] channel in
          channel.eventLoop.makeCompletedFuture {
            let upgrader = NIOTypedWebSocketClientUpgrader<Frames?> { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
                    maxAccumulatedFrameSize: 1 << 20))
                return try Frames(wrappingChannelSynchronously: channel)
              }
            }
            var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
              upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader]
              ) { $0.close().map { nil } })
            // The default loses a message that arrives together with the server's yes.
            configuration.leftOverBytesStrategy = .forwardBytes
            return try channel.pipeline.syncOperations
              .configureUpgradableHTTPClientPipeline(configuration: configuration)
          }
        }
    }
  }
#endif
