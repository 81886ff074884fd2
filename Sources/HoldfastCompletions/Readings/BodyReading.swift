import Foundation
import HoldfastHTTP

/// Reads the body of an HTTP response as the answer of a model's server, streamed or not. Pure.
///
/// Its first bytes say what it is. Servers and proxies name other types for an event stream, or none, and answer with
/// an error under its type.
package struct BodyReading: Sendable {
  private enum Form: Sendable { case eventStream, document }

  /// The most bytes of a body that is no event stream.
  private static let mostBytes = 8 << 20

  private let status: Int
  private let isNamedStream: Bool
  private var form: Form?
  package private(set) var answer: AnswerReading
  package private(set) var events = EventStreamReader()
  /// The body, until it is known to be an event stream.
  private var body: [UInt8] = []

  /// - Parameter contentType: the response's `Content-Type`.
  package init(_ api: CompletionAPI, status: Int, contentType: String) {
    let type = contentType.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    self.status = status
    isNamedStream = type.lowercased() == "text/event-stream"
    answer = AnswerReading(api)
  }

  /// Whether nothing that follows counts.
  package var isOver: Bool { answer.isDone || answer.failure != nil }

  /// The body of an answer that is no event stream.
  private var document: String { String(decoding: body, as: UTF8.self) }

  /// Reads a piece of the body. Returns what it adds to the answer.
  package mutating func read(_ piece: some Collection<UInt8>) -> [ModelPart] {
    guard form != .eventStream else { return readEvents(piece) }
    guard body.count + piece.count <= Self.mostBytes else {
      answer.fail("too large")
      return []
    }
    body += piece
    if form == nil { form = Self.form(of: body, isNamedStream) }
    guard form == .eventStream else { return [] }
    defer { body = [] }
    return readEvents(body)
  }

  private mutating func readEvents(_ piece: some Collection<UInt8>) -> [ModelPart] {
    var arrived: [EventStreamReader.Event] = []
    var isTooLarge = false
    do {
      try events.read(piece) { arrived.append($0) }
    } catch {
      isTooLarge = true
    }
    var parts: [ModelPart] = []
    for event in arrived {
      parts += answer.read(event.data, named: event.name == "message" ? nil : event.name)
    }
    if isTooLarge { answer.fail("too large") }
    return parts
  }

  /// What a body is, by its beginning. Nil while that is too short.
  private static func form(of bytes: [UInt8], _ isNamedStream: Bool) -> Form? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard bytes.count >= mark.count || !mark.starts(with: bytes) else { return nil }
    let text = (bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...])
      .drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard let first = text.first else { return nil }
    guard !"{[<\"".utf8.contains(first) else { return .document }
    guard !isNamedStream else { return .eventStream }
    let name = text.prefix { $0 != UInt8(ascii: ":") && $0 != 0x0A && $0 != 0x0D }
    let names = ["", "data", "event", "id", "retry"].map { Array($0.utf8) }
    guard name.count == text.count else { return names.contains(Array(name)) ? .eventStream : .document }
    return names.contains { $0.starts(with: name) } ? nil : .document
  }

  /// The end of the body.
  ///
  /// - Parameter isComplete: whether the body came to its end, as HTTP frames it.
  package mutating func end(isComplete: Bool) -> (parts: [ModelPart], AnswerReading.Ending) {
    let isStream = form == .eventStream || (form == nil && isNamedStream)
    let parts = isStream ? [] : answer.read(document)
    let (rest, ending) = answer.end(isComplete: isComplete)
    switch (ending, answer.failure?.reason) {
    case (.failed(let reason, let message), let read?) where status >= 400 && read != "malformed":
      return (parts + rest, .failed(reason, message: complaint.sentence ?? message))
    case (_, _) where status >= 400:
      return (parts + rest, .failed("http \(status)", message: complaint.sentence))
    case (.failed, "malformed") where !isStream:
      return (parts + rest, .failed("not an event stream", message: nil))
    default: return (parts + rest, ending)
    }
  }

  /// What the body of an error says. A text that is no JSON is its sentence, unless it is a page or long.
  var complaint: ServerComplaint {
    if let fields = try? JSONFields(document) { return ServerComplaint(fields) }
    let isText = body.count < 2_000 && !document.hasPrefix("<")
    return ServerComplaint(
      sentence: isText ? document.trimmingCharacters(in: .whitespacesAndNewlines) : "")
  }
}
