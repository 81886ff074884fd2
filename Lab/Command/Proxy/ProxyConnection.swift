import Foundation
import NIOCore

/// A client's connection and its connection to the server. Both channels and this object belong to one event loop.
final class ProxyConnection {
  private let client: any Channel
  private var server: (any Channel)?
  private let passed: (ProxyConnection, ByteBuffer, ProxyValve.Direction) -> ByteBuffer?
  private let ended: (ProxyConnection) -> Void
  /// Each direction's earliest time for its next bytes, so that a shorter delay causes no reordering.
  private var due: [ProxyValve.Direction: NIODeadline] = [:]
  private var hasEnded = false

  var delay = TimeAmount.zero
  /// Whether reading is paused, so that the kernel keeps incoming bytes.
  var isHeld = false { didSet { read() } }
  /// Whether an order was carried out and its ending is due: until then the client is not notified that the server
  /// has closed its output.
  var isDraining = false { didSet { if !isDraining { passMissedEnd() } } }
  /// The server's end that was not passed on to the client.
  private var missed: ServerEnd?
  private enum ServerEnd { case output, all }
  /// Whether the connection is held forever.
  private var isSilent = false

  /// - Parameters:
  ///   - passed: called for incoming bytes; returns those to forward.
  ///   - ended: called once both channels are closed, or are about to be.
  init(
    _ client: any Channel,
    passed: @escaping (ProxyConnection, ByteBuffer, ProxyValve.Direction) -> ByteBuffer?,
    ended: @escaping (ProxyConnection) -> Void
  ) {
    (self.client, self.passed, self.ended) = (client, passed, ended)
  }

  /// Connects to the server: bytes pass from now on.
  func connected(to server: any Channel) {
    self.server = server
    guard !hasEnded else {
      server.close(promise: nil)
      return
    }
    read()
  }

  func received(_ bytes: ByteBuffer, _ direction: ProxyValve.Direction) {
    guard !isSilent, let bytes = passed(self, bytes, direction), bytes.readableBytes > 0 else { return }
    later(direction) { $0.writeAndFlush(bytes, promise: nil) }
  }

  /// Handles the end of one side's output: the other side gets it after the bytes in flight.
  func receivedEnd(_ direction: ProxyValve.Direction) {
    guard !isKeptFromClient(direction) else { return missed = missed ?? .output }
    guard !isSilent else { return }
    later(direction) { $0.close(mode: .output, promise: nil) }
  }

  private func isKeptFromClient(_ direction: ProxyValve.Direction) -> Bool {
    direction == .down && (isDraining || isSilent)
  }

  private func passMissedEnd() {
    guard let end = missed, !isSilent else { return }
    missed = nil
    switch end {
    case .output: receivedEnd(.down)
    case .all: closed(.down)
    }
  }

  /// Handles the closing of one side: the other is closed too, after the bytes in flight.
  func closed(_ direction: ProxyValve.Direction) {
    guard !hasEnded else { return }
    guard !isKeptFromClient(direction) else { return missed = .all }
    hasEnded = true
    ended(self)
    later(direction) { $0.close(promise: nil) }
  }

  /// Applies backpressure: a side that is not writable stops the reading of the other.
  func writabilityChanged() { read() }

  func end(_ ending: ProxyOrder.Ending) {
    guard ending != .silent else {
      isSilent = true
      read()
      return
    }
    hasEnded = true
    ended(self)
    for channel in [client, server].compactMap(\.self) {
      if ending == .reset { channel.resetWhenClosed() }
      channel.close(promise: nil)
    }
  }

  private func read() {
    guard let server else { return }
    let isReading = !isHeld && !isSilent
    try? client.syncOptions?.setOption(.autoRead, value: isReading && server.isWritable)
    try? server.syncOptions?.setOption(.autoRead, value: isReading && client.isWritable)
  }

  private func later(_ direction: ProxyValve.Direction, _ deed: @escaping (any Channel) -> Void) {
    guard let target = direction == .up ? server : client else { return }
    let now = NIODeadline.now()
    let time = max(due[direction] ?? now, now + delay)
    guard time > now else { return deed(target) }
    due[direction] = time
    client.eventLoop.assumeIsolated().scheduleTask(deadline: time) { deed(target) }
  }
}

/// One end of a ``ProxyConnection``: the channel whose bytes flow in `direction`.
final class ProxySide: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: ProxyConnection
  private let direction: ProxyValve.Direction

  init(_ connection: ProxyConnection, _ direction: ProxyValve.Direction) {
    (self.connection, self.direction) = (connection, direction)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.received(unwrapInboundIn(data), direction)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { connection.receivedEnd(direction) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { connection.writabilityChanged() }

  func channelInactive(context: ChannelHandlerContext) { connection.closed(direction) }

  /// A reset is an error, and closes the channel.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension Channel {
  /// Makes the next close a TCP reset: unsent bytes are dropped.
  func resetWhenClosed() {
    (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
  }
}
