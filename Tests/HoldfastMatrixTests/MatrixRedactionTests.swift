import Foundation
import Holdfast
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Synchronization
import Testing

@testable import HoldfastMatrix

/// Edits that are taken back (rules B2, B8). Of a redacted edit, a server keeps neither the text nor the message's name.
@Suite(.timeLimit(.minutes(10))) struct MatrixRedactionTests {
  private static let first = event("$1", at: 10, text("at 8"))
  private static let edits = [edit("$2", of: "$1", at: 20, "at 9"), edit("$3", of: "$1", at: 30, "at 10")]
  private static let mallory = "@mallory:example.org"

  /// What the server says of the message, when these edits of it are left.
  private static func says(
    _ left: [String], of message: String = first
  ) -> @Sendable (HTTPRequest) -> PlayedHomeserver.Answer? {
    { request in
      switch request.line {
      case "GET /v3/rooms/!room/event/$1": .init(message)
      // The newest comes first.
      case "GET /v1/rooms/!room/relations/$1/m.replace":
        .init("{\"chunk\":[\(left.reversed().joined(separator: ","))]}")
      default: nil
      }
    }
  }

  /// What of the edits is left without some.
  private static func left(without redacted: [String]) -> [String] {
    edits.filter { edit in !redacted.contains { edit.contains("\"event_id\":\"\($0)\",\"type\"") } }
  }

  /// Which edits are taken back, and what is shown then.
  struct Case: Sendable {
    var redacted: [String]
    var shown: String
    var redactions: [String] {
      redacted.enumerated().map { redaction("$r\($0)", of: $1, at: 40 + 10 * $0) }
    }
  }

  private static let cases = [
    Case(redacted: ["$3"], shown: "at 9"), Case(redacted: ["$2"], shown: "at 10"),
    Case(redacted: ["$2", "$3"], shown: "at 8"), Case(redacted: ["$3", "$2"], shown: "at 8"),
  ]

  // B2.1, B8.3
  @Test(arguments: cases)
  func `an edit that is taken back in the same sync leaves what was before it`(example: Case) async throws {
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits + example.redactions],
      asked: Self.says(Self.left(without: example.redacted)))
    let rows = try await PlayedPhone().rows(from: server)
    #expect(rows.map(\.text) == [example.shown])
    #expect(server.requests.count { $0.hasSuffix("/event/$1") } == 1, "One answer has the outcome of all.")
  }

  // B2.1, B8.3
  @Test(arguments: cases)
  func `an edit that is taken back later leaves what was before it`(example: Case) async throws {
    let phone = PlayedPhone()
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits], ["!room": example.redactions],
      asked: Self.says(Self.left(without: example.redacted)))
    #expect(try await phone.rows(from: server).map(\.text) == [example.shown])
  }

  // B2.1, B8.3
  @Test(arguments: cases)
  func `an edit that is taken back after a restart leaves what was before it`(example: Case) async throws {
    let phone = PlayedPhone()
    var syncs = [["!room": [Self.first] + Self.edits]]
    func server(_ others: @escaping @Sendable (HTTPRequest) -> PlayedHomeserver.Answer?) -> PlayedHomeserver {
      .serving(syncs, until: "end \(syncs.count)", asked: others)
    }
    #expect(try await phone.rows(from: server { _ in nil }, until: "end 1").map(\.text) == ["at 10"])
    for (number, redaction) in example.redactions.enumerated() {
      // The sync with the end of the last run comes in front.
      syncs += [[:], ["!room": [redaction]]]
      let left = Self.left(without: Array(example.redacted.prefix(number + 1)))
      _ = try await phone.rows(from: server(Self.says(left)), until: "end \(syncs.count)")
    }
    // An edit that comes behind is the newest.
    let rows = try await phone.rows(from: server { _ in nil }, until: "end \(syncs.count)")
    #expect(rows.map(\.text) == [example.shown])
    syncs += [[:], ["!room": [edit("$4", of: "$1", at: 100, "at 11")]]]
    let newest = try await phone.rows(from: server { _ in nil }, until: "end \(syncs.count)")
    #expect(newest.map(\.text) == ["at 11"])
  }

  // B2.1, B8.3
  @Test func `an edit that was sent beside its message alone is taken back`() async throws {
    let bundle = """
      ,"unsigned":{"m.relations":{"m.replace":{"event_id":"$3","sender":"@bob:example.org","origin_server_ts":30,\
      "content":{"body":"* at 10","m.new_content":{"body":"at 10"}}}}}
      """
    let server = PlayedHomeserver.serving(
      ["!room": [event("$1", at: 10, text("at 8"), more: bundle)]],
      ["!room": [redaction("$r", of: "$3", at: 40)]],
      // What is left was never sent. It is taken back too.
      ["!room": [redaction("$s", of: "$2", at: 50)]], asked: Self.says([]))
    #expect(try await PlayedPhone().rows(from: server).map(\.text) == ["at 8"])
  }

  // B2.1, B8.2
  @Test(arguments: [true, false])
  func `an edit whose redaction is in a gap leaves what was before it`(wasSent: Bool) async throws {
    let gap = "{\"timeline\":{\"events\":[],\"limited\":true,\"prev_batch\":\"p\"}}"
    let events = ([Self.first] + (wasSent ? Self.edits : [])).joined(separator: ",")
    // Of a redacted edit nothing is left on the server.
    let pages = [Self.edits[0], event("$3", at: 30, "{}"), redaction("$r", of: "$3", at: 40)]
    let server = PlayedHomeserver.serving(rooms: [
      ["!room": "{\"timeline\":{\"events\":[\(events)]}}"], ["!room": gap],
    ]) { request in
      switch request.line {
      case "GET /v3/rooms/!room/messages": .init("{\"chunk\":[\(pages.joined(separator: ","))]}")
      default: Self.says([Self.edits[0]])(request)
      }
    }
    #expect(try await PlayedPhone().rows(from: server).map(\.text) == ["at 9"])
  }

  /// A redaction by somebody other than its sender, one of a room before version 11, and one by a clock that is late.
  private static let redactions = [
    redaction("$r", of: "$3", from: "@moderator:example.org", at: 40),
    event("$r", "m.room.redaction", at: 40, "{}", more: ",\"redacts\":\"$3\""),
    redaction("$r", of: "$3", at: 1),
  ]

  // B2.1, B8.3
  @Test(arguments: redactions)
  func `a redaction that the server has taken counts, whoever made it and when`(redaction: String)
    async throws
  {
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits], ["!room": [redaction]], asked: Self.says([Self.edits[0]]))
    #expect(try await PlayedPhone().rows(from: server).map(\.text) == ["at 9"])
  }

  // B2.2
  @Test func `only the edits of the message's own sender are left`() async throws {
    let forged = edit("$9", of: "$1", from: Self.mallory, at: 35, "never")
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits + [forged]], ["!room": [redaction("$r", of: "$3", at: 40)]],
      asked: Self.says([Self.edits[0], forged]))
    #expect(try await PlayedPhone().rows(from: server).map(\.text) == ["at 9"])
  }

  // B2.1, B8.3
  @Test func `an edit of everything leaves everything that was before it`() async throws {
    let original = event("$1", at: 10, "{\"body\":\"at 8\",\"dev.holdfast.reasoning\":\"first\"}")
    func whole(_ id: String, at time: Int, _ body: String, _ reasoning: String) -> String {
      event(
        id, at: time,
        """
        {"body":"* x","m.new_content":{"body":"\(body)","dev.holdfast.reasoning":"\(reasoning)"},\
        "m.relates_to":{"rel_type":"m.replace","event_id":"$1"},"dev.holdfast.whole":true}
        """)
    }
    let edits = [whole("$2", at: 20, "at 9", "second"), edit("$3", of: "$1", at: 30, "at 10")]
    let server = PlayedHomeserver.serving(
      ["!room": [original] + edits + [whole("$4", at: 40, "at 11", "last")]],
      ["!room": [redaction("$r", of: "$4", at: 50)]], asked: Self.says(edits, of: original))
    let rows = try await PlayedPhone().rows(from: server)
    #expect(rows.map(\.text) == ["at 10"])
    #expect(rows.map(\.reasoning) == ["second"])
  }

  // B2.1, B8.3
  @Test func `a message that is redacted with its edits is deleted`() async throws {
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits],
      ["!room": [redaction("$r", of: "$3", at: 40), redaction("$s", of: "$1", at: 50)]],
      asked: Self.says([], of: event("$1", at: 10, "{}")))
    let rows = try await PlayedPhone().rows(from: server)
    #expect(rows.map(\.isDeleted) == [true])
    #expect(rows.map(\.text) == [""])
  }

  // B2.2
  @Test func `a reaction is taken back, and takes nothing else with it`() async throws {
    let like = event(
      "$4", "m.reaction", at: 35,
      "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"$1\",\"key\":\"👍\"}}")
    let heart = like.replacing("👍", with: "❤️").replacing("$4", with: "$5")
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits + [like, heart]], ["!room": [redaction("$r", of: "$4", at: 40)]])
    let rows = try await PlayedPhone().rows(from: server)
    #expect(rows.map(\.text) == ["at 10"])
    #expect(rows.flatMap(\.reactions).map(\.value) == ["❤️"])
    #expect(!server.requests.contains { $0.contains("/event/") })
  }

  // B2.1
  @Test func `a redaction in another room changes nothing`() async throws {
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits],
      ["!other": [redaction("$r", of: "$3", from: Self.mallory, at: 40)]],
      asked: Self.says([]))
    #expect(try await PlayedPhone().rows(from: server).map(\.text) == ["at 10"])
  }

  // B2.1
  @Test func `a redaction that the server cannot explain now is delivered again`() async throws {
    let server = PlayedHomeserver.serving(
      ["!room": [Self.first] + Self.edits], ["!room": [redaction("$r", of: "$3", at: 40)]]
    ) { request in
      request.line.hasSuffix("/event/$1") ? .refused(503, "M_UNKNOWN") : nil
    }
    let places = Mutex<[String?]>([])
    await #expect(throws: ConnectionFailure.self) {
      try await server.transport().withConnection(resumingAfter: nil) { connection in
        while true {
          guard case .items(_, let cursor) = try await connection.receive() else { continue }
          places.withLock { $0.append(MatrixPlace(cursor)?.since) }
          if MatrixPlace(cursor)?.since == "s2" { return }
        }
      }
    }
    #expect(places.withLock { $0 } == ["s1"], "The place stays in front of it.")
  }

  @Test func `a place remembers the newest edits alone, and one of an earlier version has none`() throws {
    let echoes = MatrixEchoes(edits: [])
    let all = (0..<300).map { MatrixPlace.Edit(id: "$e\($0)", message: "$m", time: Int64($0)) }
    for edit in all + all.suffix(10) { echoes.note([edit]) }
    #expect(echoes.edits == all.suffix(200))
    let place = MatrixPlace(since: "s", device: "d", edits: echoes.edits)
    #expect(MatrixPlace(place.cursor) == place)
    let earlier = SyncCursor(rawValue: "{\"since\":\"s\",\"device\":\"d\",\"filled\":{}}")
    #expect(MatrixPlace(earlier) == MatrixPlace(since: "s", device: "d"))
  }
}
