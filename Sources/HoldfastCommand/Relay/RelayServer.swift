import ChatServer
import Foundation
import Holdfast
import HoldfastCore
import Logging
import NIOCore
import NIOPosix

/// The reference server behind HTTP: `/v1/connect` upgrades to a WebSocket, `/health` says that it is up, and
/// `/healthz` that its database answers.
struct RelayServer: Sendable {
  let server: ChatServer
  private let faults: FaultLayer?
  private let address: SocketAddress
  private let channels = OpenChannels()
  private let queues = RelayQueues()
  private let environment: ChatEnvironment
  private let maximumSockets: Int
  private let tally = RelayTally()
  private var logger: Logger { environment.logger }
  let handshakes: Handshakes
  /// The time between two looks at sockets that do not read, and at what was deleted.
  private static let turn = Duration.seconds(15)

  /// - Parameters:
  ///   - handshakeTime: the time that a new socket has to say its hello. A socket that takes longer is closed.
  ///   - maximumSockets: the most sockets at once. With one more, the oldest that has said no hello is closed.
  /// - Throws: An error when `host` is not an address.
  init(
    server: ChatServer, host: String, port: UInt16, faults: FaultLayer? = nil,
    handshakeTime: Duration = .seconds(10), maximumSockets: Int = AcceptLimit.sockets(),
    environment: ChatEnvironment = ChatEnvironment()
  ) throws {
    self.server = server
    self.environment = environment
    self.maximumSockets = maximumSockets
    self.faults = faults
    handshakes = Handshakes(time: handshakeTime, environment: environment)
    address = try SocketAddress(ipAddress: host, port: Int(port))
  }

  /// Whether only this machine can connect.
  var isOnLoopback: Bool { address.ipAddress.map { HostName($0).isThisMachine } ?? false }

  /// Serves until ``stop()``. `onListening` is called once, with the address for clients.
  func run(onListening: @escaping @Sendable (String) -> Void) async throws {
    let door = RelayDoor(server: server, faults: faults, tally: tally, logger: logger)
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .serverChannelInitializer { [channels, maximumSockets] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptLimit(channels, atMost: maximumSockets))
        }
      }
      .bind(to: address) { [channels, handshakes, maximumSockets] channel in
        channel.eventLoop.makeCompletedFuture {
          channels.add(channel)
          if channels.count >= maximumSockets { handshakes.closeOldest() }
          handshakes.begin(channel)
          return try door.open(to: channel)
        }
      }
    channels.add(listener.channel)
    if let url = url(of: listener.channel) { onListening(url) }
    try await withTaskCancellationHandler {
      do {
        try await serve(listener)
      } catch is CancellationError {
        // A server that is cut off ends with this error.
      }
    } onCancel: {
      channels.close(within: .zero)
    }
  }

  /// Tells every client that the server stops, and ends ``run(onListening:)``. Returns when every socket is closed.
  func stop() async {
    await server.stop()
    for end in channels.close(within: .seconds(1)) { try? await end.get() }
  }

  /// What the relay has done so far, in numbers.
  ///
  /// - Throws: ``ServerError`` with `storageFailed` or `stopped`.
  func meters() async throws -> RelayMeters {
    RelayMeters(
      server: try await server.meters(), sockets: channels.sockets, answers: tally.answers,
      givenUp: handshakes.givenUp, overflows: tally.overflows)
  }

  private func serve(
    _ listener: NIOAsyncChannel<EventLoopFuture<RelayDoor.Arrival>, Never>
  ) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await handshakes.run() }
      group.addTask { await self.takeTurns() }
      try await listener.executeThenClose { arrivals in
        try await withThrowingDiscardingTaskGroup { group in
          for try await arrival in arrivals { group.addTask { await serve(arrival) } }
        }
      }
      group.cancelAll()
    }
  }

  /// Drops sockets that are not read, and empties the journal of what was deleted, until the task is cancelled.
  private func takeTurns() async {
    while (try? await environment.sleep(environment.uptime() + Self.turn)) != nil {
      queues.dropStalled()
      await server.removeRemnants()
    }
  }

  /// Serves one socket. An error on a socket ends that socket, and no other.
  private func serve(_ arrival: EventLoopFuture<RelayDoor.Arrival>) async {
    guard case .upgraded(let socket, let token)? = try? await arrival.get() else { return }
    let queue = queues.open(token: token)
    defer { queues.close(queue, token: token) }
    let gate = faults?.gate(to: server, queue)
    try? await socket.executeThenClose { frames, _ in
      let id = try await server.connect(token: token) { output in
        if let gate { gate.push(output) } else { queue.push(output) }
      }
      await RelayConnection(
        id: id, server: server, gate: gate, queue: queue, channel: socket.channel, handshakes: handshakes
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
