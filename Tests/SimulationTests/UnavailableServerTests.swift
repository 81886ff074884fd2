import ChatServer
import ChatServerTesting
import Foundation
import HoldfastTesting
import Synchronization
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastStore

/// The real server, behind a gateway that cannot forward connections for a while.
@Suite(.timeLimit(.minutes(10))) struct UnavailableServerTests {
  // O4.1, O6, O7.5
  @Test
  func `a server answers 503 for 60 s while 50 messages are queued: none fails, all arrive in order, once`()
    throws
  {
    let scheduler = SeededScheduler(seed: 503)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "unavailable-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try scheduler.run { () -> Result<Void, any Error> in
      do { return .success(try await self.drain(in: folder, scheduler)) } catch { return .failure(error) }
    }
    try result.get()
  }

  private func drain(in folder: URL, _ scheduler: SeededScheduler) async throws {
    let environment = environment(scheduler)
    let server = try ChatServer(folder: folder.appendingPathComponent("server"), environment: environment)
    for user in ["alice", "bob"] as [UserID] { try await server.register(user, token: "token of \(user)") }
    let gateway = Gateway503(server: server, environment: environment, until: .seconds(60))
    let client = try ChatClient(
      storage: .folder(folder.appendingPathComponent("alice")),
      transport: FrameTransport(connector: gateway, environment: environment), user: "alice",
      configuration: ChatConfiguration(environment: environment))
    try client.createConversation("c", members: ["alice", "bob"])
    let ids = try (1...50).map { try client.send("\($0)", in: "c") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await client.run() }
      defer { group.cancelAll() }
      for second in 1...59 {
        try await scheduler.sleep(until: .seconds(second))
        let rows = try client.reader.conversation("c", limit: 100).rows
        #expect(rows.count == 50)
        #expect(
          rows.allSatisfy { $0.status.tone == .queued || $0.status.tone == .sending }, "after \(second) s")
      }
      #expect(gateway.refusedConnections > 2, "It was tried, and refused, more than once.")
      #expect(gateway.busyAnswers > 50, "Messages were refused too, some of them more than once.")
      #expect(try await server.messages(in: "c").isEmpty)
      // No backoff is longer than 39 s: 30 s and the jitter.
      try await scheduler.sleep(until: .seconds(100))
      #expect(try await server.messages(in: "c").map(\.id) == ids.map(\.rawValue))
      #expect(
        try client.reader.conversation("c", limit: 100).rows.map(\.status.state)
          == Array(repeating: .delivered, count: 50))
      #expect(gateway.copies == 50, "None reached the server twice.")
    }
  }

  private func environment(_ scheduler: SeededScheduler) -> ChatEnvironment {
    let counter = Mutex(0)
    var environment = ChatEnvironment(executor: SeededSerialExecutor(scheduler: scheduler))
    environment.uptime = { scheduler.now }
    environment.sleep = { try await scheduler.sleep(until: $0) }
    environment.now = { Date(timeIntervalSince1970: 1_767_225_600 + scheduler.now / .seconds(1)) }
    environment.random = { scheduler.draw { Double.random(in: 0..<1, using: &$0) } }
    environment.makeID = {
      counter.withLock {
        $0 += 1
        return "id\($0)"
      }
    }
    return environment
  }
}

/// Refuses every second connection with 503, and each message on the others, as a proxy or an unavailable server
/// does. Later it passes everything.
private final class Gateway503: FrameConnector {
  private struct State {
    var connections = 0
    var refused = 0
    var busy = 0
    var copies = 0
  }
  private let server: ChatServer
  private let environment: ChatEnvironment
  private let opens: Duration
  private let state = Mutex(State())

  init(server: ChatServer, environment: ChatEnvironment, until opens: Duration) {
    self.server = server
    self.environment = environment
    self.opens = opens
  }

  var refusedConnections: Int { state.withLock { $0.refused } }
  var busyAnswers: Int { state.withLock { $0.busy } }
  /// The number of messages that were passed to the server.
  var copies: Int { state.withLock { $0.copies } }

  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
    let number = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    if !isOpen, !number.isMultiple(of: 3) {
      state.withLock { $0.refused += 1 }
      throw ConnectionFailure(.unavailable, detail: "503")
    }
    let answers = MemoryQueue<Data>()
    let connection = try await server.connect(token: "token of alice") { output in
      if case .frame(let frame) = output { try? answers.put(frame) }
    }
    try await body(
      MemoryChannel(
        send: { try await self.pass($0, on: connection, answers: answers) }, receive: answers.next))
  }

  private var isOpen: Bool { environment.uptime() >= opens }

  private func pass(
    _ frame: Data, on connection: ConnectionID, answers: MemoryQueue<Data>
  ) async throws {
    guard case .send(let send) = try JSONDecoder().decode(Wire.ClientFrame.self, from: frame) else {
      return await server.receive(frame, on: connection)
    }
    if isOpen {
      state.withLock { $0.copies += send.messages.count }
      return await server.receive(frame, on: connection)
    }
    for message in send.messages {
      state.withLock { $0.busy += 1 }
      let refused = Wire.Refused(id: message.id, handover: message.handover, kind: .busy)
      try answers.put(try JSONEncoder().encode(Wire.ServerFrame.refused(refused)))
    }
    // Then this server fails as well, now and then.
    if state.withLock({ $0.busy }).isMultiple(of: 7) {
      answers.end(ConnectionFailure(.unavailable, detail: "503"))
    }
  }
}
