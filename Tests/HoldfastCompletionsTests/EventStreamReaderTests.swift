import Foundation
import Testing

@testable import HoldfastCompletions

/// What a hostile or broken server can send (rule B10).
@Suite struct EventStreamReaderTests {
  // B10.1
  @Test func `a line without an end is refused, whatever the size of its pieces`() throws {
    for size in [1, 1_000, 100_000] {
      var reader = EventStreamReader(limit: 200_000)
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: size)
      #expect(throws: EventStreamReader.TooLarge.self) {
        for _ in 0...(200_000 / size) { try reader.read(piece) { _ in Issue.record("an event") } }
      }
    }
  }

  // B10.1
  @Test func `an event of endless lines is refused`() throws {
    var reader = EventStreamReader(limit: 200_000)
    #expect(throws: EventStreamReader.TooLarge.self) {
      for _ in 0..<30_000 { try reader.read(Array("data: 12345678\n".utf8)) { _ in } }
    }
  }

  // B10.1
  @Test func `a million empty events are passed over`() throws {
    var (reader, events) = (EventStreamReader(), 0)
    let piece = Array(String(repeating: "data:\n\n: ping\n\n\n", count: 1_000).utf8)
    for _ in 0..<1_000 { try reader.read(piece) { _ in events += 1 } }
    #expect((events, reader.comments) == (1_000_000, 1_000_000))
  }

  // B10.1
  @Test func `the calls of tools in an answer have a limit`() {
    var reading = AnswerReading(.chatCompletions)
    let arguments = String(repeating: "x", count: 10_000)
    for _ in 0..<200 {
      _ = reading.read(
        #"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"\#(arguments)"}}]}}]}"#
      )
    }
    #expect(reading.failure?.reason == "tool calls too large")
    #expect(reading.calls.calls.map(\.arguments.utf8.count).reduce(0, +) < 1 << 21)
  }

  // B10.1
  @Test func `a body that is no event stream has a limit`() {
    var reading = BodyReading(.chatCompletions, status: 500, contentType: "text/html")
    for _ in 0..<20 { _ = reading.read([UInt8](repeating: 0x20, count: 1 << 20)) }
    #expect(reading.isOver)
    #expect(reading.end(isComplete: true).1 == .failed("too large", message: nil))
  }

  // B10.1
  @Test func `halves of characters are joined, and a half alone is one replacement`() {
    var reading = AnswerReading(.chatCompletions)
    var text = ""
    for content in [
      #"a\ud83d"#, #"\udc4d"#, #"\ud83d"#, "b", #"\udc4d\\ud83d \u00e9 \ud83d\udc4d"#, #"\ud83d"#,
    ] {
      for case .text(let part) in reading.read(#"{"choices":[{"delta":{"content":"\#(content)"}}]}"#) {
        text += part
      }
    }
    for case .text(let part) in reading.end(isComplete: true).parts { text += part }
    #expect(text == "a👍\u{FFFD}b\u{FFFD}\\ud83d é 👍\u{FFFD}")
  }
}
