import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRescue
@testable import HoldfastStore

private typealias eg = EngineExample

/// Data that other apps left: sent messages are never sent again, no unsent message is lost, and the report is true
/// (rules H12 to H16).
@Suite(.timeLimit(.minutes(10))) struct OldDataTests {
  private let bench: Bench

  init() throws { bench = try Bench(inMemory: true) }

  private func bring(_ text: String, _ client: ChatClient, named source: String? = nil) throws -> ImportReport
  {
    try client.importHistory(from: Data(text.utf8), named: source)
  }

  private func history(_ messages: String, id: String = "c", _ fields: String = "") -> String {
    #"{"conversations":[{"id":"\#(id)"\#(fields),"messages":[\#(messages)]}]}"#
  }

  private func rows(_ client: ChatClient, in id: ConversationID = "c") throws -> [MessageRow] {
    try client.reader.conversation(id, limit: 1000).rows
  }

  private func texts(_ client: ChatClient, in id: ConversationID = "c") throws -> [String] {
    try rows(client, in: id).map(\.text)
  }

  /// Expects that a second import changes nothing.
  private func expectNothingNew(_ text: String, _ client: ChatClient, _ first: ImportReport) throws {
    let again = try bring(text, client)
    #expect((again.newMessages, again.conversations) == (0, 0), "\(again)")
    #expect(again.alreadyHere == first.newMessages + first.alreadyHere, "\(again)")
  }

  // MARK: H12

  // H12.1
  @Test(arguments: [
    #"[{"id":"m1","conversationId":"c","role":"user","content":"q","status":"delivered"},"#
      + #"{"id":"m2","conversationId":"c","role":"assistant","content":"a","status":"delivered"}]"#,
    #"[{"messageId":"m3","conversationId":"c","text":"Paris.","sender":"GPT-4","isCreatedByUser":false}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","status":"sent"}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","state":"Read"}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","isSent":true}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","sentAt":1714564800}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","fromMe":false}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","direction":"incoming"}]"#,
    #"[{"id":"m0","chatID":"c","text":"w","sender":"\#(eg.user)","status":"sent"},"#
      + #"{"id":"m1","chatID":"c","text":"x","sender":"carol","status":"pending"}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","role":"user"},{"id":"m2","chatID":"c","text":"y","role":"model"}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","author":{"id":"carol"}}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","status":"SENT","retryCount":2}]"#,
    #"[{"id":"m1","chatID":"c","text":"x","delivery_status":"delivered_to_server"}]"#,
  ])
  func `what was sent, and what others wrote, is never queued`(text: String) throws {
    let client = try bench.client()
    let report = try bring(text, client)
    #expect((report.queued, report.failed) == (0, 0), "\(report)")
    #expect(report.messages > 0 && report.isComplete, "\(report)")
    #expect(try client.outbox.unsentCount() == 0)
    try expectNothingNew(text, client, report)
  }

  // H12.1
  @Test(arguments: ["cancelled", "Canceled", "deleted", "withdrawn"])
  func `what was cancelled is reported, and neither queued nor history`(word: String) throws {
    let client = try bench.client()
    let report = try bring(
      #"[{"id":"q1","chatID":"c","text":"x","status":"\#(word)"},{"id":"q2","chatID":"c","text":"y","tries":1}]"#,
      client)
    #expect((report.queued, report.leftOut) == (1, 1))
    #expect(report.problems.map(\.code) == [.withdrawn])
  }

  // H12.1, H12.3
  @Test(arguments: ["2", #""stage-4""#, #"{"code":1}"#])
  func `of a queued message with a status that nobody here knows, its user decides`(status: String) throws {
    let client = try bench.client()
    let text =
      #"[{"id":"q1","chatID":"c","text":"x","status":\#(status),"retryCount":1},{"id":"q2","chatID":"c","text":"y","status":""}]"#
    let report = try bring(text, client)
    #expect((report.queued, report.failed, report.messages) == (0, 2, 0), "\(report)")
    #expect(try rows(client).first?.status.failure == FailureReason(.outcomeUnknown))
    let history = try bring(
      history(#"{"id":"h","role":"user","content":"z","status":\#(status)}"#, id: "d"), client)
    #expect(
      (history.messages, history.notes.contains { $0.code == .unknownStatus }) == (1, true), "\(history)")
  }

  // H12.1, H12.4
  @Test func `of a queue only what is pending goes out`() throws {
    let client = try bench.client()
    let text =
      #"[{"id":"q1","chatID":"c","text":"a","status":"sent"},{"id":"q2","chatID":"c","text":"b","status":"delivered"},"#
      + #"{"id":"q3","chatID":"c","text":"c","status":"pending"},{"id":"q4","chatID":"c","text":"d","status":"failed"}]"#
    let report = try bring(text, client)
    #expect((report.messages, report.queued, report.failed) == (2, 1, 1), "\(report)")
    #expect(
      try rows(client).map(\.status.state) == [.delivered, .delivered, .failed, .queued])
    #expect(try rows(client)[2].status.failure == FailureReason(.failedBeforeImport))
    try expectNothingNew(text, client, report)
  }

  // H12.2
  @Test func `a queue whose IDs are counted anew in each chat loses nothing`() async throws {
    let client = try bench.client()
    let text =
      #"[{"id":1,"chatID":"a","text":"to a","retries":0},{"id":1,"chatID":"b","text":"to b","retries":0},{"id":0,"chatID":"c","text":"c one","retries":0},"#
      + #"{"id":0,"chatID":"c","text":"c two","retries":0},{"id":"q","chatID":"c","text":"c three","retries":0},{"id":"q","chatID":"c","text":"c four","retries":0}]"#
    let report = try bring(text, client)
    #expect(report.queued == 6, "\(report)")
    #expect(try client.unsentBodies() == ["to a", "to b", "c one", "c two", "c three", "c four"])
    try expectNothingNew(text, client, report)
    for row in try rows(client) { try await client.message(row.id).cancel() }
    #expect(try bring(text, client).alreadyHere == 6, "What was cancelled does not come again.")
  }

  // H12.3, H12.4, L4
  @Test func `unsent, failed and cut off entries of a history are shown as that, with their actions`() throws
  {
    try Bench.simulate(window: 4, inMemory: true) { bench in
      try await bench.running { client in
        let text =
          #"{"conversations":[{"id":"c","members":["\#(eg.user)","\#(eg.other)"],"messages":["#
          + #"{"id":"a","role":"user","content":"sent","status":"delivered"},"#
          + #"{"id":"b","role":"assistant","content":"half","status":"streaming"},"#
          + #"{"id":"d","role":"user","content":"failed","status":"failed"},"#
          + #"{"id":"e","role":"assistant","content":"","status":"failed"},"#
          + #"{"id":"f","role":"user","content":"queued","status":"queued"}]}]}"#
        let report = try client.importHistory(from: Data(text.utf8))
        bench.transport.say(.ready)
        try await bench.pass(.seconds(5))
        guard (report.messages, report.queued, report.failed, report.interrupted) == (1, 1, 1, 2) else {
          throw Missed("\(report)")
        }
        let rows = try client.reader.conversation("c", limit: 9).rows
        guard rows.map(\.text) == ["sent", "half", "failed", "", "queued"] else {
          throw Missed("\(rows.map(\.text))")
        }
        guard rows[1].status.state == .interrupted,
          rows[2].status.failure == FailureReason(.failedBeforeImport),
          rows[3].status.failure == FailureReason(.replyFailedBeforeImport), rows[4].status.state == .held
        else { throw Missed("\(rows)") }
        guard bench.transport.sent.isEmpty, try client.held.snapshot().isAsked else {
          throw Missed("not asked")
        }
        try client.outbox.answerHeld(.send)
        try await bench.pass(.seconds(5))
        guard bench.transport.sent.map(\.id) == ["f"] else { throw Missed("\(bench.transport.sent)") }
        let again = try client.importHistory(from: Data(text.utf8))
        guard (again.alreadyHere, again.newMessages) == (5, 0) else { throw Missed("\(again)") }
      }
    }
  }

  // H12.3, H9
  @Test func `an own export moves queued messages to another store, where they wait for their user`() throws {
    let first = try bench.client()
    try first.createConversation("c", members: [eg.other])
    let id = try first.send("not yet", in: "c")
    let file = bench.scratch.url.appendingPathComponent("own.json")
    try first.exportHistory(to: file)
    let other = try Bench(inMemory: true).client()
    let report = try other.importHistory(from: file)
    #expect((report.queued, report.messages, report.isComplete) == (1, 0, true), "\(report)")
    #expect(try rows(other).map(\.id) == [id])
    #expect(try rows(other).map(\.status.state) == [.held])
  }

  // MARK: H16

  // H16.2
  @Test(arguments: [
    #"[{"id":"q1","chatID":"c","text":"waits","retries":0}]"#,
    #"{"conversations":[{"id":"c","messages":[{"id":"m","role":"user","content":"old"},{"id":"q1","role":"user","content":"waits","status":"queued"}]}]}"#,
  ])
  func `a queue waits until the app has made its conversation with the members`(text: String) throws {
    try Bench.simulate(window: 4, inMemory: true) { bench in
      try await bench.running { client in
        bench.transport.say(.ready)
        try await bench.pass(.milliseconds(110))
        let report = try client.importHistory(from: Data(text.utf8))
        guard report.notes.contains(where: { $0.code == .membersUnknown }) else { throw Missed("\(report)") }
        if try client.held.snapshot().count > 0 { try client.outbox.answerHeld(.send) }
        try await bench.pass(.seconds(60))
        guard bench.transport.sent.isEmpty else { throw Missed("It was sent to nobody.") }
        let refusal = try client.reader.conversation("c", limit: 1).refusal
        guard refusal == FailureReason(.membersUnknown) else { throw Missed("\(refusal as Any)") }
        try client.createConversation("c", members: [eg.user, eg.other])
        try await bench.pass(.seconds(5))
        guard bench.transport.sent.map(\.id) == ["q1"] else { throw Missed("\(bench.transport.sent)") }
        guard bench.transport.sent.first?.members == [eg.user, eg.other] else {
          throw Missed("\(bench.transport.sent.first?.members as Any)")
        }
      }
    }
  }

  // H16.1
  @Test
  func `the members that the app names later are completed, until the server has heard of the conversation`()
    throws
  {
    let client = try bench.client()
    _ = try bring(history(#"{"id":"m","role":"user","content":"x"}"#), client)
    _ = try bring(#"{"draftInput":"half","draftInputSessionId":"d"}"#, client)
    for id in ["c", "d"] as [ConversationID] {
      try client.createConversation(id, members: [eg.other])
      #expect(try client.store.read { try $0.conversations.stored(id.key)?.members } == [eg.user, eg.other])
    }
    try client.store.write { try $0.conversations.markConfirmed("c") }
    try client.createConversation("c", members: ["carol"])
    #expect(try client.store.read { try $0.conversations.stored("c")?.members } == [eg.user, eg.other])
  }

  // MARK: H15

  // H15.1
  @Test func `what is imported is read`() throws {
    let client = try bench.client()
    let text = history(
      #"{"id":"a","role":"user","content":"1","sender":"\#(eg.other)","order":1},"#
        + #"{"id":"b","role":"user","content":"2","sender":"\#(eg.other)","order":2},"#
        + #"{"id":"d","role":"user","content":"3","sender":"\#(eg.other)"}"#, id: "c",
      #","title":"T""#)
    _ = try bring(text, client)
    #expect(try client.reader.list(limit: 9).rows.first { $0.id == "c" }?.unreadCount == 0)
  }

  // H15.2
  @Test func `two files of one conversation are ordered by their dates, and the list follows the newest`()
    throws
  {
    let client = try bench.client()
    func month(_ number: Int) -> String {
      let messages = (1...3).map { day in
        #"{"id":"\#(number)-\#(day)","role":"user","content":"\#(number)/\#(day)","timestamp":"2025-0\#(number)-0\#(day)T00:00:00Z"}"#
      }
      return history(messages.joined(separator: ","), id: "chat")
    }
    let other = history(
      #"{"id":"o","role":"user","content":"o","timestamp":"2025-03-15T00:00:00Z"}"#, id: "other")
    for text in [month(2), other, month(4), month(1), month(3)] {
      #expect(try bring(text, client).isComplete)
    }
    let expected = (1...4).flatMap { month in (1...3).map { "\(month)/\($0)" } }
    #expect(try texts(client, in: "chat") == expected)
    let list = try client.reader.list(limit: 9).rows.filter { $0.id != eg.conversation }
    #expect(list.map(\.id) == ["chat", "other"])
    #expect(list.first?.updatedAt == Date(timeIntervalSince1970: 1_743_638_400))
    for text in [month(2), month(4), month(1), month(3)] { #expect(try bring(text, client).alreadyHere == 3) }
    #expect(try texts(client, in: "chat") == expected)
  }

  // MARK: H14

  // H14.2
  @Test func `messages of one ID and different texts are all kept`() throws {
    let client = try bench.client()
    let text = history(
      ["one", "two", "three"].map { #"{"id":0,"role":"user","content":"\#($0)"}"# }.joined(separator: ",")
        + #",{"id":1,"role":"user","content":"four"},{"id":2,"role":"user","content":"five"}"#)
    let report = try bring(text, client)
    #expect((report.messages, report.isComplete) == (5, true), "\(report)")
    #expect(report.notes.first { $0.code == .sameID }?.count == 2)
    #expect(try texts(client) == ["one", "two", "three", "four", "five"])
    try expectNothingNew(text, client, report)
  }

  // H14.2
  @Test func `conversations of two apps that count from 1 are not mixed`() throws {
    let client = try bench.client()
    func app(_ name: String) -> String {
      #"{"conversations":[{"id":1,"title":"\#(name)","messages":[{"id":1,"role":"user","content":"in \#(name)"}]}]}"#
    }
    _ = try bring(app("first"), client)
    let second = try bring(app("second"), client)
    #expect(second.conversations == 1 && second.notes.contains { $0.code == .keptApart }, "\(second)")
    let titles = try client.reader.list(limit: 9).rows.map(\.title).filter { $0 != "bob" }
    #expect(Set(titles) == ["first", "second"])
    #expect(try texts(client, in: "1") == ["in first"])
    for name in ["first", "second"] {
      try expectNothingNew(app(name), client, ImportReport(.history, messages: 1))
    }
    let third = try bring(app("first"), client, named: "Other")
    #expect(third.conversations == 1)
    #expect(try texts(client, in: "Other:1") == ["in first"])
  }

  // H14.2
  @Test(arguments: [
    #""title":"New chat","createdAt":"2024-0#-01T00:00:00Z","#, #""create_time":171#000000,"#, "",
  ])
  func `conversations that count from 1 and look alike are distinguished by their dates, or their beginnings`(
    head: String
  ) throws {
    let client = try bench.client()
    let files = (1...2).map { app in
      let head = head.replacingOccurrences(of: "#", with: "\(app)")
      return
        #"{"conversations":[{"id":1,\#(head)"messages":[{"id":1,"role":"user","content":"in \#(app)"}]}]}"#
    }
    for file in files { #expect(try bring(file, client).conversations == 1) }
    #expect(try texts(client, in: "1") == ["in 1"])
    for file in files { try expectNothingNew(file, client, ImportReport(.history, messages: 1)) }
  }

  // H14.3
  @Test(arguments: [
    (
      #"{"id":"x","role":"assistant","content":"a long answer \ud83d and its end"}"#,
      "a long answer \u{FFFD} and its end"
    ),
    (#"{"id":"x","role":"assistant","content":"\udc00 low first"}"#, "\u{FFFD} low first"),
    (#"{"id":"x","role":"user","content":[{"type":"text","text":"look"}]}"#, "look"),
    (
      #"{"id":"x","role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},"b"]}"#,
      "a\nb"
    ),
    (#"{"id":"x","role":"user","content":null,"text":"kept"}"#, "kept"),
    (#"{"id":"x","role":"moderator","content":"hello"}"#, "hello"),
    (#"{"id":"x","role":7,"content":"hello"}"#, "hello"),
  ])
  func `the text of an odd entry comes`(entry: String, text: String) throws {
    let client = try bench.client()
    let report = try bring(history(entry), client)
    #expect(report.messages == 1, "\(report)")
    #expect(try texts(client) == [text])
  }

  // H14.3
  @Test(arguments: [
    #""images":"no list""#, #""reasoning":5"#, #""timestamp":true"#, #""status":7"#, #""metadata":5"#,
    #""replyTo":{}"#,
    #""reactions":[1]"#, #""order":"x""#, #""attachments":[{"checksum":1}]"#,
  ])
  func `an optional field of another type costs no text`(field: String) throws {
    let client = try bench.client()
    let report = try bring(history(#"{"id":"x","role":"user","content":"kept",\#(field)}"#), client)
    #expect(report.messages == 1, "\(report)")
    #expect(try texts(client) == ["kept"])
    #expect(report.problems.allSatisfy { [.fieldLeftOut, .dateUnreadable].contains($0.code) })
  }

  // H14.3
  @Test func `an unknown role is a sender`() throws {
    let client = try bench.client()
    _ = try bring(history(#"{"id":"x","role":"moderator","content":"hello"}"#), client)
    #expect(try rows(client).map(\.sender) == ["moderator"])
  }

  // H14.4
  @Test func `a later file with the whole reply replaces its beginning, unless it was changed here`()
    async throws
  {
    let client = try bench.client()
    func reply(_ text: String, _ status: String) -> String {
      history(#"{"id":"r","role":"assistant","content":"\#(text)","status":"\#(status)"}"#)
    }
    _ = try bring(reply("Par", "streaming"), client)
    let whole = try bring(reply("Paris is it.", "delivered"), client)
    #expect((whole.replaced, whole.messages) == (1, 0), "\(whole)")
    #expect(try rows(client).map(\.text) == ["Paris is it."])
    #expect(try rows(client).map(\.status.state) == [.delivered])
    #expect(try bring(reply("Par", "streaming"), client).alreadyHere == 1)
    #expect(try bring(reply("Paris is it.", "delivered"), client).alreadyHere == 1)
  }

  // H14.5
  @Test(arguments: [
    #"{"conversations":[{"id":"g","title":"Trip"}]}"#,
    #"{"conversations":[{"id":"g","title":"Trip","entries":[{"a":1}]}]}"#,
    #"{"conversations":[{"id":"g","messages":"none"}]}"#,
  ])
  func `a conversation whose messages are in no known form is reported, and is no empty chat`(text: String)
    throws
  {
    let client = try bench.client()
    let report = try bring(text, client)
    #expect((report.conversations, report.isComplete, report.leftOut) == (0, false, 1), "\(report)")
  }

  // MARK: H13

  // H13.4
  @Test(arguments: [
    "{\"a\":1}", "[1,2,3]", #"{"id":"x","title":"t"}"#, #"{"theme":"dark","draftInput":"x"}"#,
    #"{"activeConversationID":"x","fontSize":12}"#, #"{"editor":{"text":"x"},"version":2}"#,
    #"[{"name":"x"}]"#,
  ])
  func `an unknown file is refused with what was looked for`(text: String) throws {
    let client = try bench.client()
    let error = #expect(throws: ChatError.self) { try bring(text, client) }
    #expect(error?.code == .fileUnrecognized)
    #expect(error?.message.contains("ChatGPT") == true)
  }
}

extension ImportReport {
  fileprivate init(_ format: ImportFormat, messages: Int) {
    self.init(format)
    self.messages = messages
  }
}
