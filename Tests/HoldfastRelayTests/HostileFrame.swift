import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay

/// Invalid frames of a server, named by their defect.
struct HostileFrame: Sendable, CustomTestStringConvertible {
  var name: String
  var frames: [Data]

  var testDescription: String { name }

  init(_ name: String, _ frames: String...) {
    self.name = name
    self.frames = frames.map { Data($0.utf8) }
  }

  init(_ name: String, bytes: [UInt8]) {
    self.name = name
    frames = [Data(bytes)]
  }
}

extension EngineExample {
  /// The bench's IDs, in the order of their creation. The client's session takes the first, and the name of the
  /// device the second.
  static let failedID: MessageID = "id3"
  static let waitingID: MessageID = "id4"

  static func known(_ id: String, order: Int64) -> Wire.MessageItem {
    .init(
      id: id, conversation: conversation.rawValue, sender: other.rawValue, role: "user",
      content: MessageContent("hi"), order: order, at: 1_767_225_600_000)
  }

  static func wirePiece(_ sequence: Int64, _ text: String) -> Wire.Piece {
    .init(
      id: "answer", conversation: conversation.rawValue, sender: other.rawValue, role: "assistant",
      sequence: sequence, text: text, reasoning: nil)
  }
}

/// A message of a page, as JSON, with any of its fields replaced.
private func item(
  id: String = #""new""#, conversation: String = #""alice-bob""#, sender: String = #""bob""#,
  role: String = #""user""#, body: String = #""hi""#, order: String = "3", at: String = "1767225600000"
) -> String {
  """
  {"message":{"id":\(id),"conversation":\(conversation),"sender":\(sender),"role":\(role),"body":\(body),\
  "order":\(order),"at":\(at)}}
  """
}

private func page(after: String = "3", cursor: String = "3", _ items: String...) -> String {
  #"{"type":"events","after":\#(after),"cursor":\#(cursor),"items":[\#(items.joined(separator: ","))],"more":false}"#
}

/// A page that would be stored if its items were valid.
private func news(_ items: String...) -> String {
  #"{"type":"events","after":3,"cursor":4,"items":[\#(items.joined(separator: ","))],"more":false}"#
}

private func receipt(
  id: String = #""id4""#, conversation: String = #""alice-bob""#, order: String = "3",
  at: String = "1767225600000"
) -> String {
  #"{"type":"receipts","items":[{"id":\#(id),"conversation":\#(conversation),"order":\#(order),"at":\#(at)}]}"#
}

private func refused(
  id: String = #""id4""#, transmission: String = "2", kind: String = #""rejected""#, more: String = ""
) -> String {
  #"{"type":"refused","id":\#(id),"handover":\#(transmission),"kind":\#(kind)\#(more)}"#
}

private func piece(
  id: String = #""answer""#, conversation: String = #""alice-bob""#, sender: String = #""bob""#,
  sequence: String = "1"
) -> String {
  """
  {"type":"piece","id":\(id),"conversation":\(conversation),"sender":\(sender),"role":"assistant",\
  "sequence":\(sequence),"text":" upon a time"}
  """
}

private func nested(_ depth: Int) -> String {
  String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
}

private let long = #""\#(String(repeating: "x", count: 256))""#
private let huge = #""\#(String(repeating: "x", count: 4 << 20))""#
/// One character, as Swift counts characters.
private let zalgo = #""a\#(String(repeating: "\u{301}", count: 100_000))""#

extension HostileFrame {
  static let withoutEffect: [HostileFrame] =
    noFrames + wrongTypes + absurdMessages + forgeries + absurdReceipts + absurdRefusals + absurdPieces
    + absurdPages + farewells

