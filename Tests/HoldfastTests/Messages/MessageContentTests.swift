import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastRelay
@testable import HoldfastRescue
@testable import HoldfastStore
@testable import HoldfastTransport

private typealias eg = EngineExample

/// A field of a message that one side ignores is lost in transit. The content here has a value in every field.
@Suite(.timeLimit(.minutes(10))) struct MessageContentTests {
  private let whole = MessageContent(
    "Lunch @bob?", formatting: Data([1, 2, 255]), reasoning: "It is noon.", replyTo: "question",
    request: "request", metadata: Data([3]), images: ["https://eg/1.png", "https://eg/2.png"],
    videos: ["https://eg/3.mp4"])

  /// The stored fields of a value, by their names.
  private static func fields(of value: Any) -> [String: AnyHashable] {
    let fields = Mirror(reflecting: value).children.map { ($0.label ?? "", $0.value as? AnyHashable) }
    return Dictionary(uniqueKeysWithValues: fields).compactMapValues { $0 }
  }

  /// The stored fields of the content and of its formatted text.
  private static func fields(of content: MessageContent) -> [String: AnyHashable] {
    fields(of: content as Any).merging(fields(of: content.formattedText as Any)) { $1 }
  }

  @Test func `the content of these tests has a value in every field`() {
    let (fields, blank) = (Self.fields(of: whole), Self.fields(of: MessageContent()))
    #expect(fields.count >= 9)
    for name in Set(fields.keys).union(blank.keys) {
      #expect(fields[name] != blank[name], "\(name) has no value")
    }
  }

  @Test func `a row shows every field of the content, and the answered message as a quote`() throws {
    let client = try Bench().client()
    let row = try client.row(try client.sender.send(whole, in: eg.conversation.key))
    #expect(row.content == whole)
    #expect(row.quote?.id == whole.replyTo)
    let read = try JSONDecoder().decode(MessageRow.self, from: JSONEncoder().encode(row))
    #expect(read == row)
  }

  @Test func `the content is in its frame beside the other fields`() throws {
    let fields =
      #""body":"Lunch @bob?","conversation":"c","formatting":"AQL/","#
      + #""handover":1,"id":"m","images":["https://eg/1.png","https://eg/2.png"],"metadata":"Aw==","#
      + #""reasoning":"It is noon.","replyTo":"question","request":"request","role":"user","#
      + #""videos":["https://eg/3.mp4"]}"#
    let sent = Wire.Outgoing(
      id: "m", conversation: "c", members: nil, title: nil, role: "user", content: whole, at: 5,
      predecessor: nil,
      handover: 1)
    #expect(String(decoding: try Self.sorted(sent), as: UTF8.self) == #"{"at":5,"# + fields)
    #expect(try JSONDecoder().decode(Wire.Outgoing.self, from: Self.sorted(sent)) == sent)
    let item = Wire.MessageItem(
      id: "m", conversation: "c", sender: "alice", role: "user", content: whole, order: 1, at: 5, revision: 2,
      editedAt: 6, deletedAt: 7, reactions: [.init(value: "👍", senders: ["bob"])],
      attachments: [.init(checksum: "a", name: "b", mediaType: "c/d", bytes: 1)])
    #expect(try JSONDecoder().decode(Wire.MessageItem.self, from: Self.sorted(item)) == item)
  }

  @Test func `an answered message or request that no store could name is left out, and the rest is taken`()
    throws
  {
    var item = FrameExample.item(1)
    item.content = whole
    (item.content.replyTo, item.content.request) = ("\u{1}", "")
    var expected = whole
    (expected.replyTo, expected.request) = (nil, nil)
    #expect(IncomingMessage(item)?.content == expected)
    let client = try Bench().client()
    var message = eg.incoming("m", order: 1)
    message.content = whole
    message.content.request = RequestID(rawValue: String(repeating: "r", count: 256))
    try client.takeIn(message)
    var stored = whole
    stored.request = nil
    #expect(try Self.content(of: "m", client) == stored)
  }

  @Test func `content with an ID that no store could name is not sent`() async throws {
    let chat = try Bench().client().conversation(eg.conversation)
    for id in ["", "\u{7}", String(repeating: "x", count: 256)] {
      let request = RequestID(rawValue: id)
      #expect(await failureCode { try chat.send(MessageContent("hi", request: request)) } == .malformedID)
      #expect(
        await failureCode { try chat.sendOnce(MessageContent("hi", request: request), id: "m") }
          == .malformedID)
      let answer = FinishedMessage(
        id: "r", sender: "bot", content: MessageContent("hi", request: request), createdAt: eg.date)
      #expect(await failureCode { try chat.store(answer) } == .malformedID)
    }
  }

  @Test func `content goes from one phone over the server to another, and on through a file, whole`() throws {
    let whole = whole
    try RelayBench.simulate { bench in
      let alice = try bench.client("alice")
      let id = try alice.sender.send(whole, in: eg.conversation.key)
      try await bench.running("alice") { _ in try await bench.pass(.seconds(5)) }
      try await bench.running("bob") { bob in
        try await bench.pass(.seconds(5))
        #expect(try Self.content(of: id, bob) == whole)
        let file = bench.scratch.url.appendingPathComponent("history.json")
        try bob.exportHistory(to: file)
        let carol = try bench.client("carol")
        #expect(try carol.importHistory(from: file).isComplete)
        #expect(try Self.content(of: id, carol) == whole)
      }
    }
  }

  @Test func `an edit replaces the text with its spans, and a deletion takes all of it`() throws {
    let client = try Bench().client()
    var message = eg.incoming("m", from: eg.user, order: 1)
    message.content = whole
    _ = try client.store.write { [message] in try $0.messages.apply(message, now: eg.date) }
    #expect(try Self.content(of: "m", client) == whole)
    message.content.formattedText = MessageContent.FormattedText("Dinner?")
    (message.revision, message.editedAt) = (1, eg.date)
    _ = try client.store.write { [message] in try $0.messages.apply(message, now: eg.date) }
    #expect(try Self.content(of: "m", client) == message.content)
    (message.revision, message.deletedAt) = (2, eg.date)
    _ = try client.store.write { [message] in try $0.messages.apply(message, now: eg.date) }
    #expect(try Self.content(of: "m", client) == MessageContent())
  }

  @Test func `a message that has not left goes back into the composer with all that a composer has`() throws {
    let client = try Bench().client()
    let id = try client.sender.send(whole, in: eg.conversation.key)
    let taken = try client.store.write { try $0.outbox.takeUnsent(id) }
    #expect(taken == DraftContent(whole))
    #expect(taken.message == MessageContent(whole.formattedText, replyTo: whole.replyTo))
  }

  @Test func `sender, server and import ask one question, which names each problem`() {
    let long = String(repeating: "x", count: 11)
    let reference = String(repeating: "r", count: MessageContent.maximumReferenceBytes + 1)
    let problems: [(MessageContent, MessageContent.Problem?)] = [
      (whole, nil),
      (MessageContent("hi", replyTo: ""), .malformedReplyTo),
      (MessageContent("hi", request: ""), .malformedRequest),
      (MessageContent(long), .textTooLong(bytes: 11)),
      (MessageContent("hi", formatting: Data(long.utf8)), .formattingTooLong(bytes: 11)),
      (MessageContent("hi", reasoning: long), .reasoningTooLong(bytes: 11)),
      (
        MessageContent("hi", metadata: Data(count: MessageContent.maximumMetadataBytes + 1)),
        .metadataTooLarge(bytes: MessageContent.maximumMetadataBytes + 1)
      ),
      (MessageContent("hi", images: [reference]), .referencesTooLarge),
      (MessageContent("hi", videos: [""]), .referencesTooLarge),
      (
        MessageContent("hi", images: Array(repeating: "r", count: MessageContent.maximumReferences + 1)),
        .referencesTooLarge
      ),
    ]
    for (content, problem) in problems {
      #expect(content.problem(atMost: content == whole ? nil : 10) == problem)
      // The content that an import accepts has no problem. An answered message is checked with the message's own ID.
      if problem != .malformedReplyTo { #expect(content.storable.problem() == nil) }
    }
    #expect(MessageContent(long).problem() == nil)
  }

  @Test func `reasoning that the server would refuse as too long is not sent`() throws {
    let client = try Bench(maximumMessageBytes: 10).client()
    let content = MessageContent("hi", reasoning: String(repeating: "x", count: 11))
    #expect(throws: ChatError.self) { try client.sender.send(content, in: eg.conversation.key) }
    #expect(try client.queue().isEmpty)
  }

  @Test func `a composer's content is written beside its selection, as the fields of one value`() throws {
    let attachment = ChatAttachment(
      checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "b",
      mediaType: "c/d", byteCount: 1)
    let draft = DraftContent(whole, selection: TextRange(start: 0, end: 5), attachments: [attachment])
    #expect(draft.message == whole.composed)
    let data = try JSONEncoder().encode(draft)
    let fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(fields["text"] as? String == whole.text)
    #expect(fields["replyTo"] as? String == whole.replyTo?.rawValue)
    #expect(fields["formatting"] as? String == whole.formatting?.base64EncodedString())
    #expect(fields["message"] == nil)
    #expect(try JSONDecoder().decode(DraftContent.self, from: data) == draft)
    // The form that an earlier version wrote.
    let earlier = Data(#"{"text":"hi","replyTo":"q","attachments":[]}"#.utf8)
    #expect(try JSONDecoder().decode(DraftContent.self, from: earlier) == DraftContent("hi", replyTo: "q"))
  }

  private static func sorted(_ frame: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(frame)
  }

  private static func content(of id: MessageID, _ client: ChatClient) throws -> MessageContent? {
    try client.store.read { try $0.messages.timeline(of: eg.conversation.key, limit: 10) }.first {
      $0.id == id
    }?
    .content
  }
}
