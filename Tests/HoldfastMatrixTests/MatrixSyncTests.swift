import Holdfast
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastMatrix

/// The answer to a sync.
@Suite struct MatrixSyncTests {
  @Test func `rooms come in the order of their last events, with what is known of each`() throws {
    let json = """
      {"next_batch":"s2","rooms":{"join":{
        "!a":{"timeline":{"events":[\(event("$9", at: 9, text("later")))],"limited":true,"prev_batch":"p"},
              "ephemeral":{"events":[{"type":"m.typing","content":{}},{"type":"m.receipt","content":
                {"$9":{"m.read":{"@bob:b":{"ts":1}},"m.read.private":{"@alice:b":{}}}}}]}},
        "!b":{"timeline":{"events":[\(event("$1", at: 1, text("earlier")))]},
              "state":{"events":[\(event("$0", "m.room.create", state: "", "{}")),{"type":"broken"}]}}},
       "invite":{"!c":{"invite_state":{"events":[
          {"type":"m.room.name","content":{"name":"Club"}},
          {"type":"m.room.member","sender":"@carol:b","content":{"membership":"invite"}}]}}},
       "leave":{"!d":{}}}}
      """
    let sync = try MatrixSync(try JSONFields(json), for: "@alice:example.org")
    #expect(sync.next == "s2")
    #expect(sync.joined.map(\.id) == ["!b", "!a"])
    #expect(sync.joined.map(\.isNew) == [true, false])
    #expect(sync.joined.map(\.isLimited) == [false, true])
    #expect(sync.joined[0].state.count == 1)
    #expect(
      sync.joined[1].readMarks == [
        .init(reader: "@bob:b", event: "$9"), .init(reader: "@alice:b", event: "$9"),
      ])
    #expect(sync.invited == [.init(room: "!c", inviter: "@carol:b", title: "Club")])
    #expect(sync.left.map(\.room.id) == ["!d"])
  }

  @Test(arguments: [
    "{\"next_batch\":\"s\"}", "{\"next_batch\":\"s\",\"rooms\":7}",
    "{\"next_batch\":\"s\",\"rooms\":{\"join\":[],\"invite\":{\"!a\":3},\"leave\":null}}",
    "{\"next_batch\":\"s\",\"rooms\":{\"join\":{\"!a\":{\"timeline\":{\"events\":{}},\"state\":[],\"ephemeral\":1}}}}",
    "{\"next_batch\":\"s\",\"rooms\":{\"join\":{\"\\u0001\":{\"timeline\":{\"events\":[]}}}}}",
  ])
  func `what makes no sense is passed over`(json: String) throws {
    let sync = try MatrixSync(try JSONFields(json), for: "@alice:example.org")
    #expect(sync.invited.isEmpty && sync.left.isEmpty)
    #expect(sync.joined.allSatisfy { $0.timeline.isEmpty && $0.state.isEmpty && $0.id == "!a" })
  }

  @Test(arguments: [true, false])
  func `a room that begins in its timeline has nothing older, whatever the server says`(isWhole: Bool) throws
  {
    let creation = event("$0", "m.room.create", state: "", "{}")
    let message = event("$1", text("hi"))
    let (state, timeline) = isWhole ? ("", "\(creation),\(message)") : (creation, message)
    let json = """
      {"next_batch":"s","rooms":{"join":{"!a":{"state":{"events":[\(state)]},
        "timeline":{"events":[\(timeline)],"limited":true,"prev_batch":"p"}}}}}
      """
    #expect(try MatrixSync(try JSONFields(json), for: "@alice:example.org").joined[0].hasOlder == !isWhole)
  }

  /// The room, as a server sends it to somebody who is no longer in it.
  private static func left(by sender: String, _ membership: String, from before: String?) -> String {
    let unsigned = before.map { ",\"unsigned\":{\"prev_content\":{\"membership\":\"\($0)\"}}" } ?? ""
    let alice = ",\"state_key\":\"@alice:example.org\"\(unsigned)"
    return """
      {"timeline":{"events":[\(event("$8", from: "@bob:b", at: 8, text("bye, all"))),\
      \(event("$9", "m.room.member", from: sender, at: 9, "{\"membership\":\"\(membership)\"}", more: alice))]}}
      """
  }

  private static let here = """
    {"timeline":{"events":[\(event("$0", "m.room.create", from: "@bob:b", state: "", "{}")),\
    \(event("$1", "m.room.member", from: "@bob:b", state: "@bob:b", "{\"membership\":\"join\"}")),\
    \(event("$2", "m.room.member", from: "@alice:example.org", state: "@alice:example.org", "{\"membership\":\"join\"}")),\
    \(event("$3", from: "@bob:b", at: 3, text("hello")))]}}
    """

  // B8.6
  @Test(
    arguments: [
      ("@bob:b", "leave", "join"), ("@bob:b", "ban", "join"), ("@carol:b", "leave", "join"),
      ("@bob:b", "ban", "leave"), ("@bob:b", "leave", "ban"), ("@bob:b", "leave", "invite"),
      ("@alice:example.org", "leave", "invite"), ("@bob:b", "leave", nil),
    ], [true, false])
  func `a room from which the account was removed stays, with what was said in it`(
    removal: (sender: String, membership: String, before: String?), isKnown: Bool
  ) async throws {
    let phone = PlayedPhone()
    let left = Self.left(by: removal.sender, removal.membership, from: removal.before)
    // A server sends nothing more to those who are banned.
    let refuses: @Sendable (HTTPRequest) -> PlayedHomeserver.Answer? = {
      $0.line == "GET /v3/rooms/!room/state" ? .init("{\"errcode\":\"M_FORBIDDEN\"}", status: 403) : nil
    }
    let server = PlayedHomeserver.serving(
      rooms: isKnown ? [["!room": Self.here], ["leave !room": left]] : [["!room": Self.here]], asked: refuses)
    var rows = try await phone.rows(from: server)
    if !isKnown {
      let later = PlayedHomeserver.serving(
        rooms: [[:], [:], ["leave !room": left]], until: "the other end", asked: refuses)
      rows = try await phone.rows(from: later, until: "the other end")
    }
    #expect(rows.map(\.text) == ["hello", "bye, all"])
    let shown = try phone.client(on: server).reader.conversation("!room", limit: 10)
    #expect(shown.exists && shown.refusal == .removedFromRoom)
  }

  // B8.6
  @Test func `a room that the account left by itself goes`() async throws {
    let phone = PlayedPhone()
    let left = Self.left(by: "@alice:example.org", "leave", from: "join")
    _ = try await phone.rows(from: .serving(rooms: [["!room": Self.here], ["leave !room": left]]))
    #expect(try !phone.client(on: .serving([])).reader.conversation("!room", limit: 10).exists)
  }

  // B8.6
  @Test(arguments: [("leave", "invite"), ("ban", "leave")])
  func `an invitation that was taken back makes no conversation`(membership: String, before: String)
    async throws
  {
    let phone = PlayedPhone()
    let removal = "{\"membership\":\"\(membership)\"}"
    let more =
      ",\"state_key\":\"@alice:example.org\",\"unsigned\":{\"prev_content\":{\"membership\":\"\(before)\"}}"
    let left =
      "{\"timeline\":{\"events\":[\(event("$9", "m.room.member", from: "@bob:b", at: 9, removal, more: more))]}}"
    _ = try await phone.rows(from: .serving(rooms: [["!other": Self.here], ["leave !room": left]]))
    #expect(try !phone.client(on: .serving([])).reader.conversation("!room", limit: 10).exists)
  }

  // B8.7
  @Test func `a server that answers at once and reports nothing is asked after a pause that grows`()
    async throws
  {
    let pauses = Mutex<[Duration]>([])
    let done = Signal()
    var environment = PlayedHomeserver.patient
    environment.uptime = { .zero }
    environment.sleep = { deadline in
      let pause = deadline - .zero
      guard pause < .seconds(10) else {
        await Signal().wait()
        throw CancellationError()
      }
      if pauses.withLock({ pauses in
        pauses.append(pause)
        return pauses.count == 24
      }) {
        done.raise()
        await Signal().wait()
      }
    }
    let server = PlayedHomeserver { request, _ in
      request.line == "GET /v3/sync"
        ? .init("{\"next_batch\":\"s1\"}")
        : .init("{\"user_id\":\"@alice:example.org\",\"device_id\":\"phone\"}")
    }
    let transport = MatrixTransport(
      MatrixTransport.Settings(newest: 1, longestWait: .seconds(30), accepts: { _ in true }),
      httpClient: server,
      environment: environment, login: { PlayedHomeserver.login })
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await transport.withConnection(resumingAfter: nil) { connection in
          while true { _ = try await connection.receive() }
        }
      }
      await done.wait()
      group.cancelAll()
    }
    let waited = pauses.withLock(\.self)
    #expect(Array(waited.prefix(3)) == [.milliseconds(500), .milliseconds(750), .seconds(1)])
    #expect(waited.last == .seconds(5))
  }

  @Test func `an answer without a place is refused`() throws {
    #expect(throws: ConnectionFailure.self) {
      try MatrixSync(try JSONFields("{\"rooms\":{}}"), for: "@alice:example.org")
    }
  }

  @Test func `half a character in one event does not hide the others`() throws {
    let json = """
      {"next_batch":"s","rooms":{"join":{"!a":{"timeline":{"events":[
        \(event("$1", text("\\ud83d"))),\(event("$2", text("whole")))]}}}}}
      """
    #expect(
      try MatrixSync(try JSONFields(json), for: "@alice:example.org").joined[0].timeline.map(\.id) == [
        "$1", "$2",
      ])
  }
}
