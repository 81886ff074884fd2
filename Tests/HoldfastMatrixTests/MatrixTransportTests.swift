import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastMatrix

/// The transport against a homeserver that answers as a test says (rule B8).
@Suite(.timeLimit(.minutes(10))) struct MatrixTransportTests {
  private static let whoami = PlayedHomeserver.Answer(
    "{\"user_id\":\"@alice:example.org\",\"device_id\":\"phone\"}")

  private static func sync(_ next: String, _ rooms: String = "{}") -> PlayedHomeserver.Answer {
    .init("{\"next_batch\":\"\(next)\",\"rooms\":\(rooms)}")
  }

  /// A server whose first sync is this, and whose others wait.
  private static func server(
    sync: PlayedHomeserver.Answer = sync("s2"),
    _ others: @escaping @Sendable (HTTPRequest) -> PlayedHomeserver.Answer?
  ) -> PlayedHomeserver {
    PlayedHomeserver { request, _ in
      switch request.line {
      case "GET /v3/account/whoami": whoami
      case "GET /v3/sync": request.value("timeout") == "0" ? sync : nil
      default: others(request)
      }
    }
  }

  private static func cursor(_ since: String = "s1", device: String = "phone") -> SyncCursor? {
    MatrixPlace(since: since, device: device).cursor
  }

  /// The items and cursors that come until one with `end` has come.
  private func received(
    from server: PlayedHomeserver, after cursor: SyncCursor?, until end: String
  ) async throws -> [(items: [IncomingItem], cursor: MatrixPlace?)] {
    let delivered = Mutex<[(items: [IncomingItem], cursor: MatrixPlace?)]>([])
    try await server.transport().withConnection(resumingAfter: cursor) { connection in
      while true {
        guard case .items(let items, let cursor) = try await connection.receive() else { continue }
        delivered.withLock { $0.append((items, MatrixPlace(cursor))) }
        if MatrixPlace(cursor)?.since == end { return }
      }
    }
    return delivered.withLock { $0 }
  }

  private func names(_ items: [IncomingItem]) -> [String] {
    items.compactMap { if case .message(let message) = $0 { message.id.rawValue } else { nil } }
  }

  // B8.2
  @Test func `a gap is filled in order, and each page keeps its place`() async throws {
    let server = Self.server(
      sync: Self.sync(
        "s2",
        """
        {"join":{"!room":{"timeline":{"events":[\(event("$5", text("five")))],"limited":true,"prev_batch":"p"}}}}
        """)
    ) { request in
      switch (request.line, request.value("from")) {
      case ("GET /v3/rooms/!room/messages", "s1"):
        .init("{\"chunk\":[\(event("$1", text("one"))),\(event("$2", text("two")))],\"end\":\"g1\"}")
      case ("GET /v3/rooms/!room/messages", "g1"):
        .init("{\"chunk\":[\(event("$3", text("three")))],\"end\":\"g2\"}")
      case ("GET /v3/rooms/!room/messages", "g2"): .init("{\"chunk\":[]}")
      default: nil
      }
    }
    let delivered = try await received(from: server, after: Self.cursor(), until: "s2")
    #expect(delivered.flatMap { names($0.items) } == ["$1", "$2", "$3", "$5"])
    #expect(delivered.map { $0.cursor?.since } == ["s1", "s1", "s2"])
    #expect(delivered.map { $0.cursor?.filled } == [["!room": "g1"], ["!room": "g2"], [:]])
  }

  // B8.2
  @Test func `a gap goes on where it was, after a kill`() async throws {
    let server = Self.server(
      sync: Self.sync(
        "s2", "{\"join\":{\"!room\":{\"timeline\":{\"events\":[],\"limited\":true,\"prev_batch\":\"p\"}}}}")
    ) { request in
      request.value("from") == "g1" ? .init("{\"chunk\":[\(event("$3", text("three")))]}") : nil
    }
    let place = MatrixPlace(since: "s1", device: "phone", filled: ["!room": "g1"])
    let delivered = try await received(from: server, after: place.cursor, until: "s2")
    #expect(delivered.flatMap { names($0.items) } == ["$3"])
  }

  // B6.1
  @Test func `a room that is new here has its newest messages, and a place for the older ones`() async throws
  {
    let room = """
      {"join":{"!room":{"state":{"events":[\(event("$0", "m.room.create", state: "", "{}"))]},
        "timeline":{"events":[\(event("$5", text("five")))],"limited":true,"prev_batch":"p"}}}}
      """
    let server = Self.server(sync: Self.sync("s2", room)) { _ in nil }
    let delivered = try await received(from: server, after: nil, until: "s2")
    guard case .conversation(let conversation)? = delivered.last?.items.first else {
      Issue.record("The room is announced first.")
      return
    }
    #expect((conversation.hasOlder, conversation.history) == (true, HistoryPlace(rawValue: "p")))
    #expect(!server.requests.contains { $0.hasSuffix("/messages") })
  }

  @Test(arguments: [true, false])
  func `an invitation is accepted as the app says, before its place is delivered`(accepts: Bool) async throws
  {
    let server = Self.server(
      sync: Self.sync("s2", "{\"invite\":{\"!room\":{\"invite_state\":{\"events\":[]}}}}")
    ) {
      $0.line == "POST /v3/rooms/!room/join" ? .refused(404, "M_NOT_FOUND") : nil
    }
    let delivered = Mutex<Set<String>>([])
    let transport = server.transport { invitation in
      delivered.withLock { _ = $0.insert(invitation.conversation.rawValue) }
      return accepts
    }
    try await transport.withConnection(resumingAfter: Self.cursor()) { connection in
      while true { if case .items = try await connection.receive() { return } }
    }
    #expect(delivered.withLock { $0 } == ["!room"])
    #expect(server.requests.contains("POST /v3/rooms/!room/join") == accepts)
  }

  @Test func `an edit by another client marks its message as read`() async throws {
    let room = """
      {"join":{"!room":{"timeline":{"events":[\(event("$1", text("one"))),
        \(event("$2", "m.reaction", "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"$0\",\"key\":\"x\"}}"))]},
        "ephemeral":{"events":[{"type":"m.receipt","content":{"$2":{"m.read":{"@bob:b":{}}}}}]}}}}
      """
    let server = Self.server(sync: Self.sync("s2", room)) { _ in nil }
    let delivered = try await received(from: server, after: Self.cursor(), until: "s2").flatMap(\.items)
    #expect(
      delivered.last
        == .readMark(.init(conversation: "!room", reader: "@bob:b", message: "$1", order: nil)))
  }

  // MARK: Sending

  private static func message(_ operation: MessageOperation? = nil, target: String? = nil) -> OutgoingMessage
  {
    OutgoingMessage(
      id: "m1", conversation: "!room", content: MessageContent("👍"), createdAt: Date(), operation: operation,
      serverIDs: .init(target: target), transmission: 1)
  }

  /// Sends one message over a connection, and returns the answer.
  private func answer(
    of server: PlayedHomeserver, to message: OutgoingMessage, after cursor: SyncCursor? = cursor()
  ) async throws -> TransportEvent? {
    let answer = Mutex<TransportEvent?>(nil)
    try await server.transport().withConnection(resumingAfter: cursor) { connection in
      try await connection.send([message])
      while answer.withLock({ $0 }) == nil {
        switch try await connection.receive() {
        case let event where event.isAnswer: answer.withLock { $0 = event }
        default: continue
        }
      }
    }
    return answer.withLock { $0 }
  }

  private static func sending(
    _ answer: @escaping @Sendable (HTTPRequest) -> PlayedHomeserver.Answer?
  ) -> PlayedHomeserver {
    server { request in
      request.line.hasSuffix("/state/m.room.encryption") ? .refused(404, "M_NOT_FOUND") : answer(request)
    }
  }

  @Test func `a message is its ID's transaction, and its receipt has the event's name`() async throws {
    let server = Self.sending {
      $0.line == "PUT /v3/rooms/!room/send/m.room.message/m1"
        ? .init("{\"event_id\":\"$1\"}", headers: ["Date": "Thu, 01 Jan 2026 00:00:00 GMT"]) : nil
    }
    let receipt = Receipt(
      id: "m1", conversation: "!room", order: nil, createdAt: Date(timeIntervalSince1970: 1_767_225_600),
      serverID: "$1")
    #expect(try await answer(of: server, to: Self.message()) == .receipts([receipt]))
  }

  // B4.1
  @Test func `a server that asks for patience has said no word about the message`() async throws {
    let server = Self.sending { _ in .refused(429, "M_LIMIT_EXCEEDED", ",\"retry_after_ms\":1500") }
    #expect(
      try await answer(of: server, to: Self.message())
        == .refused("m1", transmission: 1, .notNow(after: .milliseconds(1500), mayHaveArrived: true)))
  }

  @Test(arguments: [502, 504])
  func `a proxy's answer leaves open whether the message arrived`(status: Int) async throws {
    let server = Self.sending { _ in .init("<html>", status: status) }
    #expect(
      try await answer(of: server, to: Self.message())
        == .refused("m1", transmission: 1, .outcomeUnknown(after: nil)))
  }

  @Test func `a deletion redacts the edits first, each under a transaction of its own`() async throws {
    let server = Self.sending { request in
      switch request.line {
      case "GET /v1/rooms/!room/relations/$1/m.replace":
        request.value("from") == nil
          ? .init("{\"chunk\":[\(event("$2", "{\"body\":\"x\"}"))],\"next_batch\":\"n\"}")
          : .init("{\"chunk\":[\(event("$3", "{\"body\":\"x\"}"))]}")
      case let line where line.hasPrefix("PUT"): .init("{\"event_id\":\"$9\"}")
      default: .init(event("$9", at: 5000, "{}"))
      }
    }
    let delivered = try await answer(
      of: server, to: Self.message(MessageOperation(.delete, of: "mine"), target: "$1"))
    #expect(
      server.requests.filter { $0.hasPrefix("PUT") } == [
        "PUT /v3/rooms/!room/redact/$2/m1~$2", "PUT /v3/rooms/!room/redact/$3/m1~$3",
        "PUT /v3/rooms/!room/redact/$1/m1",
      ])
    guard case .receipts(let receipts)? = delivered else {
      Issue.record("It is carried out.")
      return
    }
    #expect(receipts[0].createdAt == Date(timeIntervalSince1970: 5))
  }

  @Test func `a reaction that is there already is carried out, and has the name of the one that is there`()
    async throws
  {
    let there = event(
      "$7", "m.reaction", from: "@alice:example.org", at: 4000,
      "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"$1\",\"key\":\"👍\"}}")
    let server = Self.sending { request in
      request.method == "PUT" ? .refused(400, "M_DUPLICATE_ANNOTATION") : .init("{\"chunk\":[\(there)]}")
    }
    guard
      case .receipts(let receipts)? = try await answer(
        of: server, to: Self.message(MessageOperation(.react, of: "mine"), target: "$1"))
    else {
      Issue.record("It is carried out.")
      return
    }
    #expect(receipts[0].serverID == "$7")
  }

  // MARK: What became of messages

  private static let echo = """
    {"join":{"!room":{"timeline":{"events":[\(event("$1", from: "@alice:example.org", at: 3000, text("hi", id: "there")))]}}}}
    """

  @Test func `what was not delivered behind the place is not on the server`() async throws {
    let server = Self.server(sync: Self.sync("s2", Self.echo)) { _ in nil }
    let found = Mutex<[MessageID: OutgoingMessage.DeliveryOutcome]>([:])
    try await server.transport().withConnection(resumingAfter: Self.cursor()) { connection in
      let outcomes = try await withThrowingTaskGroup(of: [MessageID: OutgoingMessage.DeliveryOutcome]?.self) {
        group in
        group.addTask { try await connection.outcomes(of: ["there", "nowhere"], in: "!room") }
        group.addTask {
          while true { _ = try await connection.receive() }
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
      found.withLock { $0 = outcomes ?? [:] }
    }
    let receipt = Receipt(
      id: "there", conversation: "!room", order: nil, createdAt: Date(timeIntervalSince1970: 3),
      serverID: "$1")
    #expect(found.withLock { $0 } == ["there": .accepted(receipt), "nowhere": .absent])
  }

  @Test func `a device that begins anew does not know`() async throws {
    let server = Self.server(sync: Self.sync("s2", Self.echo)) { _ in nil }
    try await server.transport().withConnection(resumingAfter: nil) { connection in
      let outcomes = try await connection.outcomes(of: ["nowhere"], in: "!room")
      #expect(outcomes.isEmpty)
    }
  }

  // B8.1
  @Test func `what an earlier device sent is not sent again by the next one`() async throws {
    let server = Self.server(sync: Self.sync("s2", Self.echo)) { _ in nil }
    var message = Self.message()
    message.id = "there"
    let delivered = try await answer(of: server, to: message, after: Self.cursor(device: "lost phone"))
    guard case .receipts(let receipts)? = delivered else {
      Issue.record("It is there.")
      return
    }
    #expect(receipts[0].serverID == "$1")
    #expect(!server.requests.contains { $0.hasPrefix("PUT") })
  }

  @Test(arguments: ["", "not json", "{\"bound\":1,\"read\":2}"])
  func `a place that another transport has made is ignored`(cursor: String) {
    #expect(MatrixPlace(SyncCursor(rawValue: cursor)) == nil)
  }
}

extension TransportEvent {
  fileprivate var isAnswer: Bool {
    switch self {
    case .receipts, .refused: true
    case .ready, .items, .piece: false
    }
  }
}
