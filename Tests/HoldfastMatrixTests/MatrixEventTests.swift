import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTransport
import Testing

@testable import HoldfastMatrix

/// What events say to the engine (rule B8).
@Suite struct MatrixEventTests {
  private func items(_ json: String) throws -> [IncomingItem] {
    try #require(try read(json)).items(in: "!room", for: "@alice:example.org")
  }

  // B8.5
  @Test(arguments: [
    (
      "m.room.message", "{\"msgtype\":\"m.image\",\"body\":\"cat.png\",\"url\":\"mxc://b/1\"}",
      "[Picture: cat.png]"
    ),
    (
      "m.room.message", "{\"msgtype\":\"m.image\",\"filename\":\"cat.png\",\"body\":\"At the lake\"}",
      "[Picture: cat.png]\nAt the lake"
    ),
    (
      "m.room.message", "{\"msgtype\":\"m.video\",\"body\":\"a.mp4\",\"filename\":\"a.mp4\"}",
      "[Video: a.mp4]"
    ),
    ("m.room.message", "{\"msgtype\":\"m.audio\",\"body\":\"Voice message\"}", "[Audio: Voice message]"),
    ("m.room.message", "{\"msgtype\":\"m.file\",\"body\":\"a.pdf\"}", "[File: a.pdf]"),
    (
      "m.room.message", "{\"msgtype\":\"m.location\",\"body\":\"Bern\",\"geo_uri\":\"geo:46,7\"}",
      "[Location: Bern]"
    ),
    ("m.room.message", "{\"msgtype\":\"dev.else\",\"body\":\"words\"}", "words"),
    ("m.sticker", "{\"body\":\"A wave\",\"url\":\"mxc://b/2\"}", "[Sticker: A wave]"),
    (
      "m.poll.start", "{\"m.poll\":{\"question\":{\"m.text\":[{\"body\":\"Lunch?\"}]},\"answers\":[]}}",
      "[Poll: Lunch?]"
    ),
    (
      "org.matrix.msc3381.poll.start",
      "{\"org.matrix.msc3381.poll.start\":{\"question\":{\"org.matrix.msc1767.text\":\"Lunch?\"}}}",
      "[Poll: Lunch?]"
    ),
    ("m.poll.end", "{\"m.poll.end\":{},\"m.relates_to\":{\"rel_type\":\"m.reference\"}}", "[Poll ended]"),
    ("org.matrix.msc3381.poll.end", "{\"org.matrix.msc1767.text\":\"Pizza won\"}", "[Poll ended]"),
  ])
  func `what another client sends is named by its kind`(type: String, content: String, text: String) throws {
    let message = try message(event("$1", type, from: "@bob:b", content))
    #expect((message.text, message.sender) == (text, "@bob:b"))
  }

  // B8.5
  @Test(arguments: ["m.sticker", "m.poll.start", "org.matrix.msc3381.poll.start"])
  func `a redacted sticker or poll is nothing`(type: String) throws {
    #expect(try items(event("$1", type, "{}")).isEmpty)
  }

  private func message(_ json: String) throws -> IncomingMessage {
    guard case .message(let message)? = try items(json).first else { throw NotAMessage() }
    return message
  }
  private struct NotAMessage: Error {}

  private func operation(_ json: String) throws -> IncomingOperation {
    guard case .operation(let operation)? = try items(json).first else { throw NotAMessage() }
    return operation
  }

  @Test func `a message of ours has our ID, and one of another client's the event's`() throws {
    let content = text("hello", id: "m1", in: "!room", by: "@bob:example.org")
    let ours = try message(event("$1", at: 1_767_225_600_123, content))
    #expect((ours.id, ours.serverID, ours.text) == ("m1", "$1", "hello"))
    #expect((ours.conversation, ours.sender) == ("!room", "@bob:example.org"))
    #expect(ours.createdAt == Date(timeIntervalSince1970: 1_767_225_600.123))
    let theirs = try message(event("$2", text("hi")))
    #expect((theirs.id, theirs.serverID) == ("$2", "$2"))
    let long = String(repeating: "x", count: 300)
    let nonsense = try message(event("$3", text("hi", id: long, in: "!room", by: "@bob:example.org")))
    #expect(nonsense.id == "$3")
  }

  @Test func `an assistant speaks for the account that sent the event, and for no other`() throws {
    let content = """
      {"body":"hi","dev.holdfast.role":"assistant","dev.holdfast.assistant":"helper"}
      """
    let read = try message(event("$1", content))
    #expect((read.sender, read.role) == (.assistant("helper", of: "@bob:example.org"), .assistant))
    let forged = try message(event("$2", "{\"body\":\"hi\",\"dev.holdfast.assistant\":\"a/assistant/b\"}"))
    #expect(forged.sender == "@bob:example.org")
  }

