import ChatServer
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Receives a new socket, which ends with a WebSocket upgrade or with an HTTP response.
struct RelayUpgradeHandler: Sendable {
  enum Arrival {
    case upgraded(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, token: String)
    case answered
  }

  struct Answer: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders = [:]
    var body = ""
  }

  let server: ChatServer
  let interceptor: (any RelayInterceptor)?
  let tally: RelayTally
  let logger: Logger

  /// Sets up a new socket. The future fails when the socket ends before its first request.
  func open(to channel: any Channel) throws -> EventLoopFuture<Arrival> {
    // Larger than the server's limit: the server itself refuses a message that is slightly too long, with a reason.
    let upgrader = NIOTypedWebSocketServerUpgrader<Arrival>(
      maxFrameSize: min(2 * server.limits.maximumFrameBytes, Int(UInt32.max)),
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeFutureWithTask { await answer(to: head) }.flatMapThrowing { answer in
          guard let answer else { return [:] }
          try channel.pipeline.syncOperations.handler(type: FirstRequest.self).answer = answer
          return nil
        }
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          let token = Self.bearerToken(head.headers.first(name: "Authorization")) ?? ""
          return .upgraded(try NIOAsyncChannel(wrappingChannelSynchronously: channel), token: token)
        }
      })
    let upgrade = NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let request = try pipeline.handler(type: FirstRequest.self)
        try pipeline.addHandler(AnsweringHandler(handler: self, head: request.head, answer: request.answer))
        return .answered
      }
    }
    let pipeline = channel.pipeline.syncOperations
    let arrival = try pipeline.configureUpgradableHTTPServerPipeline(
      configuration: NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrade))
    let upgrading = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Arrival>.self)
    try pipeline.addHandler(FirstRequest(), position: .before(upgrading))
    return arrival
  }

  /// The HTTP response to a request. Nil when the request may be upgraded, if it asks for that.
  fileprivate func answer(to head: HTTPRequestHead) async -> Answer? {
    switch (head.method, head.uri.prefix { $0 != "?" }) {
    case (.GET, "/health"): return Answer(status: .ok, body: "ok")
    case (.GET, "/healthz"):
      // No account has an empty token, and the database has to be read to know.
      let answers = (try? await server.isKnown(token: "")) != nil
      return answers ? Answer(status: .ok, body: "ok") : Answer(status: .serviceUnavailable)
    case (.GET, "/v1/connect"):
      if let wait = interceptor?.unavailableFor { return Self.unavailable(for: wait) }
      guard let token = Self.bearerToken(head.headers.first(name: "Authorization")) else {
        return Self.unauthorized
      }
      do { return try await server.isKnown(token: token) ? nil : Self.unauthorized } catch {
        return Self.unavailable(for: .seconds(1))
      }
    default: return Answer(status: .notFound)
    }
  }

  /// The response of an unavailable relay. A client that returns too early is refused again, so the seconds are
  /// rounded up.
  private static func unavailable(for wait: Duration) -> Answer {
    let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
    return Answer(status: .serviceUnavailable, headers: ["Retry-After": String(seconds)])
  }

  private static var unauthorized: Answer {
    Answer(status: .unauthorized, headers: ["WWW-Authenticate": "Bearer"])
  }

  /// The token of an `Authorization` field (RFC 6750, section 2.1). Nil when the field has no token.
  static func bearerToken(_ field: String?) -> String? {
    guard let field, field.prefix(7).lowercased() == "bearer " else { return nil }
    let token = field.dropFirst(7).trimmingCharacters(in: .whitespaces)
    return token.isEmpty ? nil : token
  }
}

/// Keeps the head of the first request. The handler of upgrades does not pass the head on when a request asks for
/// an upgrade and gets none.
private final class FirstRequest: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  private(set) var head: HTTPRequestHead?
  /// The response that says why the request is not upgraded. Nil when it asked for no upgrade.
  var answer: RelayUpgradeHandler.Answer?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Later data may be bytes of a WebSocket.
    if head == nil, case .head(let first) = unwrapInboundIn(data) { head = first }
    context.fireChannelRead(data)
  }
}

/// Responds to the first request of a socket that is not upgraded, and closes it.
private final class AnsweringHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let handler: RelayUpgradeHandler
  private let head: HTTPRequestHead?
  private let answer: RelayUpgradeHandler.Answer?

  /// - Parameter answer: the response that was already decided. Nil when none was.
  init(handler: RelayUpgradeHandler, head: HTTPRequestHead?, answer: RelayUpgradeHandler.Answer?) {
    self.handler = handler
    self.head = head
    self.answer = answer
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if let answer { return write(answer, context: context) }
    let (handler, head) = (handler, head)
    context.eventLoop.makeFutureWithTask {
      guard let head, let answer = await handler.answer(to: head) else {
        return RelayUpgradeHandler.Answer(status: .badRequest, body: "This is no WebSocket handshake.")
      }
      return answer
    }
    .assumeIsolated().whenSuccess { self.write($0, context: context) }
  }

  private func write(_ answer: RelayUpgradeHandler.Answer, context: ChannelHandlerContext) {
    handler.tally.noteAnswer(answer.status.code)
    if answer.status != .ok {
      handler.logger.debug("no upgrade", metadata: ["status": "\(answer.status.code)"])
    }
    var headers = answer.headers
    headers.add(name: "Content-Length", value: String(answer.body.utf8.count))
    headers.add(name: "Connection", value: "close")
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)))
      .assumeIsolated().whenComplete { _ in context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
