import EngineFixtures
import Foundation
import HoldfastTesting
import ImportFuzzing
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue

private typealias eg = EngineExample

/// The authors of the messages in a file, and the unsent messages (rules H12, E1): nothing is sent in the name of
/// another user.
@Suite(.timeLimit(.minutes(10))) struct ImportAuthorsTests {
  private let bench: Bench
  private let client: ChatClient

  init() throws {
    bench = try Bench(inMemory: true)
    client = try bench.client()
  }

  private func imported(_ text: String, as name: String = "chats.json", _ authors: ImportAuthors = .init())
    throws
    -> ImportReport
  {
    let file = bench.scratch.url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return try client.importHistory(from: file, authors: authors)
  }

  private func rows(in id: ConversationID = "c") throws -> [String] {
    try client.reader.conversation(id, limit: 100).rows.map { "\($0.sender): \($0.text)" }
  }

  private var me: String { eg.user.rawValue }

  /// Fields that name the author of a message, each with a placeholder for the name.
  static let fields = [
    #""user":{"_id":"NAME"}"#, #""user":"NAME""#, #""username":"NAME""#, #""userId":"NAME""#, #""u":"NAME""#,
    #""creator":{"name":"NAME"}"#, #""created_by":"NAME""#, #""owner_id":"NAME""#, #""authorName":"NAME""#,
    #""senderUser":{"uid":"NAME"}"#, #""from_user_id":"NAME""#, #""account":{"login":"NAME"}"#,
    #""nick":"NAME""#,
    #""postedBy":{"id":"NAME"}"#, #""displayName":"NAME""#, #""role":"user","username":"NAME""#,
  ]

  /// A list of messages by alice and bob.
  private func both(_ field: String, _ more: String = "") -> String {
    let entries = [(me, "hello Bob"), ("bob", "I owe you 50"), (me, "thanks")].enumerated().map {
      #"{"_id":"\#($0)","chatId":"c","text":"\#($1.1)","createdAt":"2026-01-01T10:00:0\#($0)Z"\#(more),"#
        + field.replacingOccurrences(of: "NAME", with: $1.0) + "}"
    }
    return "[" + entries.joined(separator: ",") + "]"
  }

  // H12.1
  @Test(arguments: fields, ["", #","retryCount":0"#, #","status":"sent""#])
  func `a list of two people is a history, whatever its field for the author is called`(
    _ field: String, _ more: String
  ) throws {
    let report = try imported(both(field, more))
    #expect((report.queued, report.failed, report.messages) == (0, 0, 3), "\(report)")
    #expect(try rows() == ["\(me): hello Bob", "bob: I owe you 50", "\(me): thanks"])
  }

  // H12.1
  @Test(arguments: fields) func `two people in a conversation of a file are two people`(
    _ field: String
  ) throws {
    let report = try imported(#"{"conversations":[{"id":"c","messages":\#(both(field))}]}"#)
    #expect((report.queued, report.messages, report.notes) == (0, 3, []))
    #expect(try rows() == ["\(me): hello Bob", "bob: I owe you 50", "\(me): thanks"])
  }

  // H12.1
  @Test(arguments: [#""penname":"NAME""#, #""wer":"NAME""#, #""p":{"id":"NAME"}"#, #""side":7,"w":"NAME""#])
  func `a field that nobody knows may be the author's, so nothing beside it is queued`(_ field: String) throws
  {
    let report = try imported(both(field, #","retryCount":0"#))
    #expect((report.queued, report.messages, report.leftOut) == (0, 0, 3))
    #expect(Set(report.problems.map(\.code)) == [.authorUnknown])
    let found = try imported(both(field), as: "sent.json")
    #expect((found.queued, found.messages, found.notes.map(\.code)) == (0, 3, [.authorNotNamed]))
  }

  // H12.1
  @Test func `the user says which field names the author, and who he is in the file`() throws {
    let entry = { (id: String, pen: String, more: String) in
      #"{"id":"\#(id)","chatId":"c","text":"\#(id)","pen":"\#(pen)"\#(more)}"#
    }
    let waiting = #","status":"pending""#
    let list = "[\(entry("1", "Al", "")),\(entry("2", "Bo", waiting)),\(entry("3", "Al", waiting))]"
    #expect(try imported(list).problems.map(\.code) == [.authorUnknown, .authorUnknown])
    let report = try imported(list, as: "again.json", ImportAuthors(field: "Pen", me: "Al"))
    #expect((report.queued, report.isComplete) == (1, true), "\(report)")
    #expect(try client.unsentBodies() == ["3"])
    #expect(try rows() == ["\(me): 1", "Bo: 2", "\(me): 3"])
  }

  // H12.1
  @Test
  func `who is within an object is the author when the user says so, and nobody where others are meant`()
    throws
  {
    let entry = { (id: String, name: String, more: String) in
      #"{"id":"\#(id)","chatId":"c","text":"\#(id)","meta":{"user":{"name":"\#(name)"}}\#(more)}"#
    }
    let list =
      "[\(entry("1", "Al", "")),\(entry("2", "Bo", "")),\(entry("3", "Al", #","status":"pending""#))]"
    let other = try Bench(inMemory: true).client()
    #expect(try other.importHistory(from: Data(list.utf8)).queued == 0)
    let report = try imported(list, as: "again.json", ImportAuthors(field: "meta.user", me: "Al"))
    #expect((report.queued, report.isComplete) == (1, true), "\(report)")
    #expect(try rows() == ["\(me): 1", "Bo: 2", "\(me): 3"])
    let mine =
      #"{"id":"4","chatId":"c","text":"4","status":"pending","meta":{"user":"\#(me)"},"#
      + #""replyTo":{"author":"Bo"},"metadata":{"range":{"from":1,"to":3}},"mentions":{"user":"Bo"}}"#
    #expect(try imported("[\(mine)]").queued == 1)
  }

  // H12.5
  @Test(arguments: [
    // A name and a flag that contradict each other.
    (#""fromMe":true,"sender":"bob""#, "bob"), (#""direction":"outgoing","author":{"name":"Bob"}"#, "Bob"),
    (#""isMine":true,"from":"carol","to":"c""#, "carol"), (#""fromMe":false,"sender":"ME""#, "ME"),
    (#""isIncoming":true,"fromMe":true"#, "other"),
    // The user's name in another case.
    (#""sender":"UPPER""#, "ME"), (#""author":{"id":"UPPER"}"#, "ME"),
    (#""role":"user","sender":"UPPER""#, "ME"),
  ])
  func `where fields contradict each other the name is shown, and nothing is sent`(
    _ given: String, _ shown: String
  ) throws {
    let field = given.replacingOccurrences(of: "UPPER", with: me.uppercased())
      .replacingOccurrences(of: "ME", with: me)
    let unsent = #"[{"id":"a","chatId":"c","text":"one","status":"pending",\#(field)}]"#
    let report = try imported(unsent)
    #expect((report.queued, report.failed) == (0, 0), "\(report)")
    let sent = #"{"conversations":[{"id":"d","messages":[{"id":"b","text":"two",\#(field)}]}]}"#
    #expect(try imported(sent, as: "sent.json").messages == 1)
    #expect(try rows(in: "d") == ["\(shown == "ME" ? me : shown): two"])
    // With this argument, the user says that the name is his.
    guard given.contains("UPPER") else { return }
    #expect(try imported(unsent, as: "again.json", ImportAuthors(me: me.uppercased())).queued == 1)
  }

  // H12.1
  @Test func `the account of a file's owner beside each message is nobody's name`() throws {
    let entry = { (role: String, text: String) in #"{"role":"\#(role)","content":"\#(text)","user":"64af"}"# }
    let report = try imported(
      #"{"conversations":[{"id":"c","messages":[\#(entry("user", "q")),\#(entry("assistant", "a"))]}]}"#)
    #expect((report.messages, report.isComplete) == (2, true))
    #expect(try rows() == ["\(me): q", "assistant: a"])
  }

  // H12.1
  /// Messages that may be those of another user, in a list and in a conversation.
  @Test(arguments: [
    [#""pen":"Al""#, #""pen":"Bo""#], [#""side":"left""#, #""side":"right""#], [#""sender":"bob""#],
    [#""role":"user""#, #""role":"user","username":"Bob""#], [#""role":"user","username":"Bob""#],
    [#""sender":"alice ""#], [#""sender":null"#, #""sender":"bob","status":"sent""#],
    [#""sender":"Customer""#, #""sender":"client""#], [#""contactId":"Alice""#, #""contactId":"Bob""#],
    [#""isAgent":true"#, #""isAgent":false"#], [#""senderType":"a""#, #""senderType":"b""#],
    [#""nom":"Alice""#, #""nom":"Bob""#, #""nom":"Carl""#, #""nom":"Dan""#],
    [#""participant":{"id":"Al"}"#, #""participant":{"id":"Bo"}"#],
    [#""meta":{"user":{"name":"Bob"}}"#], [#""extra":{"info":{"sender":"Bob"}}"#],
    [#""payload":{"author":"Al"}"#, #""payload":{"author":"Bo"}"#],
  ])
  func `an unsent message that may be another's is not imported before its author is named`(
    _ fields: [String]
  )
    throws
  {
    let entries = fields.enumerated().map { number, field in
      #"{"id":"e\#(number)","chatId":"c","text":"t\#(number)",\#(field)"#
        + (field.contains("status") ? "}" : #","status":"pending"}"#)
    }
    let list = "[\(entries.joined(separator: ","))]"
    for text in [list, #"{"conversations":[{"id":"c","messages":\#(list)}]}"#] {
      let report = try imported(text)
      #expect((report.queued, report.failed) == (0, 0), "\(text)")
      #expect(report.problems.contains { $0.code == .authorUnknown }, "\(text)")
    }
  }

  // H12.2
  @Test(arguments: [
    #""sent":true"#, #""sentAt":"2026-01-01T00:00:00Z""#, #""state":"sent""#, #""serverId":"x""#,
    #""order":5"#,
  ]) func `of a message that waits and was sent its user decides`(_ field: String) throws {
    let report = try imported(#"[{"id":"a","chatId":"c","text":"one","status":"pending",\#(field)}]"#)
    #expect((report.queued, report.failed) == (0, 1), "\(report)")
  }

  // H12.2
  @Test func `a queue of another account waits until the user says that it is his`() throws {
    let queue = #"[{"id":"q","chatId":"c","text":"mine?","userId":"u-17","retryCount":3}]"#
    let report = try imported(queue)
    #expect((report.queued, report.messages) == (0, 0))
    #expect(report.problems.map(\.code) == [.authorUnknown])
    #expect(try imported(queue, as: "again.json", ImportAuthors(me: "u-17")).queued == 1)
  }

  // H12.2
  @Test(arguments: ["pending-messages.json", "my message queue.json", "Outbox.json", "offlineQueue.json"])
  func `a list of texts is a queue when its file is called one`(_ name: String) throws {
    let list = #"[{"id":"a","chatId":"c","text":"one"},{"id":"b","chatId":"c","text":"two"}]"#
    #expect(try imported(list, as: name).queued == 2)
    #expect(try imported(both(#""user":"NAME""#), as: name).queued == 0)
    let other = list.replacingOccurrences(of: #""id":""#, with: #""id":"x"#)
    for name in ["spending.json", "sent-queue.json", "no-pending-messages-these-were-sent.json"] {
      #expect(try imported(other, as: name).queued == 0)
    }
  }

  // H12.1
  @Test(arguments: ["", #","localId":"l1""#, #","tempId":7"#, #","priority":1"#])
  func `a list of texts that does not say that they are unsent was sent`(_ more: String) throws {
    let list = #"[{"id":"a","chatId":"c","text":"one"\#(more)},{"id":"b","chatId":"c","text":"two"\#(more)}]"#
    let report = try imported(list)
    #expect((report.format, report.queued, report.messages) == (.messages, 0, 2))
  }

  // H12.2
  @Test func `where others wrote too, a field of a queue alone sends nothing`() throws {
    let list =
      #"[{"id":"a","chatId":"c","text":"one","retries":1,"sender":"\#(me)"},"#
      + #"{"id":"b","chatId":"c","text":"two","sender":"bob"}]"#
    let report = try imported(list)
    #expect((report.queued, report.failed, report.messages) == (0, 1, 1))
  }

  // H12.1, H14
  @Test func `damaged lists of two people queue nothing`() throws {
    let count = ProcessInfo.processInfo.environment["HOLDFAST_DAMAGED_LISTS"].flatMap(Int.init) ?? 2_000
    let lists = Self.fields.flatMap {
      [both($0), both($0, #","retryCount":0"#), both($0, #","status":"sent""#)]
    }
    var dice = SeededRandom(seed: 63)
    for number in 0..<count {
      var bytes = Array(lists[number % lists.count].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let at = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0...3, using: &dice) {
        case 0: bytes[at] = UInt8.random(in: 32...126, using: &dice)
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(UInt8.random(in: 32...126, using: &dice), at: at)
        default: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &dice)))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do {
        let report = try client.importHistory(from: Data(bytes))
        try #require(report.queued == 0, "\(String(decoding: bytes, as: UTF8.self))")
      } catch let error as ChatError {
        #expect(error.code == .fileUnrecognized)
      }
    }
  }

  // H9.4
  @Test(arguments: [
    #""images":["data:image/png;base64,\#(String(repeating: "A", count: 3_001))"]"#,
    #""picture":"data:image/png;base64,iVBORw0KGgo=""#,
    #""image":{"url":"DATA:image/png;base64,iVBORw0KGgo="}"#,
  ])
  func `a picture inside of a message is reported when it does not come along`(_ picture: String) throws {
    let report = try imported(#"{"messages":[{"role":"user","content":"what is this?",\#(picture)}]}"#)
    #expect(report.messages == 1)
    #expect(report.problems.map(\.code) == [.attachmentsLeftOut])
  }
}
