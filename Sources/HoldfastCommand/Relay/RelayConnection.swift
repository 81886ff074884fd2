import ChatServer
import FlyingFox
import Foundation

/// Makes a connection of an accepted upgrade, and hands it to the task that owns all connections.
struct RelayUpgrade: WSHandler {
  let token: String
  let server: ChatServer
  let faults: FaultLayer?
  let arrivals: AsyncStream<RelayConnection>.Continuation

  func makeFrames(
    for client: AsyncThrowingStream<WSFrame, any Error>
  ) async throws -> AsyncStream<WSFrame> {
    let queue = OutboundQueue()
    let gate = faults?.gate(to: server, queue)
    let id = try await server.connect(token: token) { output in
      if let gate { gate.push(output) } else { queue.push(output) }
    }
    let connection = RelayConnection(id: id, server: server, gate: gate, incoming: client, queue: queue)
    if case .terminated = arrivals.yield(connection) { await connection.end() }
    return queue.frames
  }
}

/// One client on its socket, until either side ends it.
struct RelayConnection: Sendable {
  let id: ConnectionID
  let server: ChatServer
  /// Nil where nobody wants to see faults.
  let gate: FaultGate?
  let incoming: AsyncThrowingStream<WSFrame, any Error>
  let queue: OutboundQueue

  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await read() }
      // Ends the reading when the server closes the connection while the client says nothing.
      group.addTask { await queue.untilEnding() }
      await group.next()
      group.cancelAll()
    }
    await end()
  }

  func end() async {
    await server.disconnect(id)
    queue.finish()
  }

  /// One frame after the other: the socket is not read while the server is at work, so a client that sends
  /// faster than the server stores fills its own buffers, not the server's memory.
  private func read() async {
    var assembly = MessageAssembly(maximumBytes: server.limits.maximumFrameBytes)
    do {
      for try await frame in incoming {
        switch assembly.take(frame) {
        case .wait: break
        case .message(let data): await receive(data)
        case .reply(let frame): queue.push(frame)
        case .close(let code): return queue.finish(with: code)
        }
      }
    } catch {
      // The socket is gone; its session ends with it.
    }
  }

  private func receive(_ message: Data) async {
    if let gate { await gate.receive(message, on: id) } else { await server.receive(message, on: id) }
  }
}
