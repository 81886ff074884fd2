import HoldfastCore
import HoldfastHTTP
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
    let sync = try MatrixSync(try JSONFields(json))
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
    #expect(sync.left == ["!d"])
  }

  @Test(arguments: [
    "{\"next_batch\":\"s\"}", "{\"next_batch\":\"s\",\"rooms\":7}",
    "{\"next_batch\":\"s\",\"rooms\":{\"join\":[],\"invite\":{\"!a\":3},\"leave\":null}}",
    "{\"next_batch\":\"s\",\"rooms\":{\"join\":{\"!a\":{\"timeline\":{\"events\":{}},\"state\":[],\"ephemeral\":1}}}}",
    "{\"next_batch\":\"s\",\"rooms\":{\"join\":{\"\\u0001\":{\"timeline\":{\"events\":[]}}}}}",
  ])
  func `what makes no sense is passed over`(json: String) throws {
    let sync = try MatrixSync(try JSONFields(json))
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
    #expect(try MatrixSync(try JSONFields(json)).joined[0].hasOlder == !isWhole)
  }

  @Test func `an answer without a place is none`() throws {
    #expect(throws: ConnectionFailure.self) { try MatrixSync(try JSONFields("{\"rooms\":{}}")) }
  }

  @Test func `half a character in one event does not hide the others`() throws {
    let json = """
      {"next_batch":"s","rooms":{"join":{"!a":{"timeline":{"events":[
        \(event("$1", text("\\ud83d"))),\(event("$2", text("whole")))]}}}}}
      """
    #expect(try MatrixSync(try JSONFields(json)).joined[0].timeline.map(\.id) == ["$1", "$2"])
  }
}