  @Test func `an answer says to which message, and loses the quote of older clients`() throws {
    let quoted = """
      {"body":"> <@alice:example.org> first\\n> second\\n\\nmine\\n> kept","m.relates_to":{"m.in_reply_to":{"event_id":"$0"}}}
      """
    let read = try message(event("$1", quoted))
    #expect((read.text, read.replyTo) == ("mine\n> kept", "$0"))
    let thread = """
      {"body":"x","m.relates_to":{"rel_type":"m.thread","event_id":"$r","is_falling_back":true,"m.in_reply_to":{"event_id":"$0"}}}
      """
    #expect(try message(event("$2", thread)).replyTo == nil)
    // Nobody has answered anything: the line is the user's own.
    #expect(try message(event("$3", text("> all of it"))).text == "> all of it")
  }

  @Test func `changes are operations, with the event's name and time`() throws {
    let edit = try operation(
      event(
        "$2", at: 2000,
        """
        {"body":"* b","m.new_content":{"body":"b"},"m.relates_to":{"rel_type":"m.replace","event_id":"$1"},"dev.holdfast.whole":true}
        """))
    #expect(edit.operation == MessageOperation(.edit, of: "$1", isWhole: true))
    #expect((edit.content.text, edit.serverID) == ("b", "$2"))
    #expect(edit.createdAt == Date(timeIntervalSince1970: 2))
    let reaction = try operation(
      event(
        "$3", "m.reaction",
        "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"$1\",\"key\":\"👍\"}}"))
    #expect(reaction.operation == MessageOperation(.react, of: "$1"))
    #expect((reaction.content.text, reaction.serverID) == ("👍", "$3"))
    for deletion in [
      event("$4", "m.room.redaction", "{\"redacts\":\"$1\"}"),
      event("$4", "m.room.redaction", "{}", more: ",\"redacts\":\"$1\""),
    ] {
      #expect(try operation(deletion).operation == MessageOperation(.delete, of: "$1"))
    }
  }

