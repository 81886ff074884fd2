/// A strict parser of JSON texts (RFC 8259). It shares no code with the importer, whose counts are compared with its
/// results.
struct ShapeReader {
  private struct NoJSON: Error {}

  /// The nesting beyond which a file is not counted: this parser recurses for each level.
  private static let deepest = 200

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The consecutive values of a file. Nil when any of it is not JSON.
  static func values(_ bytes: [UInt8]) -> [Shape]? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = ShapeReader(bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes)
    var values: [Shape] = []
    do {
      while reader.next() != nil { values.append(try reader.value()) }
      return values
    } catch { return nil }
  }

  /// The next byte that is not white space.
  private mutating func next() -> UInt8? {
    while index < bytes.count, " \n\r\t".utf8.contains(bytes[index]) { index += 1 }
    return index < bytes.count ? bytes[index] : nil
  }

  private mutating func take(_ character: Character) throws {
    guard next() == character.asciiValue else { throw NoJSON() }
    index += 1
  }

  private mutating func value() throws -> Shape {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw NoJSON() }
    return switch next() {
    case UInt8(ascii: "{"): try object()
    case UInt8(ascii: "["): try list()
    case UInt8(ascii: "\""): .text(try text())
    default: .plain(try word())
    }
  }

  private mutating func list() throws -> Shape {
    var values: [Shape] = []
    try each("[", "]") { reader in values.append(try reader.value()) }
    return .list(values)
  }

  private mutating func object() throws -> Shape {
    var fields: [Shape.Field] = []
    try each("{", "}") { reader in
      let name = try reader.text()
      try reader.take(":")
      fields.append(.init(name: name, value: try reader.value()))
    }
    return .fields(fields)
  }

  private mutating func each(_ open: Character, _ close: Character, _ read: (inout Self) throws -> Void)
    throws
  {
    try take(open)
    if next() == close.asciiValue { return index += 1 }
    while true {
      try read(&self)
      if next() == close.asciiValue { return index += 1 }
      try take(",")
    }
  }

  private mutating func text() throws -> String {
    try take("\"")
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] >= 0x20 else { throw NoJSON() }
      if bytes[index] == UInt8(ascii: "\\") { try escape() } else { index += 1 }
    }
    guard index < bytes.count else { throw NoJSON() }
    defer { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func escape() throws {
    let rest = bytes[index...].dropFirst().prefix(5)
    guard let kind = rest.first, #""\/bfnrtu"#.utf8.contains(kind) else { throw NoJSON() }
    guard kind == UInt8(ascii: "u") else { return index += 2 }
    let isHex = rest.count == 5 && rest.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard isHex else { throw NoJSON() }
    index += 6
  }

  private mutating func word() throws -> String {
    let start = index
    while index < bytes.count, Self.isOfWord(bytes[index]) { index += 1 }
    let word = bytes[start..<index]
    let text = String(decoding: word, as: UTF8.self)
    guard ["null", "true", "false"].contains(text) || Self.isNumber(word) else { throw NoJSON() }
    return text
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: isDigit(byte) || "+-.".utf8.contains(byte)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A number as defined in RFC 8259, section 6: `-12.5e+3`.
  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var rest = word
    func digits() -> Int {
      let count = rest.prefix(while: isDigit).count
      rest = rest.dropFirst(count)
      return count
    }
    func take(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = take("-")
    let hasLeadingZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    guard whole == 1 || whole > 1 && !hasLeadingZero else { return false }
    if take("."), digits() == 0 { return false }
    if take("eE") {
      _ = take("+-")
      if digits() == 0 { return false }
    }
    return rest.isEmpty
  }
}
