import EngineFixtures
import Foundation
import HoldfastTesting
import Synchronization

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay

/// The server's end of a link in memory. A test sends and receives frames with it, and loses a frame by not sending
/// it.
final class FakeRelay: FrameConnector {
  private let toServer = Mailbox()
  private let toClient = Mailbox()
  /// The error that opening a channel throws.
  private let refusal: ConnectionFailure?

  init(refusal: ConnectionFailure? = nil) { self.refusal = refusal }

  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
    if let refusal { throw refusal }
    try await body(Channel(incoming: toClient, outgoing: toServer))
  }

  func say(_ frame: Wire.ServerFrame) throws {
    toClient.put(try JSONEncoder().encode(frame))
  }

  func say(raw: String) { say(Data(raw.utf8)) }

  func say(_ bytes: Data) { toClient.put(bytes) }

  func close(_ failure: ConnectionFailure = ConnectionFailure(.unreachable)) {
    toServer.end(failure)
    toClient.end(failure)
  }

  /// Stops accepting the client's frames from now on. Each one waits, as it does when the window of the other side
  /// is full.
  func stopTaking() { toServer.jam() }

  func hear() async throws -> Wire.ClientFrame {
    try JSONDecoder().decode(Wire.ClientFrame.self, from: try await toServer.take())
  }

  /// The number of the client's frames that the test has not received yet.
  var unheard: Int { toServer.count }

  func hearBytes() async throws -> Data { try await toServer.take() }

  /// Answers the hello frame, and returns its cursor.
  ///
  /// - Parameter frames: the types of frames that the relay accepts beyond those of every relay.
  @discardableResult
  func welcome(frames: [String]? = nil) async throws -> Int64? {
    guard case .hello(let hello) = try await hear() else { throw ConnectionFailure(.incompatible) }
    try say(.welcome(.init(account: "alice", maximumMessageBytes: 100_000, frames: frames)))
    return hello.after
  }

  private struct Channel: FrameChannel {
    let incoming: Mailbox
    let outgoing: Mailbox
    func send(_ frame: Data) async throws { try await outgoing.deliver(frame) }
    func receive() async throws -> Data { try await incoming.take() }
  }
}

/// A queue with at most one reader, who waits for the next element.
private final class Mailbox: Sendable {
  private struct State {
    var frames: [Data] = []
    var end: ConnectionFailure?
    var isJammed = false
    var waiting: CheckedContinuation<Void, any Error>?
    var stuck: CheckedContinuation<Void, any Error>?
  }

  private let state = Mutex(State())

  func put(_ frame: Data) {
    let reader = state.withLock {
      $0.frames.append(frame)
      return $0.waiting.take()
    }
    reader?.resume()
  }

  func deliver(_ frame: Data) async throws {
    try Task.checkCancellation()
    let (end, isJammed) = state.withLock { ($0.end, $0.isJammed) }
    if let end { throw end }
    guard isJammed else { return put(frame) }
    try await suspend(\.stuck)
  }

  var count: Int { state.withLock { $0.frames.count } }

  func jam() { state.withLock { $0.isJammed = true } }

  func end(_ failure: ConnectionFailure) {
    let reader = state.withLock {
      $0.end = failure
      return $0.waiting.take()
    }
    reader?.resume()
  }

  func take() async throws -> Data {
    while true {
      let (frame, end) = state.withLock {
        ($0.frames.isEmpty ? nil : $0.frames.removeFirst(), $0.end)
      }
      if let frame { return frame }
      if let end { throw end }
      try await suspend(\.waiting)
    }
  }

  private func suspend(
    _ place: any WritableKeyPath<State, CheckedContinuation<Void, any Error>?> & Sendable
  ) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0[keyPath: place] = continuation }
        if Task.isCancelled { cancel(place) }
      }
    } onCancel: {
      cancel(place)
    }
  }

  private func cancel(_ place: any WritableKeyPath<State, CheckedContinuation<Void, any Error>?> & Sendable) {
    state.withLock { $0[keyPath: place].take() }?.resume(throwing: CancellationError())
  }
}

extension FakeRelay {
  /// Launches a client of this relay in the simulated world of the bench.
  func client(on bench: Bench) throws -> ChatClient {
    var environment = bench.environment
    environment.executor = SeededSerialExecutor(scheduler: bench.scheduler)
    return try ChatClient(
      storage: .folder(bench.scratch.url),
      transport: FrameTransport(connector: self, environment: environment),
      user: EngineExample.user,
      configuration: ChatConfiguration(path: bench.path, environment: environment))
  }
}
