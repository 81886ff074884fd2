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

  @Test func `too many pieces drop those of the oldest stream`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumHeldPieces = 2 })
    buffer.start(egKey, audience: ["bob"])
    buffer.start(egOther, audience: ["bob"])
    _ = buffer.append(egPiece("s1", 0), to: egKey)
    _ = buffer.append(egPiece("s2", 0), to: egOther)
    _ = buffer.append(egPiece("s2", 1), to: egOther)
    #expect(buffer.pieces(for: "bob").map { $0.map(\.id) } == [["s2", "s2"]])
    #expect(buffer.held.pieces == 2)
  }

  @Test func `too much text drops that of the oldest stream`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumHeldBytes = 5 })
    buffer.start(egKey, audience: ["bob"])
    buffer.start(egOther, audience: ["bob"])
    _ = buffer.append(egPiece("s1", 0, "123"), to: egKey)
    _ = buffer.append(egPiece("s2", 0, "123"), to: egOther)
    #expect(buffer.pieces(for: "bob").map { $0.map(\.id) } == [["s2"]])
    #expect(buffer.held.bytes == 3)
  }

  // E2.5
  @Test func `who holds most loses pieces first, however old those of others are`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumHeldPieces = 4 })
    let carols = StreamBuffer.Key(sender: "carol", conversation: "c", message: "s3")
    for key in [carols, egKey, egOther] { buffer.start(key, audience: ["bob"]) }
    _ = buffer.append(egPiece("s3", 0), to: carols)
    for sequence in 0..<3 { _ = buffer.append(egPiece("s1", Int64(sequence)), to: egKey) }
    _ = buffer.append(egPiece("s2", 0), to: egOther)
    #expect(buffer.pieces(for: "bob").map { $0.map(\.id) } == [["s3"], ["s2"]])
  }

  // E2.5
  @Test func `a stream without room goes on for those that read it from its beginning`() {
    var buffer = StreamBuffer(limits: limits { $0.maximumHeldPieces = 1 })
    buffer.start(egKey, audience: ["bob"])
    for sequence in 0..<Int64(3) {
      let passed = buffer.append(egPiece("s1", sequence), to: egKey)
      #expect(passed?.piece.sequence == sequence)
      #expect(passed?.audience == ["bob"])
    }
    #expect(buffer.pieces(for: "bob").isEmpty)
    #expect(buffer.held == StreamBuffer.Held())
  }

  // E2.5
  @Test func `an empty piece holds nothing, and those behind it follow on`() {
    var buffer = StreamBuffer(limits: Limits())
    buffer.start(egKey, audience: ["bob"])
    #expect(buffer.append(egPiece("s1", 0, ""), to: egKey)?.piece.sequence == 0)
    for sequence in 1..<1_000 { #expect(buffer.append(egPiece("s1", Int64(sequence), ""), to: egKey) == nil) }
    #expect(buffer.append(egPiece("s1", 1_000, "word"), to: egKey)?.piece.sequence == 1)
    #expect(buffer.append(egPiece("s1", 1_000, "word"), to: egKey) == nil)
    #expect(buffer.pieces(for: "bob").map { $0.map(\.sequence) } == [[0, 1]])
    #expect(buffer.held.pieces == 2)
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
    #expect(buffer.append(egPiece("s1", 0, "1234"), to: egKey)?.audience == ["bob"])
    #expect(buffer.append(egPiece("s1", 1, "5"), to: egKey) == nil)
    #expect(buffer.held.bytes == 4)
  }

  @Test func `a removed stream is not counted`() {
    var buffer = StreamBuffer(limits: Limits())
    buffer.start(egKey, audience: [])
    _ = buffer.append(egPiece("s1", 0), to: egKey)
    buffer.remove(egKey)
    buffer.remove(egKey)
    #expect(buffer.isEmpty)
    #expect(buffer.held == StreamBuffer.Held())
  }
}
