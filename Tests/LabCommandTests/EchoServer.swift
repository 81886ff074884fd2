import FlyingSocks
import Foundation
import Synchronization

@testable import HoldfastCommand

/// A server that answers each byte with the same byte, and records its input. A full stop ends the connection.
final class EchoServer: Sendable {
  let port: UInt16
  private let listener: AsyncSocket
  private let bytes = Mutex([UInt8]())

  /// Every received byte, on all connections.
  var received: String { String(decoding: bytes.withLock(\.self), as: UTF8.self) }

  fileprivate init() async throws {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: LoopbackAddress(port: 0))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    self.port = port
    listener = try AsyncSocket(socket: socket, pool: try await SocketPool<Poll>.client)
  }

  fileprivate func run() async {
    try? await withThrowingDiscardingTaskGroup { connections in
      while true {
        let connection = try await listener.accept()
        connections.addTask { await self.echo(connection) }
      }
    }
    try? listener.close()
  }

  private func echo(_ connection: AsyncSocket) async {
    while let bytes = try? await connection.read(atMost: 4096) {
      self.bytes.withLock { $0 += bytes }
      try? await connection.write(Data(bytes))
      if bytes.contains(UInt8(ascii: ".")) { break }
    }
    try? connection.close()
  }
}

func withEchoServer(_ body: @Sendable (EchoServer) async throws -> Void) async throws {
  let server = try await EchoServer()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await server.run() }
    try await body(server)
    group.cancelAll()
  }
}