  @Test func `an edit that is redacted with its message is nothing by itself`() throws {
    #expect(
      try items(event("$4", "m.room.redaction", "{\"redacts\":\"$2\",\"dev.holdfast.part\":true}")).isEmpty)
  }

  @Test func `the newest edit comes with its message`() throws {
    let replaced = """
      ,"unsigned":{"m.relations":{"m.replace":{"event_id":"$2","sender":"@bob:example.org","origin_server_ts":9,\
      "content":{"body":"* b","m.new_content":{"body":"b"}}}}}
      """
    let read = try items(event("$1", text("a", id: "m1"), more: replaced))
    guard case .operation(let edit)? = read.last else { throw NotAMessage() }
    #expect(read.count == 2)
    #expect((edit.operation.target, edit.content.text, edit.serverID) == ("$1", "b", "$2"))
  }

  @Test(arguments: [
    (event("$1", "m.sticker", "{\"url\":\"mxc://a/b\"}"), "[Sticker]"),
    (event("$1", "m.sticker", "{\"body\":\"cat\"}"), "[Sticker: cat]"),
    (
      event(
        "$1", "m.poll.start",
        "{\"m.poll\":{\"question\":{\"m.text\":[{\"body\":\"<b>Lunch?</b>\",\"mimetype\":\"text/html\"},{\"body\":\"Lunch?\"}]}}}"
      ), "[Poll: Lunch?]"
    ),
    (event("$1", "m.poll.start", "{\"m.poll\":{\"question\":{}}}"), "[Poll]"),
    (event("$1", "m.room.encrypted", "{\"ciphertext\":\"x\"}"), "[Encrypted message]"),
    (event("$1", "m.call.invite", "{\"call_id\":\"x\"}"), "[Call]"),
    (event("$1", "{\"msgtype\":\"m.image\",\"body\":\"\"}"), "[Picture]"),
    (event("$1", "{\"msgtype\":\"m.image\",\"filename\":\"a.png\",\"body\":\"\"}"), "[Picture: a.png]"),
    (event("$1", "{\"msgtype\":\"m.location\"}"), "[Location]"),
    (event("$1", "{\"msgtype\":\"m.text\",\"body\":\"\"}"), "[Empty message]"),
    (event("$1", "{\"msgtype\":\"m.emote\",\"body\":\" \"}"), "[Empty message]"),
  ])
  func `what has no text is shown by its kind, and by its name where it has one`(json: String, text: String)
    throws
  {
    #expect(try message(json).text == text)
  }

  @Test func `an edit of a poll changes it`() throws {
    let poll = "{\"question\":{\"m.text\":[{\"body\":\"Dinner?\"}]}}"
    let edit = try operation(
      event(
        "$2", "m.poll.start",
        "{\"m.poll\":\(poll),\"m.new_content\":{\"m.poll\":\(poll)},\"m.relates_to\":{\"rel_type\":\"m.replace\",\"event_id\":\"$1\"}}"
      ))
    #expect((edit.operation.target, edit.content.text) == ("$1", "[Poll: Dinner?]"))
  }

  @Test(arguments: [
    event("$1", "{}"), event("$1", "m.reaction", "{}"), event("$1", "m.room.redaction", "{}"),
    event("$1", "m.room.encrypted", "{}"), event("$1", "org.other", "{\"body\":\"x\"}"),
    event("$1", "m.sticker", "{}"),
    event("$1", "{\"body\":\"* x\",\"m.relates_to\":{\"rel_type\":\"m.replace\",\"event_id\":\"$0\"}}"),
    // State without a state key is ignored.
    event("$1", "m.room.name", "{\"name\":\"x\"}"),
  ])
  func `what was redacted, and what is not read, says nothing`(json: String) throws {
    #expect(try items(json).isEmpty)
  }

  @Test(arguments: [
    "{}", "{\"event_id\":\"$1\"}", "{\"event_id\":\"$1\",\"sender\":\"@a:b\"}",
    "{\"event_id\":\"\",\"sender\":\"@a:b\",\"type\":\"m.room.message\"}",
    "{\"event_id\":\"a\\u0001b\",\"sender\":\"@a:b\",\"type\":\"m.room.message\"}",
    "{\"event_id\":7,\"sender\":\"@a:b\",\"type\":\"m.room.message\"}",
  ])
  func `an event without a name, a sender or a type is passed over`(json: String) throws {
    #expect(try read(json) == nil)
  }

  @Test(arguments: ["1e300", "-5", "9223372036854775807", "1.5", "\"x\"", "null", "[]"])
  func `no time that a server writes is too much`(time: String) throws {
    let json =
      "{\"event_id\":\"$1\",\"sender\":\"@a:b\",\"type\":\"m.room.message\",\"origin_server_ts\":\(time)}"
    let read = try #require(try read(json))
    #expect(read.date >= Date(timeIntervalSince1970: 0))
    #expect(read.date < Date(timeIntervalSince1970: 253_402_300_800))
    let edited = try items(
      event(
        "$1", text("a"),
        more: """
          ,"unsigned":{"m.relations":{"m.replace":{"event_id":"$2","sender":"@a:b","origin_server_ts":\(time),\
          "content":{"m.new_content":{"body":"b"}}}}}
          """))
    guard case .operation(let edit)? = edited.last else { throw NotAMessage() }
    #expect(edit.createdAt == read.date)
  }

  @Test func `a message comes back as it was sent, with everything that belongs to it`() throws {
    let content = MessageContent(
      "hello", formatting: Data([1, 2]), reasoning: "why", replyTo: "m0", request: "r1", metadata: Data([3]),
      images: ["i"], videos: ["v", "w"])
    let sent = OutgoingMessage(
      id: "m1", conversation: "!room", sender: .assistant("helper", of: "@bob:example.org"), role: .assistant,
      content: content, createdAt: Date(), serverIDs: .init(replyTo: "$0"), transmission: 1)
    let fields = MatrixMessage.fields(of: sent, in: "!room", by: "@bob:example.org")
    let json = String(decoding: try JSONEncoder().encode(JSONValue.object(fields)), as: UTF8.self)
    #expect(json.contains("\"m.in_reply_to\":{\"event_id\":\"$0\"}"))
    var read = try message(event("$1", json))
    // The engine finds the answered message by its name.
    #expect(read.content.replyTo == "$0")
    read.content.replyTo = "m0"
    #expect((read.id, read.content, read.role, read.sender) == ("m1", content, .assistant, sent.sender))
  }

  @Test(arguments: [true, false])
  func `an edit brings all of the content, or the text alone`(isWhole: Bool) throws {
    let content = MessageContent("new", formatting: Data([1]), reasoning: "why", metadata: Data([3]))
    let sent = OutgoingMessage(
      id: "e1", conversation: "!room", content: content, createdAt: Date(), transmission: 1)
    let fields = MatrixMessage.fields(ofEdit: sent, of: "$1", isWhole: isWhole)
    let json = String(decoding: try JSONEncoder().encode(JSONValue.object(fields)), as: UTF8.self)
    let read = try operation(event("$2", json))
    #expect(read.operation == MessageOperation(.edit, of: "$1", isWhole: isWhole))
    #expect(read.content == (isWhole ? content : MessageContent("new", formatting: Data([1]))))
  }
}
