import Foundation
import HoldfastCore

/// A value of a JSON text (RFC 8259) in memory.
enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Parses a value that was cut out of a file. A lone surrogate, and bytes that are not UTF-8, become U+FFFD, so
  /// that the rest of a text is not lost.
  ///
  /// - Throws: ``JSONDamage`` when the bytes are not JSON.
  init(_ bytes: Data) throws(JSONDamage) {
    var repeatsKeys = false
    self = try Self.init(bytes, repeatsKeys: &repeatsKeys)
  }

  /// - Parameter repeatsKeys: set to true when an object has a key twice, which happens when bytes between two
  ///   objects are lost. The last value is used.
  init(_ bytes: Data, repeatsKeys: inout Bool) throws(JSONDamage) {
    var reader = JSONValueReader(bytes)
    self = try reader.readAll()
    repeatsKeys = reader.repeatsKeys
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  var object: [String: JSONValue]? { if case .object(let fields) = self { fields } else { nil } }
  var isNull: Bool { self == .null }

  var bool: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(let value) where value == 0 || value == 1: value == 1
    default: nil
    }
  }

  var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The values of an array, or of an object in the order of its keys.
  var elements: [JSONValue] {
    switch self {
    case .array(let values): values
    case .object(let fields): fields.sorted { $0.key < $1.key }.map(\.value)
    default: []
    }
  }

  /// The value for `JSONSerialization`.
  var foundation: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .integer(let value): value
    case .number(let value): value
    case .text(let value): value
    case .array(let values): values.map(\.foundation)
    case .object(let fields): fields.mapValues(\.foundation)
    }
  }

  /// The value as JSON, with sorted keys: equal values give equal bytes.
  var data: Data? {
    try? JSONSerialization.data(
      withJSONObject: foundation, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
  }
}

/// Parses one value. ``JSONCursor`` has already refused a nesting of more than 64 levels, so recursion is safe.
private struct JSONValueReader {
  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0
  private(set) var repeatsKeys = false

  init(_ bytes: Data) { self.bytes = Array(bytes) }

  mutating func readAll() throws(JSONDamage) -> JSONValue {
    let value = try readValue()
    skipSpace()
    guard index == bytes.count else { throw .malformed }
    return value
  }

  private mutating func readValue() throws(JSONDamage) -> JSONValue {
    skipSpace()
    guard index < bytes.count else { throw .ended }
    switch bytes[index] {
    case .openObject: return try nested { reader throws(JSONDamage) in .object(try reader.readObject()) }
    case .openArray: return try nested { reader throws(JSONDamage) in .array(try reader.readArray()) }
    case .quote: return .text(try readText())
    default: return try readScalar()
    }
  }

  private mutating func nested(
    _ read: (inout Self) throws(JSONDamage) -> JSONValue
  ) throws(JSONDamage) -> JSONValue {
    index += 1
    depth += 1
    defer { depth -= 1 }
    guard depth <= JSONCursor.deepest + 1 else { throw .tooDeep }
    return try read(&self)
  }

  private mutating func readObject() throws(JSONDamage) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    while try !ends(with: .closeObject, isFirst: fields.isEmpty) {
      guard peek() == .quote else { throw .malformed }
      let key = try readText()
      skipSpace()
      guard peek() == .colon else { throw .malformed }
      index += 1
      if fields.updateValue(try readValue(), forKey: key) != nil { repeatsKeys = true }
    }
    return fields
  }

  private mutating func readArray() throws(JSONDamage) -> [JSONValue] {
    var values: [JSONValue] = []
    while try !ends(with: .closeArray, isFirst: values.isEmpty) { values.append(try readValue()) }
    return values
  }

  /// Passes the bracket that ends the container, or the comma before its next element.
  private mutating func ends(with bracket: UInt8, isFirst: Bool) throws(JSONDamage) -> Bool {
    skipSpace()
    guard let next = peek() else { throw .ended }
    if next == bracket {
      index += 1
      return true
    }
    guard !isFirst else { return false }
    guard next == .comma else { throw .malformed }
    index += 1
    skipSpace()
    guard peek() != bracket else { throw .malformed }
    return false
  }

  private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
  }

  private mutating func readScalar() throws(JSONDamage) -> JSONValue {
    let start = index
    while index < bytes.count, bytes[index].isOfScalar { index += 1 }
    switch String(decoding: bytes[start..<index], as: UTF8.self) {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case let word:
      // Swift accepts more number formats than JSON: in JSON, neither a plus sign nor a point comes first.
      guard let first = word.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
        throw .malformed
      }
      if let integer = Int64(word) { return .integer(integer) }
      guard let number = Double(word), number.isFinite else { throw .malformed }
      return .number(number)
    }
  }

  private mutating func readText() throws(JSONDamage) -> String {
    index += 1
    var text: [UInt8] = []
    while let byte = peek() {
      switch byte {
      case .quote:
        index += 1
        // Bytes that are not UTF-8 become U+FFFD.
        return String(decoding: text, as: UTF8.self)
      case .backslash: text += String(Character(try readEscape())).utf8
      case ..<0x20: throw .malformed
      default:
        let end = bytes[index...].firstIndex { $0 == .quote || $0 == .backslash || $0 < 0x20 } ?? bytes.count
        text += bytes[index..<end]
        index = end
      }
    }
    throw .ended
  }

  private mutating func readEscape() throws(JSONDamage) -> Unicode.Scalar {
    index += 1
    guard let byte = peek() else { throw .ended }
    index += 1
    switch byte {
    case .quote, .backslash, UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readUnit()
    default: throw .malformed
    }
  }

  /// Reads the digits of `\u`, and those of the second half of a surrogate pair.
  private mutating func readUnit() throws(JSONDamage) -> Unicode.Scalar {
    let high = try readDigits()
    if let scalar = Unicode.Scalar(high) { return scalar }
    let (isHigh, place) = (high < 0xDC00, index)
    guard isHigh, bytes[index...].starts(with: [.backslash, UInt8(ascii: "u")]) else { return "\u{FFFD}" }
    index += 2
    let low = try readDigits()
    guard (0xDC00...0xDFFF).contains(low) else {
      index = place
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private mutating func readDigits() throws(JSONDamage) -> UInt32 {
    guard index + 4 <= bytes.count else { throw .ended }
    let digits = bytes[index..<index + 4]
    index += 4
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { throw .malformed }
    return digits.reduce(0) { $0 << 4 + UInt32(Character(Unicode.Scalar($1)).hexDigitValue ?? 0) }
  }
}
