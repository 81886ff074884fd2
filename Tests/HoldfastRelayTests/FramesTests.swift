import Foundation
import Testing

@testable import HoldfastCore
@testable import HoldfastRelay

@Suite struct FramesTests {
  @Test func `a frame survives encoding`() throws {
    let frame = Wire.ServerFrame.events(
      .init(
        after: 1, cursor: 2,
        items: [
          .init(
            message: .init(
              id: "m", conversation: "c", sender: "alice", role: "user", content: MessageContent("hi"),
              order: 1, at: 5))
        ], more: false))
    let data = try JSONEncoder().encode(frame)
    #expect(try JSONDecoder().decode(Wire.ServerFrame.self, from: data) == frame)
  }

  @Test func `changes of a message have fields with stable names`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let item = Wire.MessageItem(
      id: "m", conversation: "c", sender: "alice", role: "user", content: MessageContent("hi"), order: 1,
      at: 5,
      revision: 2, editedAt: 6, reactions: [.init(value: "👍", senders: ["bob"])])
    #expect(
      String(decoding: try encoder.encode(item), as: UTF8.self)
        == #"{"at":5,"body":"hi","conversation":"c","editedAt":6,"id":"m","order":1,"#
        + #""reactions":[{"senders":["bob"],"value":"👍"}],"revision":2,"role":"user","sender":"alice"}"#)
    let operation = Wire.Operation(kind: "edit", target: "m")
    #expect(
      String(decoding: try encoder.encode(operation), as: UTF8.self) == #"{"kind":"edit","target":"m"}"#)
    // A message without changes has the same frame as before.
    let plain = #"{"at":5,"body":"hi","conversation":"c","id":"m","order":1,"role":"user","sender":"alice"}"#
    let decoded = try JSONDecoder().decode(Wire.MessageItem.self, from: Data(plain.utf8))
    #expect(String(decoding: try encoder.encode(decoded), as: UTF8.self) == plain)
  }

  @Test func `frames about requests have fields with stable names, and no frame needs them`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    func text(_ frame: some Encodable) throws -> String {
      String(decoding: try encoder.encode(frame), as: UTF8.self)
    }
    let ask = Wire.ClientFrame.ask(.init(number: 1, request: "r", conversation: "c"))
    #expect(try text(ask) == #"{"conversation":"c","number":1,"request":"r","type":"ask"}"#)
    let answer = Wire.ServerFrame.answer(.init(number: 1, .running))
    #expect(try text(answer) == #"{"number":1,"outcome":"running","type":"answer"}"#)
    let piece = #"{"conversation":"c","id":"m","role":"user","sequence":0,"text":"hi"}"#
    let decoded = try JSONDecoder().decode(Wire.Piece.self, from: Data(piece.utf8))
    #expect(decoded.request == nil)
    #expect(try text(decoded) == piece)
    let welcome = #"{"account":"alice","maximumMessageBytes":1,"version":1}"#
    #expect(try text(JSONDecoder().decode(Wire.Welcome.self, from: Data(welcome.utf8))) == welcome)
  }

  @Test func `a client passes over a type it does not know`() throws {
    let frame = try JSONDecoder().decode(Wire.ServerFrame.self, from: Data(#"{"type":"later"}"#.utf8))
    #expect(frame == .unknown("later"))
  }

  @Test func `a server does not guess at a type it does not know`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Wire.ClientFrame.self, from: Data(#"{"type":"later"}"#.utf8))
    }
  }
}
