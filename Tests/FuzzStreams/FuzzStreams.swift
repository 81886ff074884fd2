import Foundation

// Damaged streams for the reader of models' answers. Compiled by scripts/fuzz-streams.sh together with the reader's sources, under
// libFuzzer and Address Sanitizer, or without them as a program that measures.

/// What was read of a stream.
private struct Found: Equatable {
  var parts: [ModelPart] = []
  var ending = ""
}

private func read(_ api: CompletionAPI, _ type: String, _ pieces: [ArraySlice<UInt8>]) -> Found {
  var (reading, found) = (BodyReading(api, status: 200, contentType: type), Found())
  for piece in pieces { found.parts += reading.read(piece) }
  let (rest, ending) = reading.end(isComplete: true)
  found.parts = joined(found.parts + rest)
  found.ending = "\(ending)"
  return found
}

/// The parts without the borders between pieces.
private func joined(_ parts: [ModelPart]) -> [ModelPart] {
  parts.reduce(into: []) { joined, part in
    switch (joined.last, part) {
    case (.text(let before), .text(let more)): joined[joined.count - 1] = .text(before + more)
    case (.reasoning(let before), .reasoning(let more)): joined[joined.count - 1] = .reasoning(before + more)
    default: joined.append(part)
    }
  }
}

#if FUZZING
  /// The first two bytes choose how the stream is read, and where it is cut.
  @_cdecl("LLVMFuzzerTestOneInput") public func readOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int)
    -> CInt
  {
    guard let start, count > 2 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let (body, api) = (bytes[2...], CompletionAPI.allCases[Int(bytes[0]) % CompletionAPI.allCases.count])
    let type = bytes[0] < 200 ? "text/event-stream" : "application/json"
    let size = Int(bytes[1]) % 64 + 1
    let pieces = stride(from: body.startIndex, to: body.endIndex, by: size).map {
      body[$0..<min($0 + size, body.endIndex)]
    }
    let (whole, cut) = (read(api, type, [body]), read(api, type, pieces))
    precondition(whole == cut, "in pieces of \(size) it is something else")
    return 0
  }
#else
  /// Reads a long stream, and tells how much memory the process took at most.
  @main struct Measure {
    static func main() {
      let delta = Array(
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n"
          .utf8)
      let empty = Array("data:\n\n".utf8)
      let endless = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
      let large = Array(repeating: delta, count: 700).flatMap(\.self)
      measure("2 GB of words", times: (2 << 30) / large.count, large[...])
      measure("16 MB of words, byte by byte", times: (16 << 20) / delta.count, delta[...], size: 1)
      measure("1,000,000 empty events", times: 1_000_000, empty[...])
      measure("2 GB in one line", times: (2 << 30) / endless.count, endless[...])
    }

    private static func measure(_ name: String, times: Int, _ piece: ArraySlice<UInt8>, size: Int? = nil) {
      var reading = BodyReading(.chatCompletions, status: 200, contentType: "text/event-stream")
      let (before, start) = (peak(), ContinuousClock.now)
      var parts = 0
      for _ in 0..<times where !reading.isOver {
        guard size != nil else {
          parts += reading.read(piece).count
          continue
        }
        for index in piece.indices { parts += reading.read(piece[index..<(index + 1)]).count }
      }
      let ending = reading.end(isComplete: true).1
      let time = (ContinuousClock.now - start) / .seconds(1)
      print(
        "\(name): \(parts) parts, \(ending), \(String(format: "%.1f", time)) s, \((peak() - before) >> 10) MB more"
      )
    }

    /// The most memory that the process has had, in KB.
    private static func peak() -> Int {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      return status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        .flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
  }
#endif
