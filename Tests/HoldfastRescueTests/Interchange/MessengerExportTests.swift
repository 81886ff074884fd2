import EngineFixtures
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// The exports of messengers: the newest message first, Facebook, and the rooms of Element (rules H13, H15).
@Suite(.timeLimit(.minutes(10))) struct MessengerExportTests {
  private let client: ChatClient

  init() throws { client = try Bench(inMemory: true).client() }

  /// Imports a file twice, and returns the rows of its conversation.
  @discardableResult
  private func rows(_ text: String, in id: ConversationID = "c") throws -> [MessageRow] {
    let report = try client.importHistory(from: Data(text.utf8))
    #expect(report.isComplete, "\(report)")
    #expect((report.queued, report.failed) == (0, 0))
    let again = try client.importHistory(from: Data(text.utf8))
    #expect(
      (again.newMessages, again.conversations, again.alreadyHere) == (0, 0, report.newMessages), "\(again)")
    return try client.reader.conversation(id, limit: 1_000).rows
  }

  // MARK: The newest first

  /// Messages as letters and seconds, such as `b9 a5 c`. Here `c` has no date.
  private func messages(_ words: String, _ more: String = "", date: String = "timestamp") -> String {
    words.split(separator: " ").map { word in
      let seconds = Int(word.dropFirst()).map { #","\#(date)":\#(1_714_564_800 + $0)"# } ?? ""
      return #"{"id":"\#(word)","text":"\#(word.prefix(1))"\#(seconds)\#(more)}"#
    }.joined(separator: ",")
  }

  private static let orders = [
    ("c9 b5 a1", "abc"), ("d9 c5 b5 a1", "acbd"),
    ("a1 b5 c9", "abc"), ("a1 c9 b5", "acb"), ("b9 a1 c9", "bac"), ("c9 b a1", "cba"), ("a5 b5 c5", "abc"),
    ("c9 b5 a", "cba"), ("a", "a"),
  ]

  // H15.3
  @Test(arguments: orders)
  func `messages whose dates all fall are stored by date, and others as they are`(
    _ words: String, _ order: String
  ) throws {
    let forms = [
      #"{"conversations":[{"id":"c","messages":[LIST]}]}"#,
      #"[{"uuid":"c","chat_messages":[LIST]}]"#, #"{"conversationId":"c","messages":[LIST]}"#,
    ]
    for (number, form) in forms.enumerated() {
      let more = number == 2 ? #","isCreatedByUser":true"# : #","sender":"\#(eg.user)""#
      let client = try Bench(inMemory: true).client()
      let file = form.replacingOccurrences(of: "LIST", with: messages(words, more))
      let report = try client.importHistory(from: Data(file.utf8))
      #expect(report.isComplete, "\(report)")
      let rows = try client.reader.conversation("c", limit: 100).rows
      #expect(rows.map(\.text).joined() == order, "\(form)")
      #expect(try client.importHistory(from: Data(file.utf8)).newMessages == 0)
    }
  }

  // H15.3
  @Test func `a list of several conversations is turned where their dates fall`() throws {
    let list = ["c|c9", "d|x1", "c|b5", "d|y5", "c|a1", "d|z9"].map { word -> String in
      let (id, words) = (word.prefix(1), String(word.dropFirst(2)))
      return messages(words, #","chatId":"\#(id)","sender":"bob""#)
    }
    try rows("[\(list.joined(separator: ","))]")
    for (id, order) in [("c", "abc"), ("d", "xyz")] {
      let rows = try client.reader.conversation(ConversationID(rawValue: id), limit: 9).rows
      #expect(rows.map(\.text).joined() == order)
    }
  }

  // H15.3, H9.3
  @Test func `a long file with the newest first is turned, one message at a time`() throws {
    let words = (0..<3_000).reversed().map { "m\($0)" }.joined(separator: " ")
    let rows = try rows(
      #"{"conversations":[{"id":"c","messages":[\#(messages(words, #","role":"user""#))]}]}"#)
    #expect(rows.last?.id == "m2999")
    #expect(rows.first?.id == "m2000")
  }

  // H15.3, H9.5
  @Test func `an export of this engine keeps its order, whatever its dates are`() throws {
    let list = messages("b9 a1", #","role":"user","images":[],"videos":[]"#)
    let rows = try rows(#"{"conversations":[{"id":"c","title":"","members":["bob"],"messages":[\#(list)]}]}"#)
    #expect(rows.map(\.text) == ["b", "a"])
  }

  // MARK: Facebook

  private func facebook(_ messages: String) -> String {
    #"{"participants":[{"name":"Ren\u00c3\u00a9"},{"name":"Bob"}],"messages":[\#(messages)],"title":"Ren\u00c3\u00a9","#
      + #""is_still_participant":true,"thread_path":"inbox/rene_17","magic_words":[]}"#
  }

  // H13.9, H15.3
  @Test func `a conversation of Facebook is read, from its first message to its last`() throws {
    let rows = try rows(
      facebook(
        #"{"sender_name":"Bob","timestamp_ms":1714564803000,"content":"\u00f0\u009f\u0098\u0080 bye","type":"Generic","reactions":[{"reaction":"\u00e2\u009d\u00a4","actor":"Ren\u00c3\u00a9"}]},"#
          + #"{"sender_name":"Bob","timestamp_ms":1714564802000,"photos":[{"uri":"messages/inbox/x/photos/1.jpg","creation_timestamp":1}],"is_unsent":false},"#
          + #"{"sender_name":"Bob","timestamp_ms":1714564801000,"is_unsent":true},"#
          + #"{"sender_name":"Bob","timestamp_ms":1714564800700,"is_geoblocked_for_viewer":false},"#
          + #"{"sender_name":"Bob","timestamp_ms":1714564800500,"content":"Look","share":{"link":"https://a.example"}},"#
          + #"{"sender_name":"Ren\u00c3\u00a9","timestamp_ms":1714564800000,"content":"d\u00c3\u00a9j\u00c3\u00a0"}"#
      ),
      in: "inbox/rene_17")
    #expect(rows.map(\.text) == ["déjà", "Look\nhttps://a.example", "", "[1.jpg]", "😀 bye"])
    #expect(rows.map(\.sender) == ["René", "Bob", "Bob", "Bob", "Bob"])
    #expect(rows[2].isDeleted)
    #expect(rows[0].createdAt == Date(timeIntervalSince1970: 1_714_564_800))
    #expect(rows[4].reactions.map(\.value) == ["❤"])
    #expect(try client.reader.list(limit: 9).rows.contains { $0.title == "René" })
  }

  // H13.9
  @Test func `texts are decoded only where the whole file is written so`() throws {
    let rows = try rows(
      facebook(
        #"{"sender_name":"Bob","timestamp_ms":1714564801000,"content":"Ã© — really"},"#
          + #"{"sender_name":"Bob","timestamp_ms":1714564800000,"content":"Ren\u00c3\u00a9"}"#),
      in: "inbox/rene_17")
    #expect(rows.map(\.text) == ["RenÃ©", "Ã© — really"])
  }

  // H13.9
  @Test func `a conversation of Messenger as it is written since is read`() throws {
    try rows(
      #"{"participants":["A","B"],"threadName":"A_1","messages":[{"isUnsent":false,"media":[{"uri":"./media/a.png"}],"reactions":[],"senderName":"A","text":"é","timestamp":1714564801000,"type":"media"},"#
        + #"{"isUnsent":true,"media":[],"reactions":[],"senderName":"B","text":"","timestamp":1714564800000,"type":"text"}]}"#
    )
    let id = try #require(try client.reader.list(limit: 9).rows.first { $0.title == "A_1" }?.id)
    let rows = try client.reader.conversation(id, limit: 9).rows
    #expect(rows.map(\.text) == ["", "é"])
    #expect(rows[0].isDeleted)
  }

  // MARK: Element

  private func event(_ id: String, _ content: String, _ more: String = "", type: String = "m.room.message")
    -> String
  {
    let number = Int(id.drop { !$0.isNumber }) ?? 0
    return
      #"{"type":"\#(type)","event_id":"\#(id)","room_id":"!r:x","sender":"@\#(id.prefix(1)):x","#
      + #""origin_server_ts":\#(1_714_564_800_000 + number),"content":\#(content)\#(more)}"#
  }

  private func text(_ text: String, _ more: String = "") -> String {
    #"{"msgtype":"m.text","body":"\#(text)"\#(more)}"#
  }

  private func edit(_ id: String, of target: String, _ text: String) -> String {
    event(
      id,
      self.text(
        "* \(text)",
        #","m.new_content":\#(self.text(text)),"m.relates_to":{"rel_type":"m.replace","event_id":"\#(target)"}"#
      ))
  }

  private func element(_ events: [String]) -> String {
    #"{"room_name":"Garden","room_creator":"a","topic":"","export_date":"x","exported_by":"a","messages":[\#(events.joined(separator: ",\n"))]}"#
  }

  // H13.10
  @Test func `a room of Element is read, with its edits, deletions and answers`() throws {
    let rows = try rows(
      element([
        event("a1", #"{"creator":"@a:x"}"#, type: "m.room.create"),
        event("a2", #"{"membership":"join"}"#, type: "m.room.member"), event("a3", text("at 8")),
        event("b4", text("> <@a:x> at 8\\n\\nyes", #","m.relates_to":{"m.in_reply_to":{"event_id":"a3"}}"#)),
        edit("a5", of: "a3", "at 9"), edit("a6", of: "a3", "at 10"), edit("b7", of: "a3", "never"),
        event("a8", "{}", #","redacts":"a6""#, type: "m.room.redaction"),
        event(
          "b9", #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"a3","key":"👍"}}"#, type: "m.reaction"
        ),
        event("b10", "{}", #","unsigned":{"redacted_because":{"origin_server_ts":1714564800099}}"#),
        event("b11", text("gone")), event("a12", #"{"redacts":"b11"}"#, type: "m.room.redaction"),
        event("b13", #"{"msgtype":"m.image","body":"a.png","url":"mxc://x/y"}"#),
        event("b14", #"{"msgtype":"m.file","body":"look","filename":"a.pdf"}"#),
        edit("a15", of: "a0", "before the export"),
      ]), in: "!r:x")
    #expect(rows.map(\.text) == ["at 9", "yes", "", "", "[a.png]", "look", "before the export"])
    #expect(rows.map(\.sender.rawValue).map { $0.prefix(2) } == ["@a", "@b", "@b", "@b", "@b", "@b", "@a"])
    #expect(rows.map(\.isDeleted) == [false, false, true, true, false, false, false])
    #expect(rows[1].replyTo == "a3")
    #expect(rows[0].editedAt != nil && rows[1].editedAt == nil)
    #expect(rows[0].reactions.map(\.value) == ["👍"])
    #expect(try client.reader.list(limit: 9).rows.contains { $0.title == "Garden" })
  }

  // H13.10, H15.3
  @Test func `a room with the newest event first is turned, and a longer export is the same room`() throws {
    let events = [event("a1", text("one")), event("b2", text("two")), edit("a3", of: "a1", "1")]
    #expect(try rows(element(events.reversed()), in: "!r:x").map(\.text) == ["1", "two"])
    let longer = element(events + [event("b4", text("four"))])
    #expect(try client.importHistory(from: Data(longer.utf8)).messages == 1)
    #expect(try client.reader.conversation("!r:x", limit: 9).rows.map(\.text) == ["1", "two", "four"])
  }

  // H13.9, H13.10
  @Test func `messages of a messenger without a head are one conversation`() throws {
    let events = "[\(event("a2", text("two"))),\(event("a1", text("one")))]"
    try rows(events, in: "!r:x")
    let list =
      #"[{"sender_name":"Bob","timestamp_ms":1714564801000,"content":"last"},{"sender_name":"Bob","timestamp_ms":1714564800000,"content":"first"}]"#
    try rows(list, in: "none")
    let conversations = try client.reader.list(limit: 9).rows.filter { $0.id != eg.conversation }
    let texts = try conversations.map { try client.reader.conversation($0.id, limit: 9).rows.map(\.text) }
    #expect(Set(texts) == [["one", "two"], ["first", "last"]])
  }

  // H9.4, H13.9, H13.10
  @Test func `damaged exports of messengers come once, and nothing of them is sent`() throws {
    let whole = [
      facebook(
        #"{"sender_name":"Bob","timestamp_ms":1714564803000,"content":"\u00f0\u009f\u0098\u0080","is_unsent":true,"share":{"link":"l"}},"#
          + #"{"sender_name":"alice","timestamp_ms":1714564802000,"photos":[{"uri":"a/1.jpg"}],"is_unsent":false}"#
      ),
      element([
        event("a1", text("at 8")), edit("a2", of: "a1", "at 9"),
        event("a3", "{}", #","redacts":"a1""#, type: "m.room.redaction"),
      ]),
    ].map { Array($0.utf8) }
    var dice = SeededRandom(seed: 15)
    for number in 0..<1_500 {
      var bytes = whole[number % 2]
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        let at = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0...3, using: &dice) {
        case 0: bytes[at] = UInt8.random(in: 32...126, using: &dice)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &dice)))
        case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 30)], at: 0)
        default: bytes[at] = dice.pick(Array(#"{}[]",:"#.utf8)) ?? 0
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do {
        let first = try client.importHistory(from: Data(bytes))
        let again = try client.importHistory(from: Data(bytes))
        try #require(
          (first.queued, again.newMessages, again.conversations) == (0, 0, 0),
          "\(String(decoding: bytes, as: UTF8.self))")
      } catch let error as ChatError { #expect(error.code == .fileUnrecognized) }
    }
  }

  // H13.10
  @Test func `a message that could not be decrypted is reported, and other events are skipped`() throws {
    let report = try client.importHistory(
      from: Data(
        element([
          event("a1", text("one")), event("a2", #"{"algorithm":"m"}"#, type: "m.room.encrypted"),
          event("a3", "{}", type: "org.example.other"),
        ]).utf8))
    #expect((report.messages, report.leftOut, report.problems.map(\.code)) == (1, 1, [.wrongFields]))
    let silent = element([event("b1", "{}", type: "m.room.create").replacingOccurrences(of: "!r", with: "!s")]
    )
    let none = try client.importHistory(from: Data(silent.utf8))
    #expect((none.conversations, none.problems.map(\.code)) == (0, [.messagesMissing]))
  }
}
