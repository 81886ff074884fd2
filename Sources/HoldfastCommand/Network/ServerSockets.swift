import Holdfast
import NIOCore
import NIOPosix

/// The sockets of an HTTP server, with bounds that protect its memory and its sockets: the number of sockets, the
/// length of a request's head, and the time that the other side may take.
struct ServerSockets: Sendable {
  private let channels = OpenChannels()
  private let maximum: Int
  /// The sockets whose servers wait for the other side.
  let pending: PendingSockets

  /// - Parameters:
  ///   - maximum: the most sockets at once. With one more, the socket that has been pending longest is closed.
  ///   - time: the time limit of a pending socket.
  init(atMost maximum: Int, time: Duration = .seconds(10), environment: ChatEnvironment) {
    self.maximum = maximum
    pending = PendingSockets(time: time, environment: environment)
  }

  /// The number of open sockets. The listening ones are not counted.
  var count: Int { channels.sockets }

  /// Listens for a moment, to check whether the port can be used.
  ///
  /// - Throws: `IOError` when it cannot.
  static func tryOut(_ address: SocketAddress) async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .bind(to: address).get()
    try await listener.close()
  }

  /// Listens, and maps each new socket with `open`. The socket is pending.
  ///
  /// - Throws: `IOError` when the port cannot be used.
  func listen<Arrival: Sendable>(
    on address: SocketAddress, open: @escaping @Sendable (any Channel) throws -> Arrival
  ) async throws -> NIOAsyncChannel<Arrival, Never> {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .serverChannelInitializer { [channels, maximum] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptLimit(channels, atMost: maximum))
        }
      }
      .bind(to: address) { [channels, pending, maximum] channel in
        channel.eventLoop.makeCompletedFuture {
          channels.add(channel)
          if channels.count >= maximum { pending.closeOldest() }
          pending.begin(channel)
          try channel.pipeline.syncOperations.addHandler(RequestHeadLimit())
          return try open(channel)
        }
      }
    channels.add(listener.channel)
    return listener
  }

  /// Serves each arrival in its own task, until the listener is closed or the task is cancelled, which closes every
  /// socket.
  func serve<Arrival: Sendable>(
    _ listener: NIOAsyncChannel<Arrival, Never>, _ body: @escaping @Sendable (Arrival) async -> Void
  ) async throws {
    try await withTaskCancellationHandler {
      do {
        try await withThrowingDiscardingTaskGroup { group in
          group.addTask { await pending.run() }
          try await listener.executeThenClose { arrivals in
            try await withThrowingDiscardingTaskGroup { group in
              for try await arrival in arrivals { group.addTask { await body(arrival) } }
            }
          }
          group.cancelAll()
        }
      } catch is CancellationError {
        // A cancelled server ends with this error.
      }
    } onCancel: {
      channels.close(within: .zero)
    }
  }

  /// Accepts no more sockets, and returns when each is closed: by itself, or after a second.
  func close() async {
    for end in channels.close(within: .seconds(1)) { try? await end.get() }
  }
}
