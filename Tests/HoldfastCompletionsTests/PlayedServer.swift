import Foundation
import HoldfastCore
import NIOCore
import NIOPosix
import Synchronization

/// A server that answers each connection's request with exactly the bytes of a test, on a free port.
final class PlayedServer: Sendable {
  /// What is done once the request has come, in this order.
  enum Step: Sendable {
    case send([UInt8])
    case close, reset
    /// Sends nothing more, and keeps the connection.
    case hold
  }

  /// The requests so far, each with its head and body.
  private let received = Mutex<[String]>([])
  private let closed = Signal()
  private let left: Mutex<[[Step]]>
  private let channel = Mutex<(any Channel)?>(nil)

  var requests: [String] { received.withLock { $0 } }
  /// Returns when a connection has ended that nobody waited for.
  func end() async { await closed.wait() }

  /// - Parameter answers: those to the first connection, the second and so on. The last one is for all that follow.
  private init(_ answers: [[Step]]) { left = Mutex(answers) }

  /// Runs a server beside `body`.
  static func run<Value>(
    _ answers: [[Step]], _ body: (URL, PlayedServer) async throws -> Value
  ) async throws -> Value {
    let server = PlayedServer(answers)
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Player(server))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    server.channel.withLock { $0 = channel }
    let url = URL(string: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
    guard let url else { throw CocoaError(.fileNoSuchFile) }
    let result: Value
    do { result = try await body(url, server) } catch {
      try? await channel.close()
      throw error
    }
    try await channel.close()
    return result
  }

  fileprivate func take(_ request: String) -> [Step] {
    received.withLock { $0.append(request) }
    return left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [.close] }
  }

  fileprivate func noteEnd() { closed.raise() }
}

/// One connection of the server. Used on its event loop alone.
private final class Player: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: PlayedServer
  private var request: [UInt8] = []

  init(_ server: PlayedServer) { self.server = server }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    request += unwrapInboundIn(data).readableBytesView
    guard let end = request.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
    let head = String(decoding: request[..<end.lowerBound], as: UTF8.self)
    let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
    guard request.count - end.upperBound >= length ?? 0 else { return }
    let steps = server.take(String(decoding: request, as: UTF8.self))
    request = []
    for step in steps { take(step, context) }
  }

  private func take(_ step: PlayedServer.Step, _ context: ChannelHandlerContext) {
    switch step {
    case .send(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    case .close:
      // Behind what is being written.
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
    case .reset:
      // What has been sent arrives first.
      let channel = context.channel
      context.eventLoop.scheduleTask(in: .milliseconds(50)) {
        (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete {
          _ in
        }
        channel.close(promise: nil)
      }
    case .hold: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) { server.noteEnd() }
}
