import Foundation
import Testing

@testable import HoldfastCompletions

/// The reading of recorded and made streams, whole and in pieces of every size (rule B10).
@Suite struct AnswerReadingTests {
  /// What was read.
  private struct Found {
    var text = ""
    var reasoning = ""
    var reading: BodyReading?
    var ending: AnswerReading.Ending = .interrupted("")
    var events: [[String]] = []
    var stream = EventStreamReader()
  }

  private static func read(_ vector: StreamVectors.Vector, _ pieces: [ArraySlice<UInt8>]) -> Found {
    var (framing, found) = (ResponseFraming(hasHead: vector.hasHead), Found())
    func add(_ parts: [ModelPart]) {
      for part in parts {
        switch part {
        case .text(let text): found.text += text
        case .reasoning(let text): found.reasoning += text
        case .end: break
        }
      }
    }
    for piece in pieces {
      let body = framing.read(piece)
      guard !body.isEmpty else { continue }
      if found.reading == nil {
        found.reading = BodyReading(vector.api, status: framing.status, contentType: framing.contentType)
      }
      add(found.reading?.read(body) ?? [])
      var events: [[String]] = []
      try? found.stream.read(body) { events.append([$0.name, $0.data]) }
      found.events += events
    }
    var reading =
      found.reading ?? BodyReading(vector.api, status: framing.status, contentType: framing.contentType)
    let (rest, ending) = reading.end(isComplete: framing.isComplete)
    add(rest)
    (found.ending, found.reading) = (ending, reading)
    return found
  }

  /// The stream whole, byte by byte, and cut at random places.
  private static func ways(_ bytes: [UInt8]) -> [(name: String, pieces: [ArraySlice<UInt8>])] {
    let step = bytes.count < 60_000 ? 1 : 7
    var ways = [
      ("whole", [bytes[...]]),
      ("by \(step)", pieces(bytes, at: Array(stride(from: step, to: bytes.count, by: step)))),
    ]
    var random = SystemRandomNumberGenerator()
    for number in 0..<8 {
      let count = [2, 9, 60].randomElement(using: &random) ?? 2
      let cuts = (0..<count).map { _ in Int.random(in: 0...bytes.count, using: &random) }
      ways.append(("random \(number) at \(cuts)", pieces(bytes, at: cuts)))
    }
    return ways
  }

  private static func pieces(_ bytes: [UInt8], at cuts: [Int]) -> [ArraySlice<UInt8>] {
    let places = [0] + cuts.sorted() + [bytes.count]
    return zip(places, places.dropFirst()).map { bytes[$0..<$1] }.filter { !$0.isEmpty }
  }

  // B10.1
  @Test func `all vectors are there, and every stream has one`() throws {
    #expect(StreamVectors.all.count == 228)
    let named = Set(StreamVectors.all.map(\.file))
    for folder in ["recorded", "made"] {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: StreamVectors.folder.appending(path: folder).path)
      for file in files { #expect(named.contains("\(folder)/\(file)")) }
    }
  }

  // B10.1
  @Test(arguments: StreamVectors.all) func `a stream is read right, in whatever pieces it comes`(
    vector: StreamVectors.Vector
  ) throws {
    for (way, pieces) in Self.ways(try vector.bytes) {
      let (found, wanted) = (Self.read(vector, pieces), vector.read)
      let reading = try #require(found.reading)
      #expect(found.text == wanted.text + wanted.refusal, "\(way)")
      #expect(found.reasoning == wanted.reasoning, "\(way)")
      #expect(reading.answer.refusal == wanted.refusal, "\(way)")
      #expect(reading.answer.usage == wanted.usage, "\(way)")
      #expect(reading.answer.finish == wanted.finish, "\(way)")
      #expect(Self.comparable(reading.answer.calls.calls) == Self.comparable(wanted.toolCalls), "\(way)")
      switch found.ending {
      case .whole(let end):
        #expect(wanted.ending == "whole", "\(way)")
        #expect(end.reason.rawValue == wanted.kind, "\(way)")
      case .interrupted(let reason):
        #expect(wanted.ending == "interrupted", "\(way)")
        #expect(reason == wanted.reason, "\(way)")
      case .failed(let reason, let message):
        #expect(wanted.ending == "failed", "\(way)")
        #expect(reason == wanted.reason, "\(way)")
        #expect(message == wanted.message, "\(way)")
      }
      if wanted.status == 200, wanted.events > 0 {
        #expect(reading.events.comments == wanted.comments, "\(way)")
        #expect(found.events.count == wanted.events, "\(way)")
      }
      if let framing = vector.framing {
        #expect(found.events == framing.dispatched, "\(way)")
        if let last = framing.lastEventId { #expect(found.stream.lastID == last, "\(way)") }
        if let retry = framing.retry { #expect(found.stream.retry == retry, "\(way)") }
      }
    }
  }

  /// The calls with their arguments as JSON values, where they are that.
  private static func comparable(_ calls: [ModelToolCall]) -> [ModelToolCall] {
    calls.map { call in
      let value = try? JSONSerialization.jsonObject(
        with: Data(call.arguments.utf8), options: [.fragmentsAllowed])
      let sorted = value.flatMap {
        try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys, .fragmentsAllowed])
      }
      return ModelToolCall(
        id: call.id, name: call.name,
        arguments: sorted.map { String(decoding: $0, as: UTF8.self) } ?? call.arguments)
    }
  }
}
