import NIOCore

/// Refuses a request whose first line or whose head is too long, before it is buffered. Bytes after a refusal are
/// discarded, because a socket that is closed with unread bytes is reset, and the response lost.
///
/// ```
///   line ──► fields ──► whole
///    │ 414     │ 431
///    └─────────┴──► refused
/// ```
final class RequestHeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State { case line, fields, whole, refused }

  static let maximumLine = 8 * 1024
  /// The first line counts as part of the head.
  static let maximumHead = 64 * 1024

  private var state = State.line
  private var length = 0
  /// The length of the present line, without its end.
  private var column = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .refused: return
    case .whole: break
    case .line, .fields:
      for byte in unwrapInboundIn(data).readableBytesView where state != .whole {
        count(byte)
        if state == .line, column > Self.maximumLine { return refuse("414 URI Too Long", context) }
        if length > Self.maximumHead { return refuse("431 Request Header Fields Too Large", context) }
      }
    }
    context.fireChannelRead(data)
  }

  private func count(_ byte: UInt8) {
    length += 1
    switch byte {
    case UInt8(ascii: "\r"): break
    case UInt8(ascii: "\n"):
      // An empty line before a request is skipped, as RFC 9112, section 2.2, says.
      if column > 0 { state = .fields } else if state == .fields { state = .whole }
      column = 0
    default: column += 1
    }
  }

  private func refuse(_ status: String, _ context: ChannelHandlerContext) {
    state = .refused
    let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
    }
  }
}
