import Holdfast
import Testing

@testable import ChatServer

@Suite struct StreamBufferTests {
  private let egKey = StreamBuffer.Key(sender: "alice", conversation: "c", message: "s1")
  private let egOther = StreamBuffer.Key(sender: "alice", conversation: "c", message: "s2")

  private func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits()
    change(&limits)
    return limits
  }

  @Test func `too many pieces drop the oldest stream`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumHeldPieces = 2 })
    buffer.start(egKey, audience: ["bob"])
    buffer.start(egOther, audience: ["bob"])
    _ = buffer.append(egPiece("s1", 0), to: egKey)
    _ = buffer.append(egPiece("s2", 0), to: egOther)
    _ = buffer.append(egPiece("s2", 1), to: egOther)
    #expect(!buffer.contains(egKey))
    #expect(buffer.streams(for: "bob").map(\.pieces.count) == [2])
    #expect(buffer.heldPieces == 2)
  }

  @Test func `too much text drops the oldest stream`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumHeldBytes = 5 })
    buffer.start(egKey, audience: ["bob"])
    buffer.start(egOther, audience: ["bob"])
    _ = buffer.append(egPiece("s1", 0, "123"), to: egKey)
    _ = buffer.append(egPiece("s2", 0, "123"), to: egOther)
    #expect(!buffer.contains(egKey))
    #expect(buffer.heldBytes == 3)
  }

  @Test func `one stream too many of an account drops its oldest stream, and no other account's`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumStreamsPerAccount = 1 })
    let bobs = StreamBuffer.Key(sender: "bob", conversation: "c", message: "s1")
    buffer.start(bobs, audience: [])
    buffer.start(egKey, audience: [])
    buffer.start(egOther, audience: [])
    #expect(buffer.contains(bobs))
    #expect(!buffer.contains(egKey))
    #expect(buffer.contains(egOther))
  }

  @Test func `a stream ends where a message would be too long`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumMessageBytes = 4 })
    buffer.start(egKey, audience: ["bob"])
    #expect(buffer.append(egPiece("s1", 0, "1234"), to: egKey) == ["bob"])
    #expect(buffer.append(egPiece("s1", 1, "5"), to: egKey) == nil)
    #expect(buffer.heldBytes == 4)
  }

  @Test func `a removed stream is not counted`() {
    var buffer = StreamBuffer(limits: Limits())
    buffer.start(egKey, audience: [])
    _ = buffer.append(egPiece("s1", 0), to: egKey)
    buffer.remove(egKey)
    buffer.remove(egKey)
    #expect(buffer.isEmpty)
    #expect(buffer.heldPieces == 0)
    #expect(buffer.heldBytes == 0)
  }
}
