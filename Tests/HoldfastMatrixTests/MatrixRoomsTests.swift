import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Testing

@testable import HoldfastMatrix

/// Conversations that become rooms, and who may say which room is a conversation's (rules D15, B5, B8).
@Suite struct MatrixRoomsTests {
  private static let message = OutgoingMessage(
    id: "m1", conversation: "chat-1", members: ["@alice:example.org", "@bob:example.org"], title: "Club",
    content: MessageContent("hello"), createdAt: Date(), transmission: 1)
  private static let alias = "/v3/directory/room/#\(MatrixRooms.aliasName(of: "chat-1")):example.org"

  private static func state(creator: String) -> PlayedHomeserver.Answer {
    .init("[\(event("$0", "m.room.create", from: creator, state: "", "{}"))]")
  }

  private static let member = "@alice:example.org"

  private func room(
    on server: PlayedHomeserver, for message: OutgoingMessage = message
  ) async throws -> (room: String, announced: [IncomingConversation]) {
    var announced: [IncomingConversation] = []
    let room = try await MatrixRooms(server.client(), as: "@alice:example.org").room(for: message) {
      announced.append($0)
    }
    return (room, announced)
  }

  @Test
  func `a conversation becomes a room under a hash of its ID, and is announced before anything is sent`()
    async throws
  {
    let server = PlayedHomeserver { request, _ in
      switch request.line {
      case "POST /v3/createRoom", "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      default:
        .init(
          """
          [\(event("$0", "m.room.create", from: Self.member, state: "", "{}")),\(event("$1", MatrixEvent.conversationType, from: Self.member, state: "", "{\"id\":\"chat-1\"}"))]
          """)
      }
    }
    let (room, announced) = try await room(on: server)
    #expect(room == "!room")
    #expect(announced.map(\.earlierIDs) == [["chat-1"]])
    let body = server.bodies[0]
    #expect(body.contains("\"invite\":[\"@bob:example.org\"]") && body.contains("\"name\":\"Club\""))
    #expect(!body.contains("#") && !body.contains("\"room_alias_name\":\"chat"))
  }

