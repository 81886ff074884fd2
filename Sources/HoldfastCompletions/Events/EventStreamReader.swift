import Foundation

/// Reads an event stream ([WHATWG, server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html),
/// "interpreting an event stream") from bytes, in whatever pieces they come. Pure.
///
/// It reads bytes and not lines: a line break of Unicode inside an event's data ends no line, and a piece may end in the
/// middle of a character. An event without the blank line at its end is dropped, as the standard says.
package struct EventStreamReader: Sendable {
  /// One event.
  package struct Event: Sendable, Hashable {
    /// The event's type: `message` when the stream names none.
    package var name: String
    /// The lines of its data, joined by line feeds. What is not UTF-8 has become U+FFFD.
    package var data: String
  }

  /// An event or a line that is larger than the reader takes.
  package struct TooLarge: Error {}

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The most bytes of one line, and of one event's data.
  private let limit: Int
  /// The bytes of the line that has not ended.
  private var line: [UInt8] = []
  /// The number of bytes at the beginning that are the byte order mark so far. Nil behind it.
  private var markLength: Int? = 0
  /// Whether the last byte ended a line, and was a carriage return: a line feed behind it belongs to it.
  private var isBehindReturn = false
  private var name: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false

  /// The last event ID of the stream.
  package private(set) var lastID = ""
  /// The time after which the server wants to be asked again, in milliseconds. Nil: it gave none.
  package private(set) var retry: Int?
  /// The number of comments, which servers send to keep a connection alive.
  package private(set) var comments = 0

  /// - Parameter limit: the most bytes of one line, and of one event's data: what a server that never ends either can cost.
  package init(limit: Int = 8 << 20) { self.limit = limit }

  /// Reads a piece of the stream. Calls `body` with each event that ends in it.
  ///
  /// - Throws: ``TooLarge``, or what `body` throws. The stream cannot be read on then.
  package mutating func read(_ piece: some Collection<UInt8>, _ body: (Event) throws -> Void) throws {
    let isRead: Void? = try piece.withContiguousStorageIfAvailable { bytes in try read(bytes, body) }
    if isRead == nil { try Array(piece).withUnsafeBufferPointer { try read($0, body) } }
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Event) throws -> Void) throws {
    var index = 0
    while index < bytes.count {
      if let length = markLength {
        guard passesMark(bytes[index], behind: length) else { continue }
        index += 1
        continue
      }
      if isBehindReturn {
        isBehindReturn = false
        if bytes[index] == Self.lineFeed {
          index += 1
          continue
        }
      }
      var end = index
      while end < bytes.count, bytes[end] != Self.lineFeed, bytes[end] != Self.carriageReturn { end += 1 }
      guard line.count + (end - index) <= limit else { throw TooLarge() }
      line.append(contentsOf: bytes[index..<end])
      guard end < bytes.count else { return }
      isBehindReturn = bytes[end] == Self.carriageReturn
      index = end + 1
      try endLine(body)
    }
  }

  /// Whether the byte belongs to a byte order mark at the very beginning. Otherwise what was taken for it is text.
  private mutating func passesMark(_ byte: UInt8, behind length: Int) -> Bool {
    guard byte == Self.byteOrderMark[length] else {
      line.append(contentsOf: Self.byteOrderMark[..<length])
      markLength = nil
      return false
    }
    markLength = length + 1 < Self.byteOrderMark.count ? length + 1 : nil
    return true
  }

  private mutating func endLine(_ body: (Event) throws -> Void) throws {
    defer { line.removeAll(keepingCapacity: line.capacity <= 65_536) }
    guard !line.isEmpty else { return try dispatch(body) }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return try read(field: line[...], []) }
    guard colon > 0 else { return comments += 1 }
    let value = line[(colon + 1)...]
    try read(field: line[..<colon], value.first == UInt8(ascii: " ") ? value.dropFirst() : value)
  }

  private mutating func read(field: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws {
    switch String(decoding: field, as: UTF8.self) {
    case "data":
      guard data.count + value.count < limit else { throw TooLarge() }
      if hasData { data.append(Self.lineFeed) }
      data.append(contentsOf: value)
      hasData = true
    case "event": name = Array(value)
    case "id" where !value.contains(0): lastID = String(decoding: value, as: UTF8.self)
    case "retry" where !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }:
      retry = Int(String(decoding: value, as: UTF8.self)) ?? retry
    default: break
    }
  }

  private mutating func dispatch(_ body: (Event) throws -> Void) throws {
    defer {
      data.removeAll(keepingCapacity: data.capacity <= 65_536)
      (name, hasData) = ([], false)
    }
    guard hasData else { return }
    try body(
      Event(
        name: name.isEmpty ? "message" : String(decoding: name, as: UTF8.self),
        data: String(decoding: data, as: UTF8.self)))
  }
}
