import HoldfastCore
import HoldfastRelay

#if !canImport(Darwin)
  import NIOCore
  import NIOWebSocket

  /// The client's side of an open WebSocket ([RFC 6455](https://www.rfc-editor.org/rfc/rfc6455)): text messages in
  /// and out, the mask of outgoing frames (section 5.3), pongs (5.5.2), and the closing handshake (7.1.1). It works
  /// in the channel, so that a ping is answered whether or not a task reads.
  final class WebSocketTextHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = WebSocketFrame

    /// The time that a server may take to answer our close. The close is a courtesy, and the engine waits for it.
    private static let closeTimeout: TimeAmount = .milliseconds(500)

    /// The environment's source of random numbers in 0..<1.
    private let random: @Sendable () -> Double
    private var hasSentClose = false
    private var closing: Scheduled<Void>?

    init(random: @escaping @Sendable () -> Double) { self.random = random }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      switch frame.opcode {
      case .text:
        if !hasSentClose { context.fireChannelRead(wrapInboundOut(frame.unmaskedData)) }
      case .ping:
        // A server that pings without reading the pongs gets only the later ones (section 5.5.3).
        if context.channel.isWritable, !hasSentClose {
          write(.pong, frame.unmaskedData, context: context)
        }
      case .connectionClose:
        if !hasSentClose {
          var payload = frame.unmaskedData
          let code = payload.readWebSocketErrorCode()
          context.fireErrorCaught(ConnectionFailure(closedWith: code))
          sendClose(code ?? .normalClosure, context: context)
        }
        context.close(promise: nil)
      case .binary:
        fail(ConnectionFailure(.incompatible, detail: "the server sent a binary message"), context: context)
      default: break
      }
    }

    /// Handles data that no server may send, from the decoders before this handler, and a broken socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      fail(error, context: context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard !hasSentClose else {
        promise?.fail(ChannelError.outputClosed)
        return
      }
      context.write(wrapOutboundOut(frame(.text, unwrapOutboundIn(data))), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      guard mode == .all, !hasSentClose, context.channel.isActive else {
        context.close(mode: mode, promise: promise)
        return
      }
      sendClose(.goingAway, context: context)
      if let promise { context.channel.closeFuture.cascade(to: promise) }
      closing = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) {
        context.close(promise: nil)
      }
      context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
      closing?.cancel()
      context.fireChannelInactive()
    }

    /// Notifies the reader first, because closing ends its stream without a reason.
    private func fail(_ error: any Error, context: ChannelHandlerContext) {
      context.fireErrorCaught(error)
      guard !hasSentClose, context.channel.isActive else { return }
      sendClose(.protocolError, context: context)
      context.close(promise: nil)
    }

    private func sendClose(_ code: WebSocketErrorCode, context: ChannelHandlerContext) {
      var payload = context.channel.allocator.buffer(capacity: 2)
      payload.write(webSocketErrorCode: code)
      write(.connectionClose, payload, context: context)
      hasSentClose = true
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(frame(opcode, payload)), promise: nil)
    }

    /// Gives each frame its own mask. A mask is unpredictable as long as the environment's numbers come from
    /// the system (RFC 6455, section 5.3).
    private func frame(_ opcode: WebSocketOpcode, _ payload: ByteBuffer) -> WebSocketFrame {
      WebSocketFrame(fin: true, opcode: opcode, maskKey: Self.mask(of: random()), data: payload)
    }

    /// The first 32 bits of a number in 0..<1. A number outside that range is clamped.
    static func mask(of fraction: Double) -> WebSocketMaskingKey {
      let bits = UInt32(Double.minimum(Double.maximum(fraction, 0), 1.0.nextDown) * 0x1p32)
      return WebSocketMaskingKey(withUnsafeBytes(of: bits.bigEndian) { Array($0) })!
    }
  }

  extension ConnectionFailure {
    /// The meaning of a server's close, by its code (RFC 6455, section 7.4.1, and the registry that it opened).
    fileprivate init(closedWith code: WebSocketErrorCode?) {
      let number = code.map(UInt16.init(webSocketErrorCode:))
      let reason: Reason =
        switch number {
        case 1012, 1013: .unavailable
        case 1002, 1003, 1007, 1008, 1009, 1010: .incompatible
        default: .unreachable
        }
      self.init(reason, detail: "the server closed the connection (\(number.map(String.init) ?? "no code"))")
    }
  }
#endif
