import Foundation
import Testing

@testable import HoldfastCompletions

/// Recorded and made streams of language-model servers, each with its right reading.
enum StreamVectors {
  /// A stream, and what a reader has to find in it.
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    struct Read: Decodable, Sendable {
      var status: Int
      var text, reasoning, refusal, ending: String
      var finish, kind, reason, message: String?
      var toolCalls: [ModelToolCall]
      var usage: ModelUsage?
      var events, comments: Int
    }
    struct Framing: Decodable, Sendable {
      var dispatched: [[String]]
      var lastEventId: String?
      var retry: Int?
    }
    var file: String
    var api: CompletionAPI
    var read: Read
    var framing: Framing?
    var testDescription: String { file }

    /// The bytes as they came from the socket, or the body alone.
    var bytes: [UInt8] {
      get throws { Array(try Data(contentsOf: StreamVectors.folder.appending(path: file))) }
    }
    /// Whether the bytes begin with the head of an HTTP response.
    var hasHead: Bool { file.hasSuffix(".http") }
  }

  private struct File: Decodable { var files: [Vector] }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Streams")
  static let all: [Vector] = {
    let data = try? Data(contentsOf: folder.appending(path: "vectors.json"))
    return (try? data.map { try JSONDecoder().decode(File.self, from: $0).files } ?? []) ?? []
  }()
}

/// Takes the head and the framing of an HTTP response off its bytes, as a client's HTTP does.
struct ResponseFraming {
  private enum Mode { case head, untilClose, length, size, chunk, chunkEnd, trailer, end }

  private var buffer: [UInt8] = []
  private var mode: Mode
  private var left = 0
  private(set) var status = 200
  private(set) var contentType = "text/event-stream"
  /// Whether the body came to its end.
  private(set) var isComplete: Bool

  init(hasHead: Bool) { (mode, isComplete) = (hasHead ? .head : .untilClose, !hasHead) }

  /// Reads a piece of the response. Returns what it adds to the body.
  mutating func read(_ piece: some Collection<UInt8>) -> [UInt8] {
    buffer += piece
    var body: [UInt8] = []
    while step(&body) {}
    return body
  }

  private mutating func step(_ body: inout [UInt8]) -> Bool {
    switch mode {
    case .end: return false
    case .head:
      guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
      readHead(String(decoding: buffer[..<end.lowerBound], as: UTF8.self))
      buffer.removeSubrange(..<end.upperBound)
      return true
    case .untilClose:
      body += buffer
      buffer = []
      return false
    case .length, .chunk:
      let count = min(left, buffer.count)
      body += buffer[..<count]
      buffer.removeSubrange(..<count)
      left -= count
      guard left == 0 else { return false }
      (mode, isComplete) = mode == .length ? (.end, true) : (.chunkEnd, false)
      return true
    case .size, .chunkEnd, .trailer:
      guard let end = buffer.firstRange(of: Array("\r\n".utf8)) else { return false }
      let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
      buffer.removeSubrange(..<end.upperBound)
      readLine(line)
      return true
    }
  }

  private mutating func readLine(_ line: String) {
    switch mode {
    case .size:
      left = Int(line.prefix { $0.isHexDigit }, radix: 16) ?? 0
      mode = left > 0 ? .chunk : .trailer
    case .chunkEnd: mode = .size
    default: if line.isEmpty { (mode, isComplete) = (.end, true) }
    }
  }

  private mutating func readHead(_ head: String) {
    let lines = head.components(separatedBy: "\r\n")
    status = Int(lines[0].split(separator: " ")[1]) ?? 0
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
        in: .whitespaces)
    }
    contentType = fields["content-type"] ?? ""
    left = Int(fields["content-length"] ?? "") ?? 0
    if fields["transfer-encoding"]?.contains("chunked") == true {
      mode = .size
    } else if fields["content-length"] != nil {
      (mode, isComplete) = left == 0 ? (.end, true) : (.length, false)
    } else {
      (mode, isComplete) = (.untilClose, true)
    }
  }
}
