import FlyingSocks
import Foundation
import Holdfast
import HoldfastCommand
import Synchronization

/// A link from one phone to the relay, over real sockets on this machine. It can be cut, and it can fall silent.
///
/// A link that is cut ends its connections, and both sides notice. A silent link keeps its connections open and
/// accepts new ones, but delivers nothing: only a heartbeat detects that. Bytes in flight are held. They continue
/// when the silence ends, as after a tunnel, or are lost when the link is cut meanwhile.
final class FlakyLink: Sendable {
  let port: UInt16

  private struct State {
    var isSilent = false
    /// One signal for each byte stream that waits for the end of the silence.
    var waiting: [Signal] = []
    /// One signal for each connection, raised when the connection is cut.
    var cuts: [Int: Signal] = [:]
    var count = 0
  }

  private let listener: AsyncSocket
  private let pool: any AsyncSocketPool
  private let target: @Sendable () -> UInt16
  private let state = Mutex(State())

  /// - Parameter target: returns the relay's port; called for each connection.
  init(to target: @escaping @Sendable () -> UInt16) async throws {
    let pool = try await SocketPool<Poll>.client
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: LoopbackAddress(port: 0))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    listener = try AsyncSocket(socket: socket, pool: pool)
    self.pool = pool
    self.port = port
    self.target = target
  }

  /// Carries connections until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled, let client = try? await listener.accept() {
        group.addTask { await self.carry(client) }
      }
      group.cancelAll()
    }
    Self.close(listener)
  }

  /// Ends every connection.
  func cut() {
    for cut in state.withLock({ Array($0.cuts.values) }) { cut.raise() }
  }

  func setSilent(_ isSilent: Bool) {
    let waiting = state.withLock { state in
      state.isSilent = isSilent
      guard !isSilent else { return [Signal]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for signal in waiting { signal.raise() }
  }

  private func carry(_ client: AsyncSocket) async {
    defer { Self.close(client) }
    guard let server = await connect() else { return }
    defer { Self.close(server) }
    let cut = Signal()
    let number = state.withLock { state in
      state.count += 1
      state.cuts[state.count] = cut
      return state.count
    }
    defer { state.withLock { _ = $0.cuts.removeValue(forKey: number) } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.pass(from: client, to: server) }
      group.addTask { await self.pass(from: server, to: client) }
      group.addTask { await cut.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  private func connect() async -> AsyncSocket? {
    guard let socket = try? Socket(domain: AF_INET, type: .stream) else { return nil }
    do {
      let server = try AsyncSocket(socket: socket, pool: pool)
      try await server.connect(to: LoopbackAddress(port: target()))
      // When the relay is down, its port may be the socket's own. The socket then connects to itself, and blocks the
      // port for the relay.
      guard try socket.sockname() != socket.remotePeer() else { throw SocketError.disconnected }
      return server
    } catch {
      // The relay is down.
      try? socket.close()
      return nil
    }
  }

  private func pass(from source: AsyncSocket, to target: AsyncSocket) async {
    while let bytes = try? await source.read(atMost: 4096) {
      await whenAudible()
      guard !Task.isCancelled, (try? await target.write(Data(bytes))) != nil else { return }
    }
  }

  private func whenAudible() async {
    while !Task.isCancelled {
      let signal = Signal()
      let isSilent = state.withLock { state in
        if state.isSilent { state.waiting.append(signal) }
        return state.isSilent
      }
      guard isSilent else { return }
      await signal.wait()
    }
  }

  /// Closes a socket. It is shut down first, so that the other side notices even if a child process has the socket
  /// too.
  private static func close(_ socket: AsyncSocket) {
    shutdown(socket.socket.file.rawValue, Int32(SHUT_RDWR))
    try? socket.close()
  }
}
