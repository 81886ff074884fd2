import ChatServer
import Foundation
import Holdfast
import HoldfastCore
import Logging
import NIOCore

/// The reference server behind HTTP: `/v1/connect` upgrades to a WebSocket, `/health` responds while it is up, and
/// `/healthz` while its database responds.
package struct RelayServer: Sendable {
  let server: ChatServer
  private let interceptor: (any RelayInterceptor)?
  private let address: SocketAddress
  private let queues = RelayQueues()
  let environment: ChatEnvironment
  private let tally = RelayTally()
  private var logger: Logger { environment.logger }
  /// A socket is pending until its client has sent its hello.
  let sockets: ServerSockets
  /// The time between two checks for stalled sockets and deleted data.
  private static let turn = Duration.seconds(15)

  /// - Parameters:
  ///   - handshakeTime: the time that a new socket has to say its hello. A socket that takes longer is closed.
  ///   - maximumSockets: the most sockets at once. With one more, the oldest that has said no hello is closed.
  package init(
    server: ChatServer, address: SocketAddress, interceptor: (any RelayInterceptor)? = nil,
    handshakeTime: Duration = .seconds(10), maximumSockets: Int = AcceptLimit.sockets(),
    environment: ChatEnvironment = ChatEnvironment()
  ) {
    self.server = server
    self.environment = environment
    self.interceptor = interceptor
    self.address = address
    sockets = ServerSockets(atMost: maximumSockets, time: handshakeTime, environment: environment)
  }

  /// Whether only this machine can connect.
  var isOnLoopback: Bool { address.ipAddress.map { HostName($0).isThisMachine } ?? false }

  /// Serves until ``stop()``. `onListening` is called once, with the address for clients.
  package func run(onListening: @escaping @Sendable (String) -> Void) async throws {
    let handler = RelayUpgradeHandler(server: server, interceptor: interceptor, tally: tally, logger: logger)
    let listener = try await sockets.listen(on: address) { try handler.open(to: $0) }
    if let url = url(of: listener.channel) { onListening(url) }
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await self.takeTurns() }
      try await sockets.serve(listener) { await serve($0) }
      group.cancelAll()
    }
  }

  /// Notifies every client that the server stops, and ends ``run(onListening:)``. Returns when every socket is
  /// closed.
  package func stop() async {
    await server.stop()
    await sockets.close()
  }

  /// The relay's metrics so far.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  func meters() async throws -> RelayMeters {
    RelayMeters(
      server: try await server.meters(), sockets: sockets.count, answers: tally.answers,
      givenUp: sockets.pending.givenUp, overflows: tally.overflows)
  }

  /// Drops stalled sockets, and removes deleted data from the journal, until the task is cancelled.
  private func takeTurns() async {
    while (try? await environment.sleep(environment.uptime() + Self.turn)) != nil {
      queues.dropStalled()
      await server.removeRemnants()
    }
  }

  /// Serves one socket. An error on a socket ends only that socket.
  private func serve(_ arrival: EventLoopFuture<RelayUpgradeHandler.Arrival>) async {
    guard case .upgraded(let socket, let token)? = try? await arrival.get() else { return }
    let queue = queues.open(token: token)
    defer { queues.close(queue, token: token) }
    let gate = interceptor?.connection(to: server, queue)
    try? await socket.executeThenClose { frames, _ in
      let id = try await server.connect(token: token) { output in
        if let gate { gate.push(output) } else { queue.push(output) }
      }
      await RelayConnection(
        id: id, server: server, gate: gate, queue: queue, channel: socket.channel, pending: sockets.pending
      ).run(reading: frames)
      guard queue.hasOverflowed else { return }
      tally.noteOverflow()
      logger.debug("the client did not read", metadata: ["connection": "\(id.number)"])
    }
  }

  private func url(of channel: any Channel) -> String? {
    guard let address = channel.localAddress, let host = address.ipAddress, let port = address.port else {
      return nil
    }
    return "ws://\(host.contains(":") ? "[\(host)]" : host):\(port)/v1/connect"
  }
}
