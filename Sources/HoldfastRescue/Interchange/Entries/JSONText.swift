import HoldfastCore
import HoldfastStore

/// Writes JSON piece by piece. Equal texts always give equal bytes.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func open(_ bracket: Character) {
    separate()
    raw(String(bracket))
    needsComma = false
  }

  mutating func close(_ bracket: Character) {
    raw(String(bracket))
    needsComma = true
  }

  mutating func key(_ key: StaticString) {
    separate()
    string("\(key)")
    raw(":")
    needsComma = false
  }

  mutating func value(_ text: String) {
    separate()
    string(text)
    needsComma = true
  }

  mutating func value(_ number: Int64) {
    separate()
    raw(String(number))
    needsComma = true
  }

  mutating func value(_ texts: [String]) {
    open("[")
    for text in texts { value(text) }
    close("]")
  }

  /// Writes a key with the value `true`.
  mutating func flag(_ name: StaticString) {
    key(name)
    raw("true")
    needsComma = true
  }

  mutating func newLine() { bytes.append(0x0A) }

  private mutating func separate() { if needsComma { bytes.append(.comma) } }

  private mutating func raw(_ text: String) { bytes += text.utf8 }

  private mutating func string(_ text: String) {
    bytes.append(.quote)
    for byte in text.utf8 {
      switch byte {
      case .quote, .backslash: bytes += [.backslash, byte]
      case 0x0A: bytes += [.backslash, UInt8(ascii: "n")]
      case 0x0D: bytes += [.backslash, UInt8(ascii: "r")]
      case 0x09: bytes += [.backslash, UInt8(ascii: "t")]
      case ..<0x20:
        let digits = String(byte, radix: 16)
        raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
      default: bytes.append(byte)
      }
    }
    bytes.append(.quote)
  }
}
