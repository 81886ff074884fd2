import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastTransport

private typealias eg = FrameExample

/// The transport with a relay in memory, on a clock that jumps.
@Suite(.timeLimit(.minutes(10))) struct FrameTransportTests {
  /// Runs `client` and `server` at the two ends of one link, and returns how the connection ended. The server's
  /// script must end by itself.
  private func connect(
    after cursor: String? = nil, relay: FakeRelay = FakeRelay(),
    client: @escaping @Sendable (any TransportConnection, VirtualTime) async throws -> Void,
    server: @escaping @Sendable (FakeRelay) async throws -> Void
  ) async throws {
    try await VirtualTime.run { time in
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = server(relay)
      do {
        try await transport.withConnection(resumingAfter: cursor.map(SyncCursor.init(rawValue:))) {
          try await client($0, time)
        }
      } catch {
        try? await script
        throw error
      }
      try await script
    }
  }

  private func failure(
    after cursor: String? = nil, relay: FakeRelay = FakeRelay(),
    client: @escaping @Sendable (any TransportConnection, VirtualTime) async throws -> Void = {
      connection, _ in while true { _ = try await connection.receive() }
    },
    server: @escaping @Sendable (FakeRelay) async throws -> Void
  ) async throws -> ConnectionFailure? {
    await #expect(throws: ConnectionFailure.self) {
      try await connect(after: cursor, relay: relay, client: client, server: server)
    }
  }

  @Test func `the engine learns that the server answers before anything else`() async throws {
    try await connect { connection, _ in
      let first = try await connection.receive()
      #expect(first == .ready)
      #expect(connection.account == "alice")
      #expect(try await connection.receive() == .items([.message(eg.incoming(1))], cursor: eg.cursor(1)))
    } server: { relay in
      let place = try await relay.welcome()
      #expect(place == nil)
      try relay.say(.events(eg.page(after: nil, cursor: 1, [1])))
    }
  }

  @Test(arguments: [("41", 41), ("the moon", nil), ("-3", nil), ("99999999999999999999", nil)])
  func `the hello names the stored place, if it is one`(cursor: String, place: Int64?) async throws {
    try await connect(after: cursor) { connection, _ in
      _ = try await connection.receive()
    } server: { relay in
      let named = try await relay.welcome()
      #expect(named == place)
    }
  }

  @Test func `a page is asked for once the one before it is stored`() async throws {
    try await connect { connection, _ in
      _ = try await connection.receive()
      #expect(try await connection.receive() == .items([.message(eg.incoming(1))], cursor: eg.cursor(1)))
      #expect(try await connection.receive() == .items([.message(eg.incoming(2))], cursor: eg.cursor(2)))
    } server: { relay in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 1, [1], more: true)))
      #expect(try await relay.hear() == .sync(.init(after: 1)))
      try relay.say(.events(eg.page(after: 1, cursor: 2, [2])))
    }
  }

  @Test func `no page is asked for while the one before it is not stored`() async throws {
    let relay = FakeRelay()
    try await connect(relay: relay) { connection, time in
      _ = try await connection.receive()
      _ = try await connection.receive()
      try await time.sleep(until: .seconds(60))
    } server: { relay in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: 1, [1], more: true)))
    }
    #expect(relay.unheard == 0)
  }

  @Test func `a missed page is asked for, and nothing is stored before it comes`() async throws {
    try await connect(after: "1") { connection, _ in
      _ = try await connection.receive()
      #expect(
        try await connection.receive()
          == .items([.message(eg.incoming(2)), .message(eg.incoming(3))], cursor: eg.cursor(3)))
    } server: { relay in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: 2, cursor: 3, [3])))
      #expect(try await relay.hear() == .sync(.init(after: 1)))
      try relay.say(.events(eg.page(after: 1, cursor: 3, [2, 3])))
    }
  }

  @Test func `a new device that missed the first page asks for it`() async throws {
    try await connect { connection, _ in
      _ = try await connection.receive()
      #expect(try await connection.receive() == .items([.message(eg.incoming(1))], cursor: eg.cursor(1)))
    } server: { relay in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: 1, cursor: 2, [2])))
      #expect(try await relay.hear() == .sync(.init(after: nil)))
      try relay.say(.events(eg.page(after: nil, cursor: 1, [1])))
    }
  }

  @Test func `pages that come twice are passed over`() async throws {
    try await connect(after: "5") { connection, _ in
      _ = try await connection.receive()
      #expect(try await connection.receive() == .items([.message(eg.incoming(6))], cursor: eg.cursor(6)))
      #expect(try await connection.receive() == .items([.message(eg.incoming(7))], cursor: eg.cursor(7)))
    } server: { relay in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: 3, cursor: 5, [4, 5])))
      try relay.say(.events(eg.page(after: 5, cursor: 6, [6])))
      try relay.say(.events(eg.page(after: 5, cursor: 6, [6])))
      try relay.say(.events(eg.page(after: 6, cursor: 7, [7])))
    }
  }

  @Test(arguments: [Int64(0), 3])
  func `a server that lost its log is followed back to its beginning`(head: Int64) async throws {
    try await connect(after: "500") { connection, _ in
      _ = try await connection.receive()
      #expect(try await connection.receive() == .items([], cursor: eg.cursor(head)))
      let news = try await connection.receive()
      #expect(news == .items([.message(eg.incoming(9))], cursor: eg.cursor(head + 1)))
    } server: { relay in
      try await relay.welcome()
      try relay.say(.events(eg.page(after: nil, cursor: head, [])))
      try relay.say(.events(eg.page(after: head, cursor: head + 1, [9])))
    }
  }

  @Test func `one gap is asked about once, and again when the answer stays out`() async throws {
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = {
        try await relay.welcome()
        for cursor in 3...5 {
          try relay.say(.events(eg.page(after: Int64(cursor - 1), cursor: Int64(cursor), [])))
        }
        #expect(try await relay.hear() == .sync(.init(after: 1)))
        try await time.sleep(until: .seconds(3))
        #expect(relay.unheard == 0)
        try relay.say(.events(eg.page(after: 5, cursor: 6, [])))
        #expect(try await relay.hear() == .sync(.init(after: 1)))
        #expect(time.now == .seconds(3))
        try relay.say(.events(eg.page(after: 1, cursor: 6, [])))
      }()
      try await transport.withConnection(resumingAfter: eg.cursor(1)) { connection in
        _ = try await connection.receive()
        #expect(try await connection.receive() == .items([], cursor: eg.cursor(6)))
      }
      try await script
    }
  }

  @Test func `a page that never comes ends the connection, though others come`() async throws {
    try await VirtualTime.run { time in
      let relay = FakeRelay()
      let transport = FrameTransport(connector: relay, environment: time.environment)
      async let script: Void = {
        try await relay.welcome()
        try relay.say(.events(eg.page(after: 1, cursor: 1, [])))
        for second in 1...20 {
          try await time.sleep(until: .seconds(second))
          try relay.say(.events(eg.page(after: 7, cursor: 8, [])))
        }
      }()
      let failure = await #expect(throws: ConnectionFailure.self) {
        try await transport.withConnection(resumingAfter: eg.cursor(1)) { connection in
          while true { _ = try await connection.receive() }
        }
      }
      #expect(failure?.reason == .timedOut)
      #expect(time.now == .seconds(11))
      try await script
    }
  }

  @Test func `receipts and refusals arrive as what they mean`() async throws {
    try await connect { connection, _ in
      _ = try await connection.receive()
      let receipt = Receipt(id: "m", conversation: "c", order: 7, createdAt: eg.date)
      #expect(try await connection.receive() == .receipts([receipt]))
      let refusals: [Refusal] = [
        .predecessorMissing, .notNow(after: .seconds(2), mayHaveArrived: false), .failed(after: nil),
        .rejected(FailureReason(.tooLong, "Shorter, please.")),
        .rejected(FailureReason(.rejected, "The server did not accept this message.")),
        .rejected(FailureReason(.rejected, "No.")), .notNow(after: .zero, mayHaveArrived: false),
        .notNow(after: .seconds(86_400), mayHaveArrived: false),
      ]
      for refusal in refusals {
        #expect(try await connection.receive() == .refused("m", transmission: 3, refusal))
      }
    } server: { relay in
      try await relay.welcome()
      try relay.say(.receipts(.init(items: [.init(id: "m", conversation: "c", order: 7, at: eg.at)])))
      let refusals: [Wire.Refused] = [
        .init(id: "m", handover: 3, kind: .gap),
        .init(id: "m", handover: 3, kind: .busy, retryAfter: 2000),
        .init(id: "m", handover: 3, kind: .transient),
        .init(id: "m", handover: 3, kind: .rejected, code: "tooLong", explanation: "Shorter, please."),
        .init(id: "m", handover: 3, kind: .rejected),
        .init(id: "m", handover: 3, kind: .rejected, code: "attemptsSpent", explanation: "No."),
        .init(id: "m", handover: 3, kind: .busy, retryAfter: .min),
        .init(id: "m", handover: 3, kind: .busy, retryAfter: .max),
      ]
      for refusal in refusals { try relay.say(.refused(refusal)) }
    }
  }

  // O14
  @Test func `a changed message arrives as its state, without what makes no sense`() async throws {
    try await connect { connection, _ in
      _ = try await connection.receive()
      var changed = eg.incoming(1)
      changed.revision = 3
      changed.editedAt = eg.date
      changed.reactions = [IncomingMessage.Reaction("👍", from: "bob")]
      var deleted = eg.incoming(2)
      deleted.revision = 1
      deleted.deletedAt = eg.date
      #expect(
        try await connection.receive()
          == .items([.message(changed), .message(deleted)], cursor: eg.cursor(2)))
      let receipt = Receipt(id: "o", conversation: "c", order: 1, createdAt: eg.date, revision: 3)
      #expect(try await connection.receive() == .receipts([receipt]))
    } server: { relay in
      try await relay.welcome()
      var changed = eg.item(1)
      changed.revision = 3
      changed.editedAt = eg.at
      changed.reactions = [
        .init(value: "👍", senders: ["bob", "", "a\nb"]), .init(value: "", senders: ["bob"]),
        .init(value: "\u{7}", senders: ["bob"]),
        .init(value: String(repeating: "x", count: 65), senders: ["bob"]),
      ]
      var deleted = eg.item(2)
      deleted.revision = 1
      deleted.editedAt = .max
      deleted.deletedAt = .min
      try relay.say(
        .events(
          .init(
            after: nil, cursor: 2, items: [.init(message: changed), .init(message: deleted)], more: false)))
      try relay.say(
        .receipts(.init(items: [.init(id: "o", conversation: "c", order: 1, at: eg.at, revision: 3)])))
    }
  }

  @Test func `pieces of a stream pass both ways, and one without a sender is passed over`() async throws {
    let piece = StreamPiece(id: "m", conversation: "c", sender: "bot", sequence: 1, text: "lo")
    try await connect { connection, _ in
      _ = try await connection.receive()
      try await connection.send(piece)
      #expect(try await connection.receive() == .piece(piece))
    } server: { relay in
      try await relay.welcome()
      guard case .piece(var echo) = try await relay.hear() else { throw ConnectionFailure(.incompatible) }
      #expect(echo.sender == nil)
      try relay.say(.piece(echo))
      echo.sender = "bot"
      try relay.say(.piece(echo))
    }
  }

  @Test(arguments: [
    (Wire.Failure.Code.unauthorized, ConnectionFailure.Reason.unauthorized), (.unavailable, .unavailable),
    (.overloaded, .unavailable), (.malformed, .incompatible), (.tooLarge, .incompatible),
    (.incompatible, .incompatible),
  ])
  func `a failure ends the connection, and says what to do`(
    code: Wire.Failure.Code, reason: ConnectionFailure.Reason
  ) async throws {
    let early = try await failure { relay in
      _ = try await relay.hear()
      try relay.say(.failure(.init(code: code, explanation: "secret", retryAfter: 5000)))
    }
    let late = try await failure { relay in
      try await relay.welcome()
      try relay.say(.failure(.init(code: code, explanation: "secret", retryAfter: 5000)))
    }
    for failure in [early, late] {
      #expect(failure?.reason == reason)
      #expect(failure?.retryAfter == .seconds(5))
      #expect(failure?.description.contains("secret") == false)
    }
  }

  @Test func `a link that cannot be opened says why`() async throws {
    let failure = try await failure(relay: FakeRelay(refusal: ConnectionFailure(.insecure))) { _ in }
    #expect(failure?.reason == .insecure)
  }

  @Test func `a server of another version is incompatible`() async throws {
    let failure = try await failure { relay in
      _ = try await relay.hear()
      try relay.say(.welcome(.init(version: 2, account: "alice", maximumMessageBytes: 1)))
    }
    #expect(failure?.reason == .incompatible)
  }

  @Test func `an error of the body is thrown`() async throws {
    let thrown = try await failure(client: { _, _ in throw ConnectionFailure(.storage) }) {
      try await $0.welcome()
    }
    #expect(thrown?.reason == .storage)
  }
}
