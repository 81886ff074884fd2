import Foundation
import Holdfast

/// A WebSocket that only listens. `URLSession` has one on Apple's systems, and none on Linux.
struct PushSocket: Sendable {
  var url: URL
  var account: String
  /// A server that says nothing for so long, and answers no ping, is gone.
  var pingInterval: Duration

  /// What it is when the server wants no WebSocket: signed out, or a server that cannot serve now.
  private func refusal(_ status: Int?) -> any Error {
    ConnectionFailure(status == 401 ? .unauthorized : .unavailable, detail: "status \(status ?? 0)")
  }
}

#if canImport(Darwin)
  extension PushSocket {
    /// Ends when the socket is open, or is not going to be.
    private final class Opening: NSObject, URLSessionWebSocketDelegate {
      let (ends, end) = AsyncStream<Void>.makeStream()
      func urlSession(_: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol: String?) {
        end.finish()
      }
      func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError: (any Error)?) {
        end.finish()
      }
    }

    /// Calls `opened` once the server has said yes, and then `receive` with each message, until the socket or the task
    /// ends. What comes meanwhile waits. A silent server is noticed after the request's minute.
    func open(
      opened: () async throws -> Void, receive: (String) async throws -> Void
    ) async throws {
      var request = URLRequest(url: url)
      request.setValue(account, forHTTPHeaderField: "Authorization")
      let (task, opening) = (URLSession.shared.webSocketTask(with: request), Opening())
      task.delegate = opening
      task.resume()
      try await withTaskCancellationHandler {
        for await _ in opening.ends {}
        let status = (task.response as? HTTPURLResponse)?.statusCode
        guard status == 101 else { throw status.map(refusal) ?? URLError(.cannotConnectToHost) }
        try await opened()
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
  import Synchronization

  extension PushSocket {
    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    private typealias Parts = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>
    private final class Server: Sendable { let isHeard = Atomic(true) }
    private enum Answer: Sendable { case open(Frames), refused(Parts) }

    /// Calls `opened` once the server has said yes, and then `receive` with each message, until the socket or the task
    /// ends. What comes meanwhile waits. A server that answers no ping is noticed after a while.
    func open(
      opened: () async throws -> Void, receive: (String) async throws -> Void
    ) async throws {
      switch try await answer() {
      case .refused(let answer):
        let status = try await answer.executeThenClose { parts, _ -> Int? in
          for try await case .head(let head) in parts { return Int(head.status.code) }
          return nil
        }
        throw refusal(status)
      case .open(let frames): try await read(frames, opened, receive)
      }
    }

    private func read(
      _ frames: Frames, _ opened: () async throws -> Void,
      _ receive: (String) async throws -> Void
    ) async throws {
      let server = Server()
      try await frames.executeThenClose { incoming, outgoing in
        async let _: Void = {
          while server.isHeard.exchange(false, ordering: .relaxed) {
            try await outgoing.write(
              WebSocketFrame(fin: true, opcode: .ping, maskKey: .random(), data: ByteBuffer()))
            try await Task.sleep(for: pingInterval)
          }
          frames.channel.close(promise: nil)
        }()
        try await opened()
        for try await frame in incoming {
          server.isHeard.store(true, ordering: .relaxed)
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

    /// The server's answer. NIO waits for it for ever, so that a limit and a cancellation close the connection.
    private func answer() async throws -> Answer {
      let (channel, answer) = try await connect()
      let limit = channel.eventLoop.scheduleTask(in: .seconds(pingInterval.components.seconds)) {
        channel.close(promise: nil)
      }
      defer { limit.cancel() }
      return try await withTaskCancellationHandler {
        try await answer.get()
      } onCancel: {
        channel.close(promise: nil)
      }
    }

    private func connect() async throws -> (any Channel, EventLoopFuture<Answer>) {
      let host = url.host() ?? ""
      var head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: url.path() + (url.query().map { "?\($0)" } ?? ""))
      head.headers = ["Host": host, "Authorization": account, "Content-Length": "0"]
      return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: host, port: url.port ?? 80) { [head] channel in
          channel.eventLoop.makeCompletedFuture {
            let upgrader = NIOTypedWebSocketClientUpgrader<Answer> { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
                    maxAccumulatedFrameSize: 1 << 20))
                return .open(try Frames(wrappingChannelSynchronously: channel))
              }
            }
            var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
              upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader]
              ) { channel in
                channel.eventLoop.makeCompletedFuture {
                  .refused(try Parts(wrappingChannelSynchronously: channel))
                }
              })
            // The default loses a message that arrives together with the server's yes.
            configuration.leftOverBytesStrategy = .forwardBytes
            let answer = try channel.pipeline.syncOperations
              .configureUpgradableHTTPClientPipeline(configuration: configuration)
            return (channel, answer)
          }
        }
    }
  }
#endif
