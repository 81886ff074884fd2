import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastTransport

private typealias eg = FrameExample

/// Questions about requests, with a relay in memory on a clock that jumps.
@Suite(.timeLimit(.minutes(10))) struct FrameQuestionTests {
  /// Connects, and receives until `client` ends.
  private func connect(
    client: @escaping @Sendable (any TransportConnection, VirtualTime) async throws -> Void,
    server: @escaping @Sendable (FakeRelay, VirtualTime) async throws -> Void
  ) async throws {
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = server(relay, time)
      do {
        try await transport.withConnection(resumingAfter: nil) { connection in
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { while true { _ = try await connection.receive() } }
            group.addTask { try await client(connection, time) }
            defer { group.cancelAll() }
            try await group.next()
          }
        }
      } catch {
        try? await script
        throw error
      }
      try await script
    }
  }

  private static func hearQuestion(_ relay: FakeRelay) async throws -> Wire.Ask {
    while true {
      switch try await relay.hear() {
      case .ask(let ask): return ask
      case .ping: try relay.say(.pong(.init()))
      default: throw ConnectionFailure(.incompatible)
      }
    }
  }

  private static func open(_ relay: FakeRelay) async throws {
    try await relay.welcome(frames: ["ask"])
    try relay.say(.events(eg.page(after: nil, cursor: 0, [])))
  }

  // P1.2
  @Test func `several questions at once get their own answers, in any order`() async throws {
    try await connect { connection, _ in
      let outcomes = try await withThrowingTaskGroup(
        of: (RequestID, ProcessingRequest.Outcome).self
      ) { group in
        for request: RequestID in ["finished", "running", "unknown", "confetti"] {
          group.addTask { (request, try await connection.outcome(of: request, in: "c")) }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(
        outcomes == ["finished": .finished, "running": .running, "unknown": .unknown, "confetti": .unknown])
    } server: { relay, _ in
      try await Self.open(relay)
      var questions: [Wire.Ask] = []
      while questions.count < 4 { questions.append(try await Self.hearQuestion(relay)) }
      #expect(Set(questions.map(\.number)).count == 4)
      #expect(questions.allSatisfy { $0.conversation == "c" })
      // An answer to no question, and a second answer.
      try relay.say(.answer(.init(number: 99, outcome: "finished")))
      for question in questions.reversed() {
        try relay.say(.answer(.init(number: question.number, outcome: question.request)))
        try relay.say(.answer(.init(number: question.number, outcome: "finished")))
      }
    }
  }

  // P1.2
  @Test(arguments: [nil, [], ["later"]] as [[String]?])
  func `a server that does not know the question is not asked`(frames: [String]?) async throws {
    try await connect { connection, _ in
      #expect(try await connection.outcome(of: "request", in: "c") == .unknown)
      try await connection.send(eg.outgoing(1).piece)
    } server: { relay, _ in
      try await relay.welcome(frames: frames)
      guard case .piece = try await relay.hear() else { throw ConnectionFailure(.incompatible) }
    }
  }

  // P1.2
  @Test func `a question whose answer stays out is asked again, and its outcome is unknown in the end`()
    async throws
  {
    try await connect { connection, time in
      let lost = try await connection.outcome(of: "lost", in: "c")
      #expect(lost == .finished)
      #expect(time.now == .seconds(20))
      let silent = try await connection.outcome(of: "silent", in: "c")
      #expect(silent == .unknown)
      #expect(time.now == .seconds(120))
    } server: { relay, time in
      try await Self.open(relay)
      let lost = [try await Self.hearQuestion(relay), try await Self.hearQuestion(relay)]
      #expect(lost[0] == lost[1], "The second question has the number of the first.")
      try relay.say(.answer(.init(number: lost[0].number, outcome: "finished")))
      var times: [Duration] = []
      while times.count < 5 {
        #expect(try await Self.hearQuestion(relay).request == "silent")
        times.append(time.now)
      }
      #expect(times == [20, 40, 60, 80, 100].map(Duration.seconds))
      #expect(try await relay.hear() == .ping)
      try relay.say(.pong(.init()))
    }
  }

  // P1.2
  @Test func `a question fails with its connection, and so does the next one`() async throws {
    let failures = Mutexed<[ConnectionFailure]>([])
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = {
        try await Self.open(relay)
        _ = try await Self.hearQuestion(relay)
        relay.close(ConnectionFailure(.unreachable, detail: "gone"))
      }()
      try await transport.withConnection(resumingAfter: nil) { connection in
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            do {
              while true { _ = try await connection.receive() }
            } catch {}
          }
          group.addTask {
            for request: RequestID in ["first", "second"] {
              do {
                _ = try await connection.outcome(of: request, in: "c")
              } catch {
                if let failure = error as? ConnectionFailure { failures.withLock { $0.append(failure) } }
              }
            }
          }
        }
      }
      try await script
      #expect(time.now == .zero)
    }
    #expect(failures.withLock { $0.map(\.detail) } == ["gone", "gone"])
  }
}

extension OutgoingMessage {
  fileprivate var piece: StreamPiece {
    StreamPiece(id: id, conversation: conversation, sender: "alice", sequence: 0, text: content.text)
  }
}
