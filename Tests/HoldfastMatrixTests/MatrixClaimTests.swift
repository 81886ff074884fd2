import Foundation
import Holdfast
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastMatrix

/// The engine's IDs in the content of messages, which everybody can write (rules B1, B8).
@Suite(.timeLimit(.minutes(10))) struct MatrixClaimTests {
  private static let (alice, bob) = ("@alice:example.org", "@bob:example.org")
  private static let mallory = "@mallory:example.org"

  private func id(_ json: String, in room: String = "!room") throws -> MessageID? {
    guard case .message(let message)? = try read(json)?.items(in: room, for: "@alice:example.org").first
    else {
      return nil
    }
    return message.id
  }

  // MARK: Which IDs hold

  // B1.3
  @Test func `an ID holds in the room and from the sender that it names`() throws {
    let content = text("hi", id: "m1", in: "!room", by: Self.bob)
    #expect(try id(event("$1", content)) == "m1")
    #expect(try id(event("$1", content), in: "!other") == "$1")
    #expect(try id(event("$1", from: Self.mallory, content)) == "$1")
    #expect(try id(event("$1", from: Self.alice, content)) == "$1")
  }

  @Test(arguments: [
    text("hi", id: "m1"),
    "{\"body\":\"hi\",\"dev.holdfast.id\":\"m1\",\"dev.holdfast.room\":\"!room\"}",
    "{\"body\":\"hi\",\"dev.holdfast.id\":\"m1\",\"dev.holdfast.sender\":\"@bob:example.org\"}",
    "{\"body\":\"hi\",\"dev.holdfast.id\":\"m1\",\"dev.holdfast.room\":7,\"dev.holdfast.sender\":[]}",
    text("hi", id: "$0", in: "!room", by: bob), text("hi", id: "", in: "!room", by: bob),
  ])
  func `an ID that does not say whose it is, or is an event's name, is no claim`(content: String) throws {
    #expect(try id(event("$1", content)) == "$1")
  }

  // B1.3
  @Test
  func `this account's messages are known by the transaction, and those of an earlier version by their ID`()
    throws
  {
    func mine(_ content: String, _ transaction: String?) -> String {
      let more = transaction.map { ",\"unsigned\":{\"transaction_id\":\"\($0)\"}" } ?? ""
      return event("$1", from: Self.alice, content, more: more)
    }
    let (plain, bound) = (text("hi", id: "m1"), text("hi", id: "m1", in: "!room", by: Self.alice))
    for content in [plain, bound] {
      #expect(try id(mine(content, "m1")) == "m1")
      #expect(try id(mine(content, nil)) == "m1")
      #expect(try id(mine(content, "m2")) == "$1")
    }
    #expect(try id(mine(bound, nil), in: "!other") == "$1")
    // Of another sender's event a transaction says nothing.
    #expect(try id(event("$1", plain, more: ",\"unsigned\":{\"transaction_id\":\"m1\"}")) == "$1")
  }

  // B1.3
  @Test func `a message that is sent comes back with its ID, on any device`() throws {
    let sent = OutgoingMessage(
      id: "m1", conversation: "chat", content: MessageContent("hi"), createdAt: Date(), transmission: 1)
    let fields = MatrixMessage.fields(of: sent, in: "!room", by: "@alice:example.org")
    let json = String(decoding: try JSONEncoder().encode(JSONValue.object(fields)), as: UTF8.self)
    let own = try read(event("$1", from: Self.alice, json))
    #expect(own?.ownID(of: "@alice:example.org", in: "!room") == "m1")
    #expect(own?.ownID(of: "@alice:example.org", in: "!other") == nil)
    #expect(try id(event("$1", from: Self.alice, json)) == "m1")
  }

  // MARK: Two messages under one ID

  /// A message under an ID that is another one's: who sends it, and where.
  struct Forgery: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var room = "!room"
    var sender = mallory
    var claimed = "m1"
  }

  private static let forgeries = [
    Forgery(testDescription: "in the same room"), Forgery(testDescription: "in another room", room: "!other"),
    Forgery(testDescription: "the event's name", claimed: "$1"),
    Forgery(testDescription: "the event's name, in another room", room: "!other", claimed: "$1"),
    Forgery(testDescription: "by the sender, in another room", room: "!other", sender: bob),
  ]

  // B1.4
  @Test(arguments: forgeries, [true, false])
  func `a message under another one's ID hides nothing, whichever is seen first`(
    forgery: Forgery, comesFirst: Bool
  ) async throws {
    for content in [text("true", id: "m1", in: "!room", by: Self.bob), text("true")] {
      let real = ["!room": [event("$1", at: 10, content)]]
      let forged = [
        forgery.room: [
          event(
            "$2", from: forgery.sender, at: 20,
            text("forged", id: forgery.claimed, in: forgery.room, by: forgery.sender))
        ]
      ]
      let changes = [
        "!room": [edit("$3", of: "$1", at: 30, "true, edited")],
        forgery.room == "!room" ? "!third" : forgery.room: [
          edit("$4", of: "$2", from: forgery.sender, at: 40, "forged, edited")
        ],
      ]
      let server =
        comesFirst ? PlayedHomeserver.serving(forged, real, changes) : .serving(real, forged, changes)
      let phone = PlayedPhone()
      let rows = try await phone.rows(from: server)
      #expect(rows.contains { $0.text == "true, edited" && $0.sender.rawValue == Self.bob })
      if forgery.room == "!room" {
        #expect(Set(rows.map(\.text)) == ["true, edited", "forged"])
      } else {
        #expect(rows.count == 1)
        let others = try phone.client(on: server).reader.conversation("!other", limit: 10).rows
        #expect(others.map(\.text) == ["forged, edited"])
      }
    }
  }

  // B1.4: our IDs are what every member has read.
  @Test func `a message on its way is not confirmed and not hidden by another one under its ID`() async throws
  {
    let phone = PlayedPhone()
    let forged = text("forged", id: "m1", in: "!room", by: Self.mallory)
    let server = PlayedHomeserver.serving(["!room": [event("$2", from: Self.mallory, forged)]]) { request in
      // The answer to the message is lost.
      request.method == "PUT" ? .refused(429, "M_LIMIT_EXCEEDED", ",\"retry_after_ms\":900000") : nil
    }
    let client = try phone.client(on: server)
    try client.createConversation("!room", members: ["@bob:example.org"])
    #expect(try client.conversation("!room").sendOnce("true", id: "m1"))
    let rows = try await phone.rows(from: server)
    #expect(Set(rows.map(\.text)) == ["true", "forged"])
    #expect(rows.first { $0.text == "true" }?.status.state != .delivered)
  }

  // B1.4
  @Test(arguments: [true, false], [true, false])
  func `a message that another client forwards into another room is a message of its own`(
    comesFirst: Bool, isOfEarlierVersion: Bool
  ) async throws {
    let content =
      isOfEarlierVersion ? text("hi", id: "m1") : text("hi", id: "m1", in: "!room", by: Self.alice)
    let real = ["!room": [event("$1", from: Self.alice, at: 10, content)]]
    let copy = ["!other": [event("$2", from: Self.alice, at: 20, content)]]
    let server = comesFirst ? PlayedHomeserver.serving(copy, real) : .serving(real, copy)
    let phone = PlayedPhone()
    let rows = try await phone.rows(from: server)
    #expect(rows.map(\.text) == ["hi"])
    let copies = try phone.client(on: server).reader.conversation("!other", limit: 10).rows
    #expect(copies.map(\.text) == ["hi"])
    if !isOfEarlierVersion { #expect(rows.map(\.id) == ["m1"] && copies.map(\.id) == ["$2"]) }
  }

  // B1.3
  @Test func `what another device has sent again is one message`() async throws {
    let content = text("hi", id: "m1", in: "!room", by: Self.alice)
    let server = PlayedHomeserver.serving(
      ["!room": [event("$1", from: Self.alice, at: 10, content)]],
      ["!room": [event("$2", from: Self.alice, at: 20, content)]])
    #expect(try await PlayedPhone().rows(from: server).map(\.id) == ["m1"])
  }

  // B1.3
  @Test(arguments: [text("hi", id: "m1"), text("hi", id: "m1", in: "!room", by: bob)])
  func `a store that has the message under its claimed ID shows it once`(content: String) async throws {
    let phone = PlayedPhone()
    let sent = event("$1", at: 10, content)
    let server = PlayedHomeserver.serving(
      ["!room": [sent, edit("$2", of: "$1", at: 20, "edited")]], ["!room": [sent]])
    _ = try await phone.client(on: server).receive(
      IncomingMessage(
        id: "m1", conversation: "!room", sender: "@bob:example.org", content: MessageContent("hi"),
        order: nil,
        createdAt: Date(timeIntervalSince1970: 0.01), serverID: "$1"))
    let rows = try await phone.rows(from: server)
    #expect(rows.map(\.id) == ["m1"])
    #expect(rows.map(\.text) == ["edited"])
  }

  // MARK: What refers to a message

  // B1.2
  @Test(arguments: [true, false])
  func `an answer finds its message by the event's name, under whichever ID that is`(forgedFirst: Bool)
    async throws
  {
    let forged = text("forged", id: "m1", in: "!other", by: Self.mallory)
    let real = event("$1", at: 10, text("true", id: "m1", in: "!room", by: Self.bob))
    let answer = event(
      "$3", at: 30,
      """
      {"body":"yes","dev.holdfast.id":"m3","dev.holdfast.room":"!room","dev.holdfast.sender":"@bob:example.org",\
      "dev.holdfast.reply":"m1","m.relates_to":{"m.in_reply_to":{"event_id":"$1"}}}
      """)
    let lie = ["!other": [event("$2", from: Self.mallory, at: 5, forged)]]
    let server =
      forgedFirst
      ? PlayedHomeserver.serving(lie, ["!room": [real, answer]]) : .serving(["!room": [real, answer]], lie)
    let rows = try await PlayedPhone().rows(from: server)
    #expect(rows.map(\.text) == ["true", "yes"])
    #expect(rows.last?.quote?.excerpt == "true")
  }

  // B2.2
  @Test(arguments: [
    edit("$3", of: "$1", at: 30, "changed"), edit("$3", of: "m1", at: 30, "changed"),
    event(
      "$3", "m.reaction",
      "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"m1\",\"key\":\"👍\"}}"),
    redaction("$3", of: "m1", at: 30), redaction("$3", of: "$1", at: 30),
  ])
  func `a change in another room, or of an ID that is no event's name, changes nothing`(change: String)
    async throws
  {
    let real = event("$1", at: 10, text("true", id: "m1", in: "!room", by: Self.bob))
    let room = change.contains("\"m1\"") ? "!room" : "!other"
    let server = PlayedHomeserver.serving(["!room": [real]], [room: [change]])
    let rows = try await PlayedPhone().rows(from: server)
    #expect(rows.map(\.text) == ["true"])
    #expect(rows.allSatisfy { $0.reactions.isEmpty && !$0.isDeleted })
  }

  // B8.3
  @Test(arguments: [text("hi", id: "m1"), text("hi", id: "m1", in: "!room", by: alice)])
  func `a copy in another room is no sign that a message has arrived`(content: String) async throws {
    let server = PlayedHomeserver.serving(["!other": [event("$2", from: Self.alice, content)]])
    let found = Mutex<[MessageID: OutgoingMessage.DeliveryOutcome]>([:])
    let cursor = MatrixPlace(since: "s0", device: "phone").cursor
    try await server.transport().withConnection(resumingAfter: cursor) { connection in
      let outcomes = try await withThrowingTaskGroup(of: [MessageID: OutgoingMessage.DeliveryOutcome]?.self) {
        group in
        group.addTask { try await connection.outcomes(of: ["m1"], in: "!room") }
        group.addTask {
          while true { _ = try await connection.receive() }
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
      found.withLock { $0 = outcomes ?? [:] }
    }
    #expect(found.withLock { $0 } == ["m1": .absent])
  }
}