  private static let noFrames = [
    HostileFrame("nothing", ""), HostileFrame("half of something", #"{"type":"ev"#),
    HostileFrame("null", "null"), HostileFrame("a number", "42"), HostileFrame("a list", "[]"),
    HostileFrame("a text", #""events""#), HostileFrame("an empty object", "{}"),
    HostileFrame("no UTF-8", bytes: [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D]),
    HostileFrame("zeros", bytes: [UInt8](repeating: 0, count: 64)),
    HostileFrame("half a pair of surrogates", #"{"type":"\ud800"}"#),
    HostileFrame("an invalid type", #"{"type":null}"#, #"{"type":["events"]}"#),
    HostileFrame("an unknown type", #"{"type":"later","items":[1,2,3]}"#),
    HostileFrame("a huge unknown type", #"{"type":\#(huge)}"#),
    HostileFrame("deep nesting", nested(100_000)),
    HostileFrame("deep nesting in a field", #"{"type":"pong","cursor":\#(nested(100_000))}"#),
    HostileFrame("deep nesting in an unknown field", #"{"type":"pong","x":\#(nested(5000))}"#),
    HostileFrame(
      "a second welcome", #"{"type":"welcome","version":1,"account":"eve","maximumMessageBytes":-1}"#),
    HostileFrame(
      "another version", #"{"type":"welcome","version":2,"account":"eve","maximumMessageBytes":1}"#),
    HostileFrame("no version", #"{"type":"welcome","version":1e99,"account":"eve","maximumMessageBytes":1}"#),
    HostileFrame("two types", #"{"type":"pong","type":"later"}"#),
  ]

  private static let wrongTypes = [
    HostileFrame("a page without fields", #"{"type":"events"}"#),
    HostileFrame("a place that is a text", page(cursor: #""4""#)),
    HostileFrame("a place with a fraction", page(cursor: "4.5")),
    HostileFrame("a place beyond 64 bits", page(cursor: "9223372036854775808")),
    HostileFrame("items that are none", #"{"type":"events","after":3,"cursor":4,"items":{},"more":false}"#),
    HostileFrame(
      "items that are null", #"{"type":"events","after":3,"cursor":4,"items":[null],"more":false}"#),
    HostileFrame("more is a number", #"{"type":"events","after":3,"cursor":4,"items":[],"more":7}"#),
    HostileFrame("receipts of nothing", #"{"type":"receipts","items":[{}]}"#),
    HostileFrame("an unknown kind of refusal", refused(kind: #""maybe""#)),
    HostileFrame("a refusal without a number", #"{"type":"refused","id":"id4","kind":"rejected"}"#),
    HostileFrame("a piece without a text", #"{"type":"piece","id":"answer","conversation":"alice-bob"}"#),
    HostileFrame("an answer without a number", #"{"type":"answer","outcome":"finished"}"#),
    HostileFrame(
      "answers to no question", #"{"type":"answer","number":1,"outcome":"finished"}"#,
      #"{"type":"answer","number":-9223372036854775808,"outcome":""}"#),
    HostileFrame("a failure without a code", #"{"type":"failure","explanation":"x"}"#),
    HostileFrame("a body that is a list", news(item(body: "[]"))),
    HostileFrame("an order that is a text", news(item(order: #""3""#))),
  ]

  private static let absurdMessages = [
    (
      "order",
      ["0", "-1", "-9223372036854775808", "9223372036854775807", "1152921504606846976"].map {
        item(order: $0)
      }
    ),
    ("date", ["-9223372036854775808", "9223372036854775807", "253402300800000"].map { item(at: $0) }),
    ("ID", [#""""#, #""a\u0000b""#, #""a\nb""#, long, huge].map { item(id: $0) }),
    ("conversation", [#""""#, #""alice-bob\u0000""#, long].map { item(conversation: $0) }),
    ("sender", [#""""#, #""bob\u0007""#, long].map { item(sender: $0) }),
    ("role", [#""""#, #""root""#, #""USER""#].map { item(role: $0) }),
  ].flatMap { field, items in
    items.enumerated().map { number, item in
      HostileFrame("an absurd \(field), \(number + 1)", news(item))
    }
  }

  private static let forgeries = [
    HostileFrame("another's message under a third's name", news(item(id: #""m1""#, sender: #""eve""#))),
    HostileFrame("another's message elsewhere", news(item(id: #""m1""#, conversation: #""elsewhere""#))),
    HostileFrame("a known message with another text", news(item(id: #""m1""#, body: #""forged""#))),
    HostileFrame("one's own message under another's name", news(item(id: #""id4""#))),
    HostileFrame("what failed, under another's name", news(item(id: #""id3""#))),
    HostileFrame(
      "one's own message elsewhere",
      news(item(id: #""id4""#, conversation: #""elsewhere""#, sender: #""alice""#))),
    HostileFrame("the same page again", page(after: "null", item(id: #""m1""#, order: "1"))),
    HostileFrame(
      "the same page again, forged", page(after: "0", item(id: #""m2""#, body: #""forged""#, order: "9"))),
  ]

  private static let absurdReceipts = [
    HostileFrame("a receipt for a message of another", receipt(id: #""m1""#)),
    HostileFrame("a receipt for a message that is not there", receipt(id: #""nothing""#)),
    HostileFrame("a receipt in another conversation", receipt(conversation: #""elsewhere""#)),
    HostileFrame("a receipt of no order", receipt(order: "0"), receipt(order: "-5")),
    HostileFrame("a receipt of an absurd order", receipt(order: "9223372036854775807")),
    HostileFrame("a receipt of an order beyond the timeline", receipt(order: "1152921504606846976")),
    HostileFrame("a receipt of no time", receipt(at: "9223372036854775807")),
    HostileFrame("a receipt for an ID with a zero", receipt(id: #""id4\u0000""#)),
    HostileFrame("a receipt for the draft", receipt(id: #""id5""#), receipt(id: #""alice-bob""#)),
    HostileFrame("no receipts", #"{"type":"receipts","items":[]}"#),
  ]

  private static let absurdRefusals = [
    HostileFrame("a refusal of another's message", refused(id: #""m1""#)),
    HostileFrame("a refusal of nothing", refused(id: #""nothing""#), refused(id: #""""#)),
    HostileFrame("a refusal of another hand-over", refused(transmission: "1"), refused(transmission: "-1")),
    HostileFrame("a refusal of an absurd hand-over", refused(transmission: "9223372036854775807")),
    HostileFrame("a refusal of what has failed", refused(id: #""id3""#, transmission: "1")),
    HostileFrame(
      "an absurd wait", refused(kind: #""busy""#, more: #","retryAfter":9223372036854775807"#),
      refused(kind: #""transient""#, more: #","retryAfter":-9223372036854775808"#)),
    HostileFrame(
      "gaps without end", refused(kind: #""gap""#), refused(kind: #""gap""#), refused(kind: #""gap""#)),
  ]

  private static let absurdPieces = [
    HostileFrame("a piece of a finished message", piece(id: #""m1""#)),
    HostileFrame(
      "a piece of a message of one's own", piece(id: #""id4""#, sender: #""alice""#, sequence: "0")),
    HostileFrame("a piece from nobody", piece(sender: "null"), piece(sender: #""""#)),
    HostileFrame("a piece of another's answer", piece(sender: #""eve""#)),
    HostileFrame("a piece in another conversation", piece(conversation: #""elsewhere""#)),
    HostileFrame("a piece that does not follow", piece(sequence: "7")),
    HostileFrame("absurd numbers of pieces", piece(sequence: "-1"), piece(sequence: "9223372036854775807")),
    HostileFrame("a piece that came before", piece(sequence: "0")),
    HostileFrame(
      "a piece of a conversation that is not there",
      piece(id: #""other""#, conversation: #""elsewhere""#, sequence: "0")),
  ]

  private static let absurdPages = [
    HostileFrame("a page ahead of its time", page(after: "9", cursor: "10", item())),
    HostileFrame(
      "a page from nowhere", page(after: "9223372036854775807", cursor: "-9223372036854775808", item())),
    HostileFrame("a page before the beginning", page(after: "-9223372036854775808", cursor: "-1", item())),
    HostileFrame("a page that ends before it begins", page(after: "3", cursor: "2", item())),
    HostileFrame("a pong from the end of time", #"{"type":"pong","cursor":9223372036854775807}"#),
    HostileFrame("a pong from before", #"{"type":"pong","cursor":-9223372036854775808}"#),
  ]

  private static let farewells =
    ["incompatible", "malformed", "tooLarge", "unavailable", "overloaded", "unauthorized", "bored"].map {
      code in
      HostileFrame(
        "the end: \(code)",
        #"{"type":"failure","code":"\#(code)","explanation":\#(zalgo),"retryAfter":9223372036854775807}"#)
    } + [
      HostileFrame(
        "the end, in the past", #"{"type":"failure","code":"unavailable","explanation":"","retryAfter":-1}"#)
    ]

  static let withinTheServersRights = [
    HostileFrame(
      "the end of time", #"{"type":"events","after":3,"cursor":9223372036854775807,"items":[],"more":true}"#),
    HostileFrame("the last order", news(item(order: "1152921504606846975"))),
    HostileFrame("two messages of one order", news(item(order: "2"), item(id: #""newer""#, order: "2"))),
    HostileFrame("orders backwards", news(item(order: "9"), item(id: #""newer""#, order: "3"))),
    HostileFrame("one message twice in a page", news(item(), item(body: #""another""#))),
    HostileFrame(
      "absurd messages among one that is not", news(item(order: "0"), item(role: #""x""#), item())),
    HostileFrame("a text with zeros", news(item(body: #""a\u0000\u0007\u001b[2Jb""#))),
    HostileFrame("a huge text", news(item(body: huge))),
    HostileFrame("a message from oneself that was never written", news(item(sender: #""alice""#))),
    HostileFrame(
      "both in one item", news(#"{"conversation":{"id":"","members":[]},"message":7}"#), news("{}")),
    HostileFrame(
      "conversations without end",
      news(
        #"{"conversation":{"id":"alice-bob","title":\#(huge),"members":[]}}"#,
        #"{"conversation":{"id":"alice-bob","title":"a\u0000b","members":["\u0000"]}}"#,
        #"{"conversation":{"id":"","members":[]}}"#, #"{"conversation":{"id":\#(long),"members":[]}}"#)),
    HostileFrame(
      "ten thousand members",
      news(
        #"{"conversation":{"id":"alice-bob","members":[\#((0..<10_000).map { "\"u\($0)\"" }.joined(separator: ","))]}}"#
      )
    ),
    HostileFrame(
      "a log that was lost, with forged old messages",
      page(
        after: "null", cursor: "0", item(id: #""m1""#, body: #""forged""#),
        item(id: #""id4""#, sender: #""eve""#))),
    HostileFrame("a rejection without end", refused(more: #","code":"held","explanation":\#(zalgo)"#)),
    HostileFrame("a rejection in huge words", refused(more: #","code":\#(huge),"explanation":\#(huge)"#)),
    HostileFrame("a rejection with zeros", refused(more: #","explanation":"a\u0000b""#)),
  ]

  /// Valid frames that look like those above. Each must change something. Otherwise the tables would prove nothing.
  static let welcome = [
    HostileFrame("a message", news(item())), HostileFrame("a receipt", receipt()),
    HostileFrame("a refusal", refused()), HostileFrame("a piece", piece()),
    HostileFrame("the end of an answer", news(item(id: #""answer""#))),
    HostileFrame("an echo", news(item(id: #""id4""#, sender: #""alice""#))),
    HostileFrame("an echo of what failed", news(item(id: #""id3""#, sender: #""alice""#))),
    HostileFrame("a conversation", news(#"{"conversation":{"id":"elsewhere","members":["alice"]}}"#)),
  ]
}
