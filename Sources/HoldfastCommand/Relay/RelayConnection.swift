import ChatServer
import Foundation
import NIOCore
import NIOWebSocket

/// One client on its socket, until either side ends it.
struct RelayConnection: Sendable {
  /// The time that a client has to read the remaining frames, once its connection has ended.
  private static let patience = TimeAmount.seconds(5)

  let id: ConnectionID
  let server: ChatServer
  /// Nil when the relay injects no faults.
  let gate: (any ConnectionInterceptor)?
  let queue: OutboundQueue
  let channel: any Channel
  let pending: PendingSockets

  /// Serves the client. It returns when all reading and writing has ended, and only then may the socket be closed.
  /// The number of a closed socket is reused for the next connection at once, and a task that still reads would read
  /// the frames of that connection.
  func run(reading frames: NIOAsyncChannelInboundStream<WebSocketFrame>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await read(frames) }
      group.addTask {
        await queue.untilEnding()
        await server.disconnect(id)
        channel.close(after: Self.patience)
      }
      await write()
      queue.finish()
      group.cancelAll()
    }
  }

  private func write() async {
    do {
      // Each write waits until the system has the frame, so that frames for a slow client wait in the bounded
      // queue.
      for await frame in queue.frames { try await channel.writeAndFlush(frame).get() }
    } catch {
      // The socket is closed.
    }
  }

  /// Reads one frame after the other. The socket is not read while the server is busy, so a client that sends faster
  /// than the server stores fills its own buffers, not the server's memory.
  private func read(_ frames: NIOAsyncChannelInboundStream<WebSocketFrame>) async {
    defer { queue.finish() }
    var assembly = MessageAssembly(maximumBytes: server.limits.maximumFrameBytes)
    do {
      for try await frame in frames {
        switch assembly.append(frame) {
        case .wait: break
        case .message(let data):
          // The server ends a connection whose first message is not a hello.
          pending.complete(channel)
          await queue.account.receiving.withLock { await receive(data) }
        case .answer(let frame): queue.push(frame)
        case .close(let code): return queue.finish(with: code)
        }
      }
    } catch {
      // The socket is closed; its session ends with it.
    }
  }

  private func receive(_ message: Data) async {
    if let gate { await gate.receive(message, on: id) } else { await server.receive(message, on: id) }
  }
}
