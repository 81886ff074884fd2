import EngineFixtures
import Testing

@testable import HoldfastCore
@testable import HoldfastTransport

private typealias eg = EngineExample

@Suite struct TokenBufferTests {
  private func buffer(_ stored: StreamPrefix = StreamPrefix()) -> TokenBuffer {
    TokenBuffer(conversation: eg.conversation.key, sender: eg.other, stored: stored)
  }

  // H3.1
  @Test func `pieces are shown at once, and stored together a moment later`() {
    var buffer = buffer()
    #expect(buffer.deadline == nil)
    #expect(buffer.receive(eg.piece(0, "Hel", reasoning: "hm"), now: .seconds(1)) == .appended)
    #expect(buffer.receive(eg.piece(1, "lo"), now: .milliseconds(1100)) == .appended)
    #expect(buffer.text == "Hello")
    #expect(buffer.reasoning == "hm")
    #expect(buffer.deadline == .milliseconds(1250))
    #expect(buffer.unsavedChunk == .init(firstSequence: 0, nextSequence: 2, text: "Hello", reasoning: "hm"))
  }

  // H3.1
  @Test func `a chunk of 64 KB is due at once`() {
    var buffer = buffer()
    let half = String(repeating: "é", count: 16_384)
    _ = buffer.receive(eg.piece(0, half), now: .seconds(1))
    #expect(buffer.deadline == .milliseconds(1250))
    _ = buffer.receive(eg.piece(1, reasoning: half), now: .seconds(1))
    #expect(buffer.deadline == .seconds(1))
  }

  // H3
  @Test func `a piece that came before, or does not follow, is passed over`() {
    var buffer = buffer()
    _ = buffer.receive(eg.piece(0, "a"), now: .zero)
    let before = buffer
    #expect(buffer.receive(eg.piece(0, "a"), now: .zero) == .duplicate)
    #expect(buffer.receive(eg.piece(-1, "x"), now: .zero) == .duplicate)
    #expect(buffer.receive(eg.piece(2, "c"), now: .zero) == .gap)
    #expect(buffer.receive(eg.piece(.max, "z"), now: .zero) == .gap)
    #expect(buffer == before)
    #expect(buffer.receive(eg.piece(1, "b"), now: .zero) == .appended)
    #expect(buffer.text == "ab")
  }

  // H3.1
  @Test func `stored pieces are not stored again, and the next chunk follows them`() throws {
    var buffer = buffer()
    _ = buffer.receive(eg.piece(0, "a"), now: .zero)
    let first = try #require(buffer.unsavedChunk)
    _ = buffer.receive(eg.piece(1, "b"), now: .zero)
    buffer.stored(first)
    #expect(
      buffer.unsavedChunk == .init(firstSequence: 1, nextSequence: 2, text: "b", reasoning: ""),
      "What came during the write is the next chunk: a longer one with the same number would not be stored.")
    buffer.stored(try #require(buffer.unsavedChunk))
    #expect(buffer.deadline == nil)
    _ = buffer.receive(eg.piece(2, "c"), now: .seconds(9))
    #expect(buffer.unsavedChunk == .init(firstSequence: 2, nextSequence: 3, text: "c", reasoning: ""))
    #expect(buffer.deadline == .milliseconds(9250))
  }

  // H3
  @Test func `a chunk that was written in the middle of a character leaves the rest of it`() throws {
    var buffer = buffer()
    _ = buffer.receive(eg.piece(0, "e", reasoning: "👩"), now: .zero)
    let first = try #require(buffer.unsavedChunk)
    _ = buffer.receive(eg.piece(1, "\u{301}!", reasoning: "\u{200D}👧"), now: .seconds(1))
    buffer.stored(first)
    #expect(
      buffer.unsavedChunk
        == .init(firstSequence: 1, nextSequence: 2, text: "\u{301}!", reasoning: "\u{200D}👧"))
    #expect(buffer.deadline == .milliseconds(250), "It is due no later than what was there before.")
  }

  // H3.3
  @Test func `the stored text of an earlier run is continued`() {
    var buffer = buffer(StreamPrefix(text: "Hel", reasoning: "hm", nextSequence: 2))
    #expect(buffer.receive(eg.piece(1, "l"), now: .zero) == .duplicate)
    #expect(buffer.receive(eg.piece(2, "lo"), now: .zero) == .appended)
    #expect(buffer.text == "Hello")
    #expect(buffer.unsavedChunk?.text == "lo")
  }

  @Test func `U+0000 is replaced on the screen and on disk alike`() {
    var buffer = buffer()
    _ = buffer.receive(eg.piece(0, "a\0b", reasoning: "\0"), now: .zero)
    #expect(buffer.text == "a\u{FFFD}b")
    #expect(buffer.unsavedChunk?.text == buffer.text)
    #expect(buffer.unsavedChunk?.reasoning == "\u{FFFD}")
  }

  // H3.4
  @Test func `a retried reply replaces the stored text of an earlier run with its first chunk`() throws {
    let stored = StreamPrefix(text: "Hel", reasoning: "hm", nextSequence: 2)
    var buffer = TokenBuffer(
      conversation: eg.conversation.key, sender: eg.user, stored: stored, isWrittenHere: true, isAnew: true)
    #expect(buffer.text.isEmpty)
    #expect(buffer.reasoning.isEmpty)
    _ = buffer.receive(eg.piece(2, "a"), now: .zero)
    let first = try #require(buffer.unsavedChunk)
    #expect(first.replacesEarlier)
    _ = buffer.receive(eg.piece(3, "b"), now: .zero)
    #expect(buffer.unsavedChunk?.replacesEarlier == true, "Nothing has been stored yet.")
    buffer.stored(first)
    #expect(buffer.unsavedChunk?.replacesEarlier == false)
    buffer.stored(try #require(buffer.unsavedChunk))
    _ = buffer.receive(eg.piece(4, "c"), now: .zero)
    #expect(buffer.unsavedChunk?.replacesEarlier == false)
  }
}
