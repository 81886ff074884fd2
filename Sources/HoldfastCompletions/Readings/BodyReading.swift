import Foundation

/// Reads the body of an HTTP response as the answer of a model's server, streamed or not. Pure.
package struct BodyReading: Sendable {
  /// The most bytes of a body that is no event stream.
  private static let mostBytes = 8 << 20

  private let status: Int
  private let isStream: Bool
  package private(set) var answer: AnswerReading
  package private(set) var events = EventStreamReader()
  /// The body, where it is no event stream.
  private var body: [UInt8] = []

  /// - Parameter contentType: the response's `Content-Type`.
  package init(_ api: CompletionAPI, status: Int, contentType: String) {
    let type = contentType.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    self.status = status
    isStream = status == 200 && type.lowercased() == "text/event-stream"
    answer = AnswerReading(api)
  }

  /// Whether nothing that follows counts.
  package var isOver: Bool { answer.isDone || answer.failure != nil }

  /// Reads a piece of the body. Returns what it adds to the answer.
  package mutating func read(_ piece: some Collection<UInt8>) -> [ModelPart] {
    guard isStream else {
      if body.count + piece.count > Self.mostBytes { answer.fail("too large") } else { body += piece }
      return []
    }
    var arrived: [String] = []
    var isTooLarge = false
    do {
      try events.read(piece) { arrived.append($0.data) }
    } catch {
      isTooLarge = true
    }
    var parts: [ModelPart] = []
    for data in arrived { parts += answer.read(data) }
    if isTooLarge { answer.fail("too large") }
    return parts
  }

  /// The end of the body.
  ///
  /// - Parameter isComplete: whether the body came to its end, as HTTP frames it.
  package mutating func end(isComplete: Bool) -> (parts: [ModelPart], AnswerReading.Ending) {
    guard !isStream else { return answer.end(isComplete: isComplete) }
    let parts = answer.read(String(decoding: body, as: UTF8.self))
    let (rest, ending) = answer.end(isComplete: isComplete)
    switch (ending, answer.failure?.reason) {
    case (.failed(let reason, let message), let read?) where status >= 400 && read != "malformed":
      return (parts + rest, .failed(reason, message: message))
    case (_, _) where status >= 400: return (parts + rest, .failed("http \(status)", message: nil))
    case (.failed, "malformed"): return (parts + rest, .failed("not an event stream", message: nil))
    default: return (parts + rest, ending)
    }
  }
}
