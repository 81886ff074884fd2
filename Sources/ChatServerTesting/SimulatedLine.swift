import ChatServer
import Foundation
import Holdfast

/// One connection of a ``SimulatedBackend``, with the frames in flight in both directions.
struct SimulatedLine {
  private static let end = ConnectionFailure(.unreachable, detail: "the connection is gone")
  let up = MemoryQueue<Data>()
  let down = MemoryQueue<Data>()

  var isClosed: Bool { up.failure != nil }
  var channel: MemoryChannel { MemoryChannel(send: up.put, receive: down.next) }

  /// Sends an output of the server to the client.
  func deliver(_ output: ServerOutput) {
    switch output {
    case .frame(let frame): try? down.put(frame)
    case .close: down.end(Self.end)
    }
  }

  /// Ends the connection in both directions. Frames in flight to the client are lost.
  func close() {
    for queue in [up, down] { queue.end(Self.end) }
    _ = down.removeAll()
  }
}
