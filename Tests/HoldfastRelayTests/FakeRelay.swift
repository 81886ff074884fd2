import ChatServerTesting
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
  private let toServer = MemoryQueue<Data>()
  private let toClient = MemoryQueue<Data>()
  private let isJammed = Mutex(false)
  /// The error that opening a channel throws.
  private let refusal: ConnectionFailure?

  init(refusal: ConnectionFailure? = nil) { self.refusal = refusal }

  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
    if let refusal { throw refusal }
    try await body(MemoryChannel(send: take, receive: toClient.next))
  }

  private func take(_ frame: Data) async throws {
    if isJammed.withLock({ $0 }) { await Signal().wait() }
    try Task.checkCancellation()
    try toServer.put(frame)
  }

  func say(_ frame: Wire.ServerFrame) throws {
    try say(try JSONEncoder().encode(frame))
  }

  func say(raw: String) throws { try say(Data(raw.utf8)) }

  func say(_ bytes: Data) throws { try toClient.put(bytes) }

  func close(_ failure: ConnectionFailure = ConnectionFailure(.unreachable)) {
    toServer.end(failure)
    toClient.end(failure)
  }

  /// Stops accepting the client's frames from now on. Each one waits, as it does when the window of the other side
  /// is full.
  func stopTaking() { isJammed.withLock { $0 = true } }

  func hear() async throws -> Wire.ClientFrame {
    try JSONDecoder().decode(Wire.ClientFrame.self, from: try await toServer.next())
  }

  /// The number of the client's frames that the test has not received yet.
  var unheard: Int { toServer.count }

  func hearBytes() async throws -> Data { try await toServer.next() }

  /// Answers the hello frame, and returns its cursor.
  ///
  /// - Parameter frames: the types of frames that the relay accepts beyond those of every relay.
  @discardableResult
  func welcome(frames: [String]? = nil) async throws -> Int64? {
    guard case .hello(let hello) = try await hear() else { throw ConnectionFailure(.incompatible) }
    try say(.welcome(.init(account: "alice", maximumMessageBytes: 100_000, frames: frames)))
    return hello.after
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
