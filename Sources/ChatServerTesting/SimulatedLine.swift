import ChatServer
import Foundation
import Holdfast
import HoldfastRelay
import Synchronization

/// One connection of a ``SimulatedBackend``, with the frames in flight in both directions.
final class SimulatedLine: FrameChannel {
  private struct State {
    var up: [Data] = []
    var down: [Data] = []
    var isClosed = false
    /// Whether the server has closed the connection. Its earlier frames still arrive.
    var isEnding = false
  }

  /// The latency of a frame to the server.
  private static let way: Duration = .milliseconds(5)

  private let environment: ChatEnvironment
  private let state = Mutex(State())
  private let left = Signal()
  private let arrived = Signal()

  init(_ environment: ChatEnvironment) { self.environment = environment }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  func send(_ frame: Data) async throws {
    try state.withLock { state in
      guard !state.isClosed else { throw ConnectionFailure(.unreachable, detail: "the connection is gone") }
      state.up.append(frame)
    }
    left.raise()
  }

  func receive() async throws -> Data {
    while true {
      try Task.checkCancellation()
      let (frame, isOver) = state.withLock { state in
        (state.down.isEmpty ? nil : state.down.removeFirst(), state.isClosed || state.isEnding)
      }
      if let frame { return frame }
      if isOver { throw ConnectionFailure(.unreachable, detail: "the connection is gone") }
      await arrived.wait()
    }
  }

  /// Sends an output of the server to the client.
  func deliver(_ output: ServerOutput) {
    state.withLock { state in
      switch output {
      case .frame(let frame): if !state.isClosed { state.down.append(frame) }
      case .close: state.isEnding = true
      }
    }
    arrived.raise()
  }

  /// The next frame for the server. Nil once the connection has ended.
  func next() async -> Data? {
    while !Task.isCancelled {
      let (frame, isClosed) = state.withLock { state in
        (state.isClosed || state.up.isEmpty ? nil : state.up.removeFirst(), state.isClosed)
      }
      if let frame { return frame }
      if isClosed { return nil }
      await left.wait()
    }
    return nil
  }

  func putBack(_ frame: Data) { state.withLock { $0.up.insert(frame, at: 0) } }

  func travel() async throws { try await environment.sleep(environment.uptime() + Self.way) }

  /// Ends the connection in both directions.
  func close() {
    state.withLock { ($0.isClosed, $0.down) = (true, []) }
    left.raise()
    arrived.raise()
  }

  /// The frames in flight to the server when the connection ended.
  func rest() -> [Data] {
    state.withLock { state in
      defer { state.up = [] }
      return state.up
    }
  }
}