  // The server announces a room while it creates it, before it has the conversation's name.
  @Test func `a room that is announced while it is created is announced as its conversation`() async throws {
    let (asked, created) = (Signal(), Signal())
    let server = PlayedHomeserver { request, number in
      if number == 0 { asked.raise() }
      return switch request.line {
      case "POST /v3/createRoom": .init("{\"room_id\":\"!room\"}", after: created)
      case "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      default:
        .init(
          """
          [\(event("$0", "m.room.create", from: Self.member, state: "", "{}")),\(event("$1", MatrixEvent.conversationType, from: Self.member, state: "", "{\"id\":\"chat-1\"}"))]
          """)
      }
    }
    let rooms = MatrixRooms(server.client(), as: "@alice:example.org")
    let half = try MatrixSync(
      try JSONFields(
        """
        {"next_batch":"s","rooms":{"join":{"!room":{"timeline":{"events":[
          \(event("$0", "m.room.create", from: Self.member, state: "", "{}"))]}}}}}
        """), for: "@alice:example.org")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await rooms.room(for: Self.message) { _ in } }
      await asked.wait()
      group.addTask {
        let announced = try await rooms.apply(half.joined[0])
        #expect(announced?.earlierIDs == ["chat-1"])
      }
      created.raise()
      try await group.waitForAll()
    }
  }

  @Test(arguments: [(400, "M_ROOM_IN_USE"), (409, "M_UNKNOWN")])
  func `a room that a member has made already is joined`(status: Int, code: String) async throws {
    let server = PlayedHomeserver { request, _ in
      switch request.line {
      case "POST /v3/createRoom": .refused(status, code)
      case "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      case "GET /v3/rooms/!room/state": Self.state(creator: "@bob:example.org")
      default: .init("{}")
      }
    }
    #expect(try await room(on: server).room == "!room")
    #expect(server.requests.contains("POST /v3/rooms/!room/join"))
  }

  // A server that is killed while it creates a room leaves the alias, and none of what comes behind it.
  @Test func `a room that was half created is completed by the next message`() async throws {
    let server = PlayedHomeserver { request, _ in
      switch request.line {
      case "POST /v3/createRoom": .refused(400, "M_ROOM_IN_USE")
      case "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      case "GET /v3/rooms/!room/state": Self.state(creator: Self.member)
      default: .init("{}")
      }
    }
    _ = try await room(on: server)
    #expect(server.requests.contains("PUT /v3/rooms/!room/state/\(MatrixEvent.conversationType)"))
    #expect(server.requests.contains("PUT /v3/rooms/!room/state/m.room.name"))
    let invitation = server.requests.firstIndex(of: "POST /v3/rooms/!room/invite").map { server.bodies[$0] }
    #expect(invitation == "{\"user_id\":\"@bob:example.org\"}")
  }

  @Test func `whoever has left a room is not invited again`() async throws {
    let server = PlayedHomeserver { request, _ in
      switch request.line {
      case "POST /v3/createRoom": .refused(400, "M_ROOM_IN_USE")
      case "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      case "GET /v3/rooms/!room/state":
        .init(
          """
          [\(event("$0", "m.room.create", from: Self.member, state: "", "{}")),\(event("$1", "m.room.member", state: "@bob:example.org", "{\"membership\":\"leave\"}"))]
          """)
      default: .init("{}")
      }
    }
    _ = try await room(on: server)
    #expect(!server.requests.contains("POST /v3/rooms/!room/invite"))
  }

  // The invitations are the last that the server does when it creates a room.
  @Test func `a room that another member is creating is joined once it invites`() async throws {
    let server = PlayedHomeserver { request, number in
      switch request.line {
      case "POST /v3/createRoom": .refused(409, "M_UNKNOWN")
      case "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      case "GET /v3/rooms/!room/state": Self.state(creator: "@bob:example.org")
      case "POST /v3/rooms/!room/join" where number < 4: .refused(403, "M_FORBIDDEN")
      default: .init("{}")
      }
    }
    #expect(try await room(on: server).room == "!room")
    #expect(server.requests.count { $0 == "POST /v3/rooms/!room/join" } == 3)
  }

  @Test(arguments: [true, false])
  func `a room that somebody else has made under the name is refused`(mayJoin: Bool) async throws {
    let server = PlayedHomeserver { request, _ in
      switch request.line {
      case "POST /v3/createRoom": .refused(400, "M_ROOM_IN_USE")
      case "GET \(Self.alias)": .init("{\"room_id\":\"!room\"}")
      case "POST /v3/rooms/!room/join" where !mayJoin: .refused(403, "M_FORBIDDEN")
      case "GET /v3/rooms/!room/state": Self.state(creator: "@mallory:example.org")
      default: .init("{}")
      }
    }
    let refusal = await #expect(throws: MatrixRoomRefusal.self) { _ = try await room(on: server) }
    #expect(refusal?.reason == .foreignRoom)
  }

  // B5.1
  @Test(arguments: ["!room", "!another"])
  func `a room is a conversation's only if the server's directory says so`(found: String) async throws {
    let server = PlayedHomeserver { request, _ in
      request.line == "GET \(Self.alias)" ? .init("{\"room_id\":\"\(found)\"}") : nil
    }
    let json = """
      {"next_batch":"s","rooms":{"join":{"!room":{"state":{"events":[
        \(event("$0", "m.room.create", from: "@mallory:example.org", state: "", "{}")),
        \(event("$1", MatrixEvent.conversationType, from: "@mallory:example.org", state: "", "{\"id\":\"chat-1\"}"))]}}}}}
      """
    let sync = try MatrixSync(try JSONFields(json), for: "@alice:example.org")
    let announced = try await MatrixRooms(server.client(), as: "@alice:example.org").apply(sync.joined[0])
    #expect(announced?.earlierIDs == (found == "!room" ? ["chat-1"] : []))
  }

  // B8.4
  @Test func `nothing is sent into an encrypted room, and the reason is a sentence`() async throws {
    let server = PlayedHomeserver { request, _ in
      request.line.hasSuffix("/state/m.room.encryption")
        ? .init("{\"algorithm\":\"m.megolm.v1.aes-sha2\"}") : nil
    }
    var message = Self.message
    (message.conversation, message.members) = ("!room", [])
    let refusal = await #expect(throws: MatrixRoomRefusal.self) {
      _ = try await room(on: server, for: message)
    }
    #expect(refusal?.reason == .encryptedRoom)
  }

  // B8.4
  @Test func `a room that becomes encrypted takes nothing from then on`() async throws {
    let server = PlayedHomeserver { request, _ in
      request.line.hasSuffix("/state/m.room.encryption") ? .refused(404, "M_NOT_FOUND") : .init("[]")
    }
    let rooms = MatrixRooms(server.client(), as: "@alice:example.org")
    var message = Self.message
    (message.conversation, message.members) = ("!room", [])
    _ = try await rooms.room(for: message) { _ in }
    _ = try await rooms.room(for: message) { _ in }
    #expect(server.requests.count == 1, "The server is asked once.")
    let sync = try MatrixSync(
      try JSONFields(
        """
        {"next_batch":"s","rooms":{"join":{"!room":{"timeline":{"events":[
          \(event("$0", "m.room.create", state: "", "{}")),\(event("$1", "m.room.encryption", state: "", "{}"))]}}}}}
        """), for: "@alice:example.org")
    #expect(try await rooms.apply(sync.joined[0])?.refusal == .encryptedRoom)
    await #expect(throws: MatrixRoomRefusal.self) { _ = try await rooms.room(for: message) { _ in } }
  }
}
