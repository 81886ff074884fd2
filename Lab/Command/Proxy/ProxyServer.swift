import Foundation
import HoldfastCommand
import NIOCore
import NIOPosix

/// A TCP proxy that does not parse its bytes. It passes them between its clients and one server, and fails on
/// request.
///
/// All its channels and its state belong to one event loop.
final class ProxyServer: Sendable {
  /// An event of the proxy.
  enum Event: Sendable, Equatable {
    case listening(String)
    /// An order is active.
    case inForce
    /// An order was carried out on bytes, and the connections have ended.
    case carriedOut
    case failed(String)
  }

  /// The time that the server has for the bytes that went up, before the connections end.
  static let drainTime = TimeAmount.milliseconds(300)

  private let loop: any EventLoop
  private let state: NIOLoopBound<State>
  private let stopped: EventLoopPromise<Void>
  private let report: @Sendable (Event) -> Void

  /// - Parameter target: returns the server's address; called for each connection.
  init(
    host: String, port: Int, to target: @escaping @Sendable () -> (host: String, port: Int),
    report: @escaping @Sendable (Event) -> Void
  ) throws {
    loop = MultiThreadedEventLoopGroup.singleton.any()
    let address = try SocketAddress(ipAddress: host, port: port)
    stopped = loop.makePromise()
    self.report = report
    state = try loop.submit { [loop] in
      NIOLoopBound(State(address: address, target: target, loop: loop, report: report), eventLoop: loop)
    }.wait()
  }

  /// Carries connections until ``stop()``, or until the task is cancelled.
  ///
  /// - Throws: ``Complaint`` when another process has the port, or when this user may not use it.
  func run() async throws {
    report(.listening(try await loop.flatSubmit { [state] in state.value.listen() }.get()))
    try await withTaskCancellationHandler {
      try await stopped.futureResult.get()
    } onCancel: {
      stop()
    }
    try await loop.submit { [state] in state.value.stop() }.get()
  }

  func stop() { stopped.succeed() }

  func obey(_ order: ProxyOrder) { loop.execute { [state] in state.value.obey(order) } }
}

extension ProxyServer {
  /// The state of the event loop.
  private final class State {
    private var address: SocketAddress
    private let target: @Sendable () -> (host: String, port: Int)
    private let loop: any EventLoop
    private let report: @Sendable (Event) -> Void
    private var listener: (any Channel)?
    private var valve = ProxyValve()
    private var connections: [ObjectIdentifier: ProxyConnection] = [:]
    private var delay = TimeAmount.zero

    init(
      address: SocketAddress, target: @escaping @Sendable () -> (host: String, port: Int),
      loop: any EventLoop,
      report: @escaping @Sendable (Event) -> Void
    ) {
      (self.address, self.target, self.loop, self.report) = (address, target, loop, report)
    }

    /// Starts listening. Returns the address.
    func listen() -> EventLoopFuture<String> {
      let bound = NIOLoopBound(self, eventLoop: loop)
      return ServerBootstrap(group: loop)
        .serverChannelOption(.backlog, value: 256)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try bound.value.accept(channel) }
        }
        .bind(to: address)
        .assumeIsolated()
        .map { channel in
          self.listener = channel
          // A free port that was chosen is kept from now on, also after it was closed.
          self.address = channel.localAddress ?? self.address
          return self.address.hostAndPort
        }
        .flatMapErrorThrowing { error in
          throw Complaint(
            port: self.address.port ?? 0, of: self.address.ipAddress ?? "",
            (error as? IOError)?.errnoCode ?? EIO)
        }
        .nonisolated()
    }

    func stop() {
      listener?.close(promise: nil)
      end(.reset)
    }

    func obey(_ order: ProxyOrder) {
      valve.obey(order)
      delay = if case .delay(let milliseconds) = order { .milliseconds(Int64(milliseconds)) } else { .zero }
      if order == .reset { end(.reset) }
      for connection in connections.values { follow(connection) }
      switch (order, listener) {
      case (.refuse, let listener?):
        self.listener = nil
        listener.close().assumeIsolated().whenComplete { _ in self.report(.inForce) }
      case (.refuse, nil), (.reset, _): report(.inForce)
      case (_, nil): listenAgain()
      default: report(.inForce)
      }
    }

    private func listenAgain() {
      listen().assumeIsolated().whenComplete { result in
        switch result {
        case .success: self.report(.inForce)
        case .failure(let error): self.report(.failed("\(error)"))
        }
      }
    }

    private func follow(_ connection: ProxyConnection) {
      connection.delay = delay
      connection.isHeld = valve.order == .hole
      connection.isDraining = valve.isDraining
    }

    private func accept(_ client: any Channel) throws {
      let connection = ProxyConnection(
        client, passed: { self.pass($1, $2) }, ended: { self.connections[ObjectIdentifier($0)] = nil })
      connections[ObjectIdentifier(connection)] = connection
      follow(connection)
      try client.pipeline.syncOperations.addHandler(ProxySide(connection, .up))
      let (bound, target) = (NIOLoopBound(connection, eventLoop: loop), target())
      ClientBootstrap(group: loop)
        .channelOption(.autoRead, value: false)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { server in
          server.eventLoop.makeCompletedFuture {
            try server.pipeline.syncOperations.addHandler(ProxySide(bound.value, .down))
          }
        }
        .connect(host: target.host, port: target.port)
        .assumeIsolated()
        .whenComplete { result in
          switch result {
          // When the server is down, its port may be the socket's own. The socket then connects to itself, and blocks
          // the port for the server.
          case .success(let server) where server.localAddress == server.remoteAddress:
            server.close(promise: nil)
            connection.end(.reset)
          case .success(let server): connection.connected(to: server)
          // The server is down. A reset is the most direct way in TCP to notify the client.
          case .failure: connection.end(.reset)
          }
        }
    }

    private func pass(_ bytes: ByteBuffer, _ direction: ProxyValve.Direction) -> ByteBuffer? {
      let (count, isCarriedOut) = valve.pass(bytes.readableBytes, direction)
      if isCarriedOut {
        for connection in connections.values { follow(connection) }
        loop.assumeIsolated().scheduleTask(in: ProxyServer.drainTime + delay) { self.endDraining() }
      }
      return bytes.getSlice(at: bytes.readerIndex, length: count)
    }

    private func endDraining() {
      guard let ending = valve.end() else { return }
      end(ending)
      for connection in connections.values { follow(connection) }
      report(.carriedOut)
    }

    private func end(_ ending: ProxyOrder.Ending) {
      for connection in connections.values { connection.end(ending) }
    }
  }
}

extension SocketAddress {
  /// Host and port as in an address: `127.0.0.1:80`, `[::1]:80`.
  fileprivate var hostAndPort: String {
    let host = ipAddress ?? ""
    return "\(host.contains(":") ? "[\(host)]" : host):\(port ?? 0)"
  }
}
