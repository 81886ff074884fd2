import Foundation
import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

@Suite struct HostileInputTests {
  @Test(arguments: [
    "", "{", "null", "[]", "0", "\"hello\"", "{}", #"{"type":5}"#, #"{"type":null}"#, #"{"type":"later"}"#,
    #"{"type":"hello","version":1}"#, #"{"type":"sync","after":-1}"#, #"{"type":"sync","after":"1"}"#,
    #"{"type":"sync","after":1.5}"#, #"{"type":"sync","after":1e400}"#,
    #"{"type":"sync","after":99999999999999999999999999}"#, #"{"type":"sync","after":true}"#,
    #"{"type":"send"}"#, #"{"type":"send","messages":{}}"#, #"{"type":"send","messages":[null]}"#,
    #"{"type":"send","messages":[{"id":"m"}]}"#, #"{"type":"piece","id":"s"}"#,
    #"{"type":"piece","id":"s","conversation":"c","role":"user","sequence":"0","text":"t"}"#,
    #"{"type":"upload"}"#, #"{"type":"upload","checksum":7,"total":1,"offset":0}"#,
    #"{"type":"upload","checksum":"a","total":"1","offset":0}"#,
    #"{"type":"upload","checksum":"a","total":1.5,"offset":0}"#,
    #"{"type":"upload","checksum":"a","total":9223372036854775808,"offset":0}"#,
    #"{"type":"upload","checksum":"a","total":1,"offset":null}"#,
    #"{"type":"upload","checksum":"a","total":1,"offset":0,"data":"%%%"}"#,
    #"{"type":"upload","checksum":"a","total":1,"offset":0,"data":[1]}"#,
    #"{"type":"fetch"}"#, #"{"type":"fetch","checksum":null,"offset":0}"#,
    #"{"type":"fetch","checksum":"a","offset":"0"}"#, #"{"type":"fetch","checksum":["a"],"offset":0}"#,
    #"{"type":"send","messages":[{"id":"m","conversation":"c","role":"user","body":"","at":1,"handover":1,"#
      + #""attachments":[{"checksum":"a"}]}]}"#,
    #"{"type":"ping""# + String(repeating: "[", count: 100_000),
    #"{"type":"ping","x":"# + String(repeating: "[", count: 100_000) + "}",
  ])
  func `a malformed frame ends the connection`(_ text: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.say(bytes: Data(text.utf8))
    #expect(answer.failures.map(\.code) == [.malformed])
    #expect(alice.isClosed)
    #expect(await alice.say(.ping).isEmpty)
  }

  @Test func `bytes that are no text end the connection`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.say(bytes: Data([0xFF, 0xFE, 0x00, 0xD8, 0x80]))
    #expect(answer.failures.map(\.code) == [.malformed])
  }

  @Test func `a frame of noise never crashes the server`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let frames: [Wire.ClientFrame] = [
      .send(.init(messages: [eg("m"), eg("m2")])),
      .upload(
        .init(checksum: String(repeating: "a", count: 64), total: 9, offset: 0, data: Data([1, 2, 3]))),
      .fetch(.init(checksum: String(repeating: "a", count: 64), offset: 3)),
    ]
    for whole in try frames.map({ try JSONEncoder().encode($0) }) { try await sayNoise(of: whole, to: bench) }
    let alice = try await bench.client("alice")
    // Some of the noise was a valid message, so the end of the log is unknown.
    guard case .pong = await alice.say(.ping).first else {
      Issue.record("the server no longer answers")
      return
    }
  }

  private func sayNoise(of whole: Data, to bench: Bench) async throws {
    for index in whole.indices {
      let alice = try await bench.client("alice")
      var bytes = whole
      bytes[index] ^= UInt8(truncatingIfNeeded: 1 + index * 7)
      await alice.say(bytes: bytes)
      await alice.say(bytes: whole.prefix(index))
      if let id = alice.id { await bench.server.disconnect(id) }
    }
  }

  @Test func `a frame that is too large ends the connection`() async throws {
    var limits = Limits()
    limits.maximumFrameBytes = 100
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let ping = #"{"type":"ping"}"#
    let fitting = ping + String(repeating: " ", count: 100 - ping.utf8.count)
    #expect(await alice.say(bytes: Data(fitting.utf8)) == [.pong(.init(cursor: 0))])
    #expect(await alice.say(bytes: Data((fitting + " ").utf8)).failures.map(\.code) == [.tooLarge])
    #expect(alice.isClosed)
  }

  @Test func `too many messages in a frame end the connection`() async throws {
    var limits = Limits()
    limits.maximumMessagesPerFrame = 1
    let bench = try await Bench(limits: limits)
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await alice.send(eg("m1"), eg("m2")).failures.map(\.code) == [.tooLarge])
  }

  @Test(arguments: [
    Wire.ClientFrame.ping, .sync(.init(after: nil)), .send(.init(messages: [])), .piece(egPiece("s", 0)),
    .upload(.init(checksum: "a", total: 1)), .fetch(.init(checksum: "a", offset: 0)),
  ])
  func `a frame before hello ends the connection`(_ frame: Wire.ClientFrame) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.connect("alice")
    #expect(await alice.say(frame).failures.map(\.code) == [.malformed])
    #expect(alice.isClosed)
  }

  @Test func `a second hello ends the connection`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await alice.say(.hello(.init(after: nil))).failures.map(\.code) == [.malformed])
  }

  @Test(arguments: [0, 2, -1, Int.max])
  func `another version ends the connection`(_ version: Int) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.connect("alice")
    let answer = await alice.say(.hello(.init(version: version, after: nil)))
    #expect(answer.failures.map(\.code) == [.incompatible])
    #expect(answer.count == 1)
    #expect(alice.isClosed)
  }

  @Test(arguments: [Int64.min, -1])
  func `a negative cursor ends the connection`(_ after: Int64) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.connect("alice")
    #expect(await alice.say(.hello(.init(after: after))).failures.map(\.code) == [.malformed])
  }

  @Test(arguments: ["", "a\u{0}", "a\nb", "\u{7F}", String(repeating: "x", count: 256)])
  func `an ID that is not well formed is rejected`(_ id: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg(id), eg("m1", in: id), eg("m2", predecessor: id))
    #expect(answer.refusals.map(\.code) == ["rejected", "conversationRefused", nil])
    #expect(answer.refusals.map(\.kind) == [.rejected, .rejected, .gap])
    #expect(answer.refusals.first?.id == id)
    #expect(!alice.isClosed)
  }

  @Test(arguments: ["", "User", "nobody", "user\u{0}"])
  func `a role that is not known is rejected`(_ role: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(await alice.send(eg("m", role: role)).refusals.map(\.code) == ["rejected"])
  }

  @Test func `SQL in a name is a name`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let name = "'; DROP TABLE message; --"
    let answer = await alice.send(eg(name, in: name, title: name, body: name))
    #expect(answer.receipts.map(\.id) == [name])
    #expect(answer.messages.map(\.text) == [name])
  }

  @Test func `numbers at the edges are carried, not computed with`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    let answer = await alice.send(eg("m1", role: "", handover: .min), eg("m2", role: "", handover: .max))
    #expect(answer.refusals.map(\.handover) == [.min, .max])
  }

  @Test func `types and fields of a later version are passed over inside a known frame`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let alice = try await bench.client("alice")
    #expect(
      await alice.say(bytes: Data(#"{"type":"ping","later":{"x":[1]}}"#.utf8)) == [.pong(.init(cursor: 0))])
  }
}
