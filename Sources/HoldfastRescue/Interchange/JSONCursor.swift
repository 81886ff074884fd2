import Foundation
import HoldfastCore
import HoldfastStore

/// Why a JSON text cannot be read on from a place. Never what stands there.
package enum JSONDamage: Error, Equatable {
  /// It is no JSON from here on.
  case malformed
  /// It ends in the middle of a value.
  case ended
  /// The value is larger than is taken at once.
  case tooLarge
  /// The value is nested deeper than anything that is read here.
  case tooDeep
}

/// Walks through a JSON text of any length (RFC 8259), of which it holds one piece at a time. It enters objects and
/// arrays, passes over values, and cuts values out for a decoder. Pure but for what `read` does.
///
/// It looks at where values begin and end, and at nothing in them: a value that it has cut may still be refused by the
/// decoder. It calls itself for nothing, so that no nesting is too deep for it, and it reads every byte once.
package struct JSONCursor {
  /// A value that is nested deeper than this is passed over, and not cut out.
  static let deepest = 64

  /// Gives the bytes from an offset on, as many as it likes; none at the end.
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

  /// Of the byte that comes next.
  var offset: Int64 { start + Int64(index) }

  mutating func move(to offset: Int64) {
    if offset >= start, offset <= start + Int64(piece.count) {
      index = Int(offset - start)
    } else {
      (piece, index, start) = ([], 0, max(0, offset))
    }
  }

  /// The byte that comes next, which stays. Nil: the end.
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

  /// The first byte behind white space. Nil: the end.
  mutating func peekValue() throws -> UInt8? {
    while let byte = try peek() {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      index += 1
    }
    return nil
  }

  /// Passes over the byte that must come next, behind white space.
  mutating func expect(_ byte: UInt8) throws {
    guard let next = try peekValue() else { throw JSONDamage.ended }
    guard next == byte else { throw JSONDamage.malformed }
    index += 1
  }

  /// In an array that was entered: goes to the next element. False: it has ended.
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

  /// In an object that was entered: the next key, and goes to its value. Nil: it has ended. A key of more than 256
  /// bytes, or none that can be read, is an empty one.
  mutating func nextKey(isFirst: Bool) throws -> String? {
    guard let next = try peekValue() else { throw JSONDamage.ended }
    if next == .closeObject {
      index += 1
      return nil
    }
    if !isFirst { try expect(.comma) }
    guard let quote = try peekValue() else { throw JSONDamage.ended }
    guard quote == .quote else { throw JSONDamage.malformed }
    var key: Data?
    do { key = try cut(atMost: 256) } catch JSONDamage.tooLarge { key = nil }
    try expect(.colon)
    return key.flatMap(Self.key) ?? ""
  }

  private static func key(_ bytes: Data) -> String? {
    guard bytes.contains(.backslash) else {
      return String(bytes: bytes.dropFirst().dropLast(), encoding: .utf8)
    }
    return try? JSONDecoder().decode(String.self, from: bytes)
  }

  /// Passes over the value that comes next.
  mutating func skip() throws {
    var none: [UInt8] = []
    do { try pass(&none, atMost: nil) } catch JSONDamage.tooDeep {}
  }

  /// Cuts out the value that comes next. One that is too large or too deep is passed over before that is told.
  mutating func cut(atMost limit: Int) throws -> Data {
    var bytes: [UInt8] = []
    try pass(&bytes, atMost: limit)
    return Data(bytes)
  }

  /// Passes over a value to its end. With a limit it is collected.
  private mutating func pass(_ bytes: inout [UInt8], atMost limit: Int?) throws {
    guard let first = try peekValue() else { throw JSONDamage.ended }
    guard first == .quote || first == .openObject || first == .openArray || first.isOfScalar else {
      throw JSONDamage.malformed
    }
    var scan = JSONScan()
    var isTooLarge = false
    while !scan.isDone {
      guard try peek() != nil else {
        // A number ends where the text does.
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

/// Follows one value byte by byte to its end: where strings begin and end, which brackets are open, and that what stands
/// between is in an order that JSON can have.
private struct JSONScan {
  private(set) var isDone = false
  private(set) var isMalformed = false
  private(set) var deepest = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The last byte outside of strings that is no white space; a quote for a string, `0` for a scalar. 0: none.
  var last: UInt8 = 0
  /// The brackets that are open, as far as they are looked at.
  private var open: [UInt8] = []

  /// It began as a number or a word, and lies in no bracket.
  var isBareScalar: Bool { depth == 0 && last == .scalar && !isInString }

  /// Goes on until the value ends, or the bytes do. Gives the place behind.
  mutating func go(through bytes: UnsafeBufferPointer<UInt8>, from: Int) -> Int {
    var index = from
    while index < bytes.count {
      let byte = bytes[index]
      if isInString {
        index = passString(bytes, from: index)
        if isDone || isMalformed { return index }
        continue
      }
      // The byte behind a bare number is not the number's.
      if isBareScalar, !byte.isOfScalar {
        isDone = true
        return index
      }
      index += 1
      take(byte)
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
        // No string has such a byte: the text is damaged, and the string's end may be far from here.
        isMalformed = true
        return index
      }
    }
    return index
  }

  private mutating func take(_ byte: UInt8) {
    let isBehindValue = last == .quote || last == .closeObject || last == .closeArray || last == .scalar
    switch byte {
    case 0x20, 0x0A, 0x0D, 0x09:
      // A word that goes on behind white space is two.
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
        // "{" and "}", "[" and "]" are two apart.
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

  /// Of a number, or of `true`, `false` and `null`.
  fileprivate var isOfScalar: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
