import Foundation
import HoldfastCore
import HoldfastStore

/// The reason why a JSON text cannot be read further. It never contains any contents.
package enum JSONDamage: Error, Equatable {
  /// The text is not JSON from here on.
  case malformed
  /// The text ends in the middle of a value.
  case ended
  /// The value is larger than the limit.
  case tooLarge
  /// The value is nested deeper than ``JSONCursor/deepest``.
  case tooDeep
}

/// Walks through a JSON text of any length (RFC 8259) and holds one piece of it at a time. It enters objects and
/// arrays, skips values, and cuts values out for a decoder. Pure except for `read`.
///
/// The cursor checks only where values begin and end, so the decoder may still refuse a value that was cut out. It
/// does not recurse, so any depth of nesting is safe. It reads every byte once.
package struct JSONCursor {
  /// A value that is nested deeper than this is skipped and not cut out.
  static let deepest = 64

  /// Returns any number of bytes from an offset on. Empty at the end.
  private let read: (_ offset: Int64) throws -> Data
  private var piece: [UInt8] = []
  private var index = 0
  private var start: Int64 = 0

  init(_ read: @escaping (_ offset: Int64) throws -> Data) { self.read = read }

  init(_ bytes: Data, piece: Int = 1 << 16) {
    self.init { offset in
      let from = bytes.startIndex + Int(min(offset, Int64(bytes.count)))
      return bytes[from..<min(from + piece, bytes.endIndex)]
    }
  }

  /// The offset of the next byte.
  var offset: Int64 { start + Int64(index) }

  mutating func move(to offset: Int64) {
    if offset >= start, offset <= start + Int64(piece.count) {
      index = Int(offset - start)
    } else {
      (piece, index, start) = ([], 0, max(0, offset))
    }
  }

  /// Moves to an offset in a backward walk: the bytes before it are loaded too, so that each byte is read about
  /// twice.
  mutating func moveBack(to offset: Int64) throws {
    if offset < start || offset >= start + Int64(piece.count) {
      move(to: max(0, offset - (1 << 15)))
      _ = try peek()
    }
    move(to: offset)
  }

  /// The next byte, without passing it. Nil at the end.
  mutating func peek() throws -> UInt8? {
    if index == piece.count {
      let next = offset
      piece = Array(try read(next))
      (start, index) = (next, 0)
      if piece.isEmpty { return nil }
    }
    return piece[index]
  }

  mutating func step() { move(to: offset + 1) }

  /// Skips white space and returns the next byte, without passing it. Nil at the end.
  mutating func peekValue() throws -> UInt8? {
    while let byte = try peek() {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      index += 1
    }
    return nil
  }

  /// Skips white space and the byte that must come next.
  mutating func expect(_ byte: UInt8) throws {
    guard let next = try peekValue() else { throw JSONDamage.ended }
    guard next == byte else { throw JSONDamage.malformed }
    index += 1
  }

  /// Moves to the next element of the array that was entered. False when the array has ended.
  mutating func nextElement(isFirst: Bool) throws -> Bool {
    guard let next = try peekValue() else { throw JSONDamage.ended }
    if next == .closeArray {
      index += 1
      return false
    }
    if isFirst { return true }
    try expect(.comma)
    guard try peekValue() != .closeArray else { throw JSONDamage.malformed }
    return true
  }

  /// Returns the next key of the object that was entered, and moves to its value. Nil when the object has ended. An
  /// unreadable key, or a key of more than `limit` bytes, is returned as an empty text.
  mutating func nextKey(isFirst: Bool, atMost limit: Int = 256) throws -> String? {
    guard let next = try peekValue() else { throw JSONDamage.ended }
    if next == .closeObject {
      index += 1
      return nil
    }
    if !isFirst { try expect(.comma) }
    guard let quote = try peekValue() else { throw JSONDamage.ended }
    guard quote == .quote else { throw JSONDamage.malformed }
    var key: Data?
    do { key = try cut(atMost: limit) } catch JSONDamage.tooLarge { key = nil }
    try expect(.colon)
    return key.flatMap(Self.key) ?? ""
  }

  private static func key(_ bytes: Data) -> String? {
    guard bytes.contains(.backslash) else {
      return String(bytes: bytes.dropFirst().dropLast(), encoding: .utf8)
    }
    return try? JSONDecoder().decode(String.self, from: bytes)
  }

  /// Skips the next value.
  mutating func skip() throws {
    var none: [UInt8] = []
    do { try pass(&none, atMost: nil) } catch JSONDamage.tooDeep {}
  }

  /// Cuts out the next value. A value that is too large or too deep is skipped before the error is thrown.
  mutating func cut(atMost limit: Int) throws -> Data {
    var bytes: [UInt8] = []
    try pass(&bytes, atMost: limit)
    return Data(bytes)
  }

  /// Takes the bytes before the next quote or backslash, up to the end of the present piece. The cursor is inside a
  /// text.
  mutating func plainBytes() throws -> ArraySlice<UInt8> {
    guard try peek() != nil else { throw JSONDamage.ended }
    let rest = piece[index...]
    let end = rest.firstIndex { $0 == .quote || $0 == .backslash } ?? rest.endIndex
    index = end
    return rest[..<end]
  }

  /// Moves past the next value. With a limit, the value's bytes are collected.
  private mutating func pass(_ bytes: inout [UInt8], atMost limit: Int?) throws {
    guard let first = try peekValue() else { throw JSONDamage.ended }
    guard first == .quote || first == .openObject || first == .openArray || first.isOfScalar else {
      throw JSONDamage.malformed
    }
    var scan = JSONScan()
    var isTooLarge = false
    while !scan.isDone {
      guard try peek() != nil else {
        // A number may end with the text.
        if scan.isBareScalar { break }
        throw JSONDamage.ended
      }
      let from = index
      index = piece.withUnsafeBufferPointer { scan.go(through: $0, from: from) }
      if let limit, !isTooLarge {
        isTooLarge = bytes.count + index - from > limit
        if isTooLarge { bytes = [] } else { bytes += piece[from..<index] }
      }
      if scan.isMalformed { throw JSONDamage.malformed }
    }
    if isTooLarge { throw JSONDamage.tooLarge }
    if scan.deepest > Self.deepest { throw JSONDamage.tooDeep }
  }
}

