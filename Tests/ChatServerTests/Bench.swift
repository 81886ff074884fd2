import Foundation
import Holdfast
import HoldfastRelay
import Synchronization

@testable import ChatServer

/// One server on its own folder, with clocks that the test moves.
final class Bench: Sendable {
  let folder: URL
  let environment: ChatEnvironment
  let limits: Limits
  let server: ChatServer
  private let clock: ManualClock

  init(
    limits: Limits = Limits(), gate: CommitGate? = nil, folder: URL? = nil,
    accounts: [UserID] = egAccounts
  ) async throws {
    let clock = ManualClock()
    var environment = ChatEnvironment(now: { clock.date })
    environment.uptime = { clock.uptime }
    self.clock = clock
    self.environment = environment
    self.limits = limits
    self.folder =
      folder ?? FileManager.default.temporaryDirectory.appending(path: "chat-server-\(environment.makeID())")
    server = try ChatServer(folder: self.folder, limits: limits, environment: environment, gate: gate)
    for account in accounts { try await server.register(account, token: "token-\(account)") }
  }

  /// Another server on the same folder, as after a crash of the first.
  func reopened() async throws -> Bench {
    try await Bench(limits: limits, folder: folder, accounts: [])
  }

  func advance(by duration: Duration) { clock.advance(by: duration) }
  func turnDate(to seconds: TimeInterval) { clock.turnDate(to: seconds) }

  /// A connection that has sent nothing yet.
  func connect(_ account: UserID) async throws -> Client {
    let client = Client(server: server)
    client.id = try await server.connect(token: "token-\(account)") { client.hear($0) }
    return client
  }

  /// A connection that has sent hello. The frames that it has received are dropped.
  func client(_ account: UserID, after: Int64? = nil) async throws -> Client {
    let client = try await connect(account)
    await client.say(.hello(.init(after: after)))
    return client
  }

  func removeFolder() { try? FileManager.default.removeItem(at: folder) }
}

/// One connection, from its client's view.
final class Client: Sendable {
  private struct State {
    var id: ConnectionID?
    var heard: [Wire.ServerFrame] = []
    var isClosed = false
    /// Tests that number their messages themselves use small numbers.
    var handover: Int64 = 1_000
  }

  private let server: ChatServer
  private let state = Mutex(State())

  init(server: ChatServer) { self.server = server }

  var id: ConnectionID? {
    get { state.withLock { $0.id } }
    set { state.withLock { $0.id = newValue } }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  func hear(_ output: ServerOutput) {
    state.withLock {
      switch output {
      case .frame(let data):
        $0.heard.append(
          (try? JSONDecoder().decode(Wire.ServerFrame.self, from: data)) ?? .unknown("undecodable"))
      case .close: $0.isClosed = true
      }
    }
  }

  /// The frames that were received since the last call.
  func heard() -> [Wire.ServerFrame] {
    state.withLock {
      let heard = $0.heard
      $0.heard = []
      return heard
    }
  }

  /// Sends bytes, and returns the responses on this connection.
  @discardableResult
  func say(bytes: Data) async -> [Wire.ServerFrame] {
    _ = heard()
    if let id { await server.receive(bytes, on: id) }
    return heard()
  }

  @discardableResult
  func say(_ frame: Wire.ClientFrame) async -> [Wire.ServerFrame] {
    await say(bytes: (try? JSONEncoder().encode(frame)) ?? Data())
  }

  @discardableResult
  func send(_ messages: Wire.Outgoing...) async -> [Wire.ServerFrame] {
    await say(.send(.init(messages: messages.map(handOver))))
  }

  private func handOver(_ message: Wire.Outgoing) -> Wire.Outgoing {
    guard message.handover == 0 else { return message }
    var message = message
    message.handover = state.withLock {
      $0.handover += 1
      return $0.handover
    }
    return message
  }
}

private final class ManualClock: Sendable {
  private let state = Mutex((uptime: Duration.zero, date: 1_000.0))

  var uptime: Duration { state.withLock { $0.uptime } }
  var date: Date { state.withLock { Date(timeIntervalSince1970: $0.date) } }

  func advance(by duration: Duration) { state.withLock { $0.uptime += duration } }
  func turnDate(to seconds: TimeInterval) { state.withLock { $0.date = seconds } }
}
