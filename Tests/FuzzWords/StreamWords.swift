import HoldfastCompletions

/// The response of a language model's server. The first byte chooses its API and its form, and the second one the
/// position at which it is cut.
enum StreamWords {
  static func read(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let (body, api) = (bytes[2...], CompletionAPI.allCases[Int(bytes[0]) % CompletionAPI.allCases.count])
    let type = bytes[0] < 200 ? "text/event-stream" : "application/json"
    let size = Int(bytes[1]) % 64 + 1
    let pieces = stride(from: body.startIndex, to: body.endIndex, by: size).map {
      body[$0..<min($0 + size, body.endIndex)]
    }
    let (whole, cut) = (Found(api, type, [body]), Found(api, type, pieces))
    precondition(whole == cut, "in pieces of \(size) it is something else")
  }

  /// The result of parsing a response.
  private struct Found: Equatable {
    var parts: [ModelPart] = []
    var ending: String

    init(_ api: CompletionAPI, _ type: String, _ pieces: [ArraySlice<UInt8>]) {
      var reading = BodyReading(api, status: 200, contentType: type)
      for piece in pieces { parts += reading.read(piece) }
      let (rest, end) = reading.end(isComplete: true)
      parts = Self.joined(parts + rest)
      ending = "\(end)"
    }

    /// The parts merged across the boundaries between pieces.
    private static func joined(_ parts: [ModelPart]) -> [ModelPart] {
      parts.reduce(into: []) { joined, part in
        switch (joined.last, part) {
        case (.text(let before), .text(let more)): joined[joined.count - 1] = .text(before + more)
        case (.reasoning(let before), .reasoning(let more)):
          joined[joined.count - 1] = .reasoning(before + more)
        default: joined.append(part)
        }
      }
    }
  }
}