/// Follows one value byte by byte to its end. It tracks strings and open brackets, and checks that the bytes in
/// between come in an order that JSON allows.
private struct JSONScan {
  private(set) var isDone = false
  private(set) var isMalformed = false
  private(set) var deepest = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The last byte outside of strings that is not white space: a quote for a string, `0` for a scalar. 0 before
  /// the first one.
  var last: UInt8 = 0
  /// The open brackets, up to a depth of ``JSONCursor/deepest``.
  private var open: [UInt8] = []

  /// Whether the value is a number or a word outside all brackets.
  var isBareScalar: Bool { depth == 0 && last == .scalar && !isInString }

  /// Continues until the value or the bytes end. Returns the index after the last consumed byte.
  mutating func go(through bytes: UnsafeBufferPointer<UInt8>, from: Int) -> Int {
    var index = from
    while index < bytes.count {
      let byte = bytes[index]
      if isInString {
        index = passString(bytes, from: index)
        if isDone || isMalformed { return index }
        continue
      }
      // The byte after a bare number is not part of the number.
      if isBareScalar, !byte.isOfScalar {
        isDone = true
        return index
      }
      index += 1
      consume(byte)
      if isDone || isMalformed { return index }
    }
    return index
  }

  private mutating func passString(_ bytes: UnsafeBufferPointer<UInt8>, from: Int) -> Int {
    var index = from
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if isEscaped {
        isEscaped = false
      } else if byte == .backslash {
        isEscaped = true
      } else if byte == .quote {
        isInString = false
        isDone = depth == 0
        return index
      } else if byte < 0x20 {
        // No JSON string contains such a byte: the text is damaged, and the string's end may be far away.
        isMalformed = true
        return index
      }
    }
    return index
  }

  private mutating func consume(_ byte: UInt8) {
    let isBehindValue = last == .quote || last == .closeObject || last == .closeArray || last == .scalar
    switch byte {
    case 0x20, 0x0A, 0x0D, 0x09:
      // A word after white space is a new value.
      if last == .scalar { last = .closeArray }
      return
    case .quote:
      isMalformed = isBehindValue
      isInString = true
    case .openObject, .openArray:
      isMalformed = isBehindValue
      depth += 1
      deepest = max(deepest, depth)
      if depth <= JSONCursor.deepest { open.append(byte) }
    case .closeObject, .closeArray:
      if depth <= JSONCursor.deepest {
        // "{" and "}", and "[" and "]", differ by two.
        isMalformed = open.popLast() != byte - 2 || last == .comma || last == .colon
      }
      depth -= 1
      isDone = depth <= 0
    case .comma, .colon:
      isMalformed = !isBehindValue || depth == 0
    default:
      guard byte.isOfScalar, last == .scalar || !isBehindValue else {
        isMalformed = true
        return
      }
      last = .scalar
      return
    }
    last = byte
  }
}

extension UInt8 {
  package static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let openObject = UInt8(ascii: "{")
  static let closeObject = UInt8(ascii: "}")
  static let openArray = UInt8(ascii: "[")
  static let closeArray = UInt8(ascii: "]")
  static let comma = UInt8(ascii: ",")
  package static let colon = UInt8(ascii: ":")
  fileprivate static let scalar = UInt8(ascii: "0")

  /// Whether the byte can be part of a number, or of `true`, `false` or `null`.
  var isOfScalar: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
