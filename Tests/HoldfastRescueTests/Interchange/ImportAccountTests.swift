import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue

/// The report about files that no app should write: each of their entries is counted in one of its numbers.
@Suite(.timeLimit(.minutes(10))) struct ImportAccountTests {
  private let client: ChatClient

  init() throws { client = try Bench(carriesAttachments: true, inMemory: true).client() }

  private func imported(_ text: String) throws -> ImportReport {
    try client.importHistory(from: Data(text.utf8))
  }

  private func texts(in id: ConversationID) throws -> [String] {
    try client.reader.conversation(id, limit: 100).rows.map(\.text)
  }

  // H9.4
  @Test func `a conversation whose messages are none is left out once`() throws {
    let report = try imported(
      #"{"conversations":[{"id":"c","createdAt":"2026-01-01T10:00:00Z","messages":7}]}"#)
    #expect((report.leftOut, report.messages, report.conversations) == (1, 0, 0))
    #expect(Set(report.problems.map(\.code)) == [.wrongFields, .messagesMissing])
  }

  // H9.4
  @Test
  func `messages at a second place of a conversation are reported, and a list beside a tree is its copy`()
    throws
  {
    let twice =
      #"{"id":"a","messages":[{"role":"user","content":"1"}],"chat_messages":[{"sender":"human","text":"2"}]}"#
    let report = try imported(twice)
    #expect((report.messages, report.problems.map(\.code)) == (1, [.fieldLeftOut]))
    let list = #""messages":[{"role":"user","content":"one"}]"#
    let copy = #"[{"id":"b","chat":{"history":{"messages":{"w":{"role":"user","content":"one"}}},\#(list)}}]"#
    #expect(try imported(copy).isComplete)
    let empty = #"[{"id":"d","chat":{"history":{"messages":{}},\#(list)}}]"#
    #expect(try (imported(empty).messages, texts(in: "d")) == (1, ["one"]), "An empty tree hides no list.")
  }

  // H9.4
  @Test func `a tree of nodes without messages hides no list, and a node may be a message`() throws {
    let list = #""messages":[{"role":"user","content":"one"}]"#
    let roots = #"[{"id":"a","mapping":{"r":{"id":"r","message":null,"children":["x"]}},\#(list)}]"#
    #expect(try (imported(roots).messages, texts(in: "a")) == (1, ["one"]))
    let nodes =
      #"{"w0":{"role":"user","content":"one"},"w1":{"role":"assistant","content":"two","parentId":"w0"}}"#
    let report = try imported(
      #"[{"id":"b","chat":{"history":{"mapping":\#(nodes),"currentId":"w1"},\#(list)}}]"#)
    #expect((report.messages, report.isComplete) == (2, true))
    #expect(try texts(in: "b") == ["one", "two"])
  }

  // H9.4
  @Test func `conversations whose first one looks like a message come, also beside drafts`() throws {
    let other = #"{"id":"b","messages":[{"role":"user","content":"x"}]}"#
    let report = try imported(#"{"conversations":[{"conversationId":"a","status":"new"},\#(other)]}"#)
    #expect((report.messages, report.leftOut, report.problems.map(\.code)) == (1, 1, [.messagesMissing]))
    let drafts = #""drafts":[{"text":"later","conversation":"c","savedAt":"2026-01-01T10:00:00Z"}]"#
    let beside = try imported(#"{"conversations":[{"role":"user","content":"y"}],\#(drafts)}"#)
    #expect((beside.drafts, beside.leftOut, beside.problems.map(\.code)) == (1, 1, [.messagesMissing]))
    let turns = #"[{"from":"human","value":"x"},{"from":"gpt","value":"y","history":{}}]"#
    #expect(try imported(#"{"conversations":\#(turns)}"#).messages == 2, "Turns stay turns.")
  }

  // H9.4
  @Test func `a list of conversations that is empty is reported`() throws {
    for other in [#""sessions":[{"text":"x","savedAt":1}]"#, #""chats":{"x":7}"#] {
      let report = try imported(#"{"conversations":[],\#(other)}"#)
      #expect(report.problems.map { "\($0.entry) \($0.code.rawValue)" } == ["file fieldLeftOut"])
    }
    #expect(try imported(#"{"conversations":[],"sessions":[],"chats":{},"threads":null}"#).isComplete)
  }

  // H9.4
  @Test func `the answers inside of a message come, whatever else is inside of it`() throws {
    let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    let inner = #"{"messageId":"2","text":"two","isCreatedByUser":true}"#
    let report = try imported(
      #"{"conversationId":"c","messages":[{"messageId":"1","isCreatedByUser":false,"text":"one","children":[null,\#(inner)]},"#
        + #"{"messageId":"3","x":\#(deep),"children":[{"messageId":"4","text":"four"}]}]}"#)
    #expect(report.messages + report.unshown + report.leftOut == 5)
    #expect(Set(report.problems.map(\.code)) == [.wrongFields, .tooDeep])
  }

  // H9.4, H10.5
  @Test func `the beginning of a reply stays one when another message has its ID`() throws {
    let file = #"""
      {"conversations":[{"id":"c","messages":[
        {"role":"assistant","id":"m","content":"","reasoning":"why","error":true},{"role":"tool","id":"m","content":"x"},
        {"role":"assistant","id":"n","content":"ha","status":"failed"},{"role":"assistant","id":"n","content":"half"}]}]}
      """#
    let report = try imported(file)
    #expect((report.interrupted, report.replaced, report.messages) == (2, 1, 1))
    let again = try imported(file)
    #expect((again.alreadyHere, again.newMessages) == (4, 0))
  }

  // H9.4, H10.5
  @Test(arguments: [
    #"{"role":"assistant","id":"m","content":"ha"}"#, #"{"role":"tool","id":"m","content":"ha"}"#,
  ])
  func `a message with the text of a beginning is its end, or another role's, and comes once`(
    middle: String
  ) throws {
    let file = #"""
      {"conversations":[{"id":"c","messages":[{"role":"assistant","id":"m","content":"ha","status":"interrupted"},
        \#(middle),{"role":"assistant","id":"m","content":"half"}]}]}
      """#
    let report = try imported(file)
    #expect((report.interrupted, report.replaced, report.messages, report.alreadyHere) == (1, 1, 1, 0))
    let stored = try texts(in: "c")
    #expect(stored.sorted() == ["ha", "half"])
    let again = try imported(file)
    #expect((again.alreadyHere, again.newMessages, again.replaced) == (3, 0, 0))
    #expect(try texts(in: "c") == stored)
  }

  // H10.5
  @Test func `of two names for one field the same one counts each time`() {
    for count in 0..<60 {
      var object = Dictionary(uniqueKeysWithValues: (0..<count).map { ("field \($0)", JSONValue.null) })
      object["_id"] = .text("other")
      object["id"] = .text("own")
      (object["Created_At"], object["created-at"]) = (.null, .integer(1))
      let fields = LooseFields(object)
      #expect((fields.text("id"), fields["createdat"]) == ("own", .integer(1)))
    }
  }

  // H10.2, H10.4, H9.4
  @Test func `what is behind a queue or behind drafts is imported, or reported`() throws {
    let lines = try imported(
      #"[{"id":"1","chatID":"c","text":"one","tries":0}]"# + "\n"
        + #"[{"id":"2","chatID":"c","text":"two","tries":0}]"#)
    #expect((lines.queued, lines.isComplete) == (2, true))
    #expect(try !imported(#"[{"id":"3","chatID":"c","text":"three","tries":0}]]"#).isComplete)
    let drafts = try imported(#"{"p":{"text":"one","savedAt":790000000}}{"q":{"text":"two"}}"#)
    #expect((drafts.drafts, drafts.problems.map(\.code)) == (1, [.malformed]))
  }

  // H9.4
  @Test func `conversations within conversations take no longer than others, at any depth`() throws {
    for part in [#"{"messages":["#, #"{"conversations":["#, #"{"chat":{"messages":["#] {
      let end = String(part.reversed()).compactMap { ["{": "}", "[": "]"][$0] }.joined()
      for depth in [20, 1_000, 20_000] {
        let tower = String(repeating: part, count: depth) + String(repeating: end, count: depth)
        let report = try? imported(#"{"conversations":[{"id":"c","x":\#(tower)},\#(tower)]}"#)
        #expect(report?.isComplete == false, "\(part) \(depth)")
      }
    }
  }

  // H9.4
  @Test func `heads within heads are passed`() throws {
    let tower = String(repeating: #"{"chat":"#, count: 50_000) + "{}" + String(repeating: "}", count: 50_000)
    let report = try imported(
      #"{"conversations":[\#(tower),{"id":"c","messages":[{"role":"user","content":"x"}]}]}"#)
    #expect((report.messages, report.leftOut) == (1, 1))
  }

  // H9.4
  @Test func `a thousand answers within each other fit into the stack of an app's thread`() throws {
    let message = #"{"isCreatedByUser":true,"text":"x","children":["#
    let tower = String(repeating: message, count: 1_000) + String(repeating: "]}", count: 1_000)
    let file = Data(#"{"conversationId":"c","messages":[\#(tower)]}"#.utf8)
    let (client, report, done) = (client, Mutexed<ImportReport?>(nil), DispatchSemaphore(value: 0))
    let thread = Thread {
      report.withLock { $0 = try? client.importHistory(from: file) }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    #expect(report.withLock { $0?.messages } == 1_000)
  }

  // H9.4
  @Test func `a line that is a word is left out, and the lines around it come`() throws {
    let line = #"{"messages":[{"role":"user","content":"x"}]}"#
    let report = try imported([line, "null", line].joined(separator: "\n"))
    #expect((report.messages, report.leftOut, report.problems.map(\.code)) == (2, 1, [.wrongFields]))
  }
}
