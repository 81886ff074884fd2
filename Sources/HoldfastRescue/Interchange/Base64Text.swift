import Foundation
import HoldfastCore
import HoldfastStore

/// A base64 text in JSON (RFC 4648, section 4) that is decoded piece by piece, so that a file of any size is never
/// in memory as a whole. Pure except for the cursor.
struct Base64Text {
  private var cursor: JSONCursor
  /// Characters that do not form whole bytes yet.
  private var pending: [UInt8] = []
  private var hasEnded = false

  /// - Parameter cursor: a cursor at the opening quote of the text.
  init(_ cursor: JSONCursor) {
    self.cursor = cursor
    self.cursor.step()
  }

  /// The next bytes: about `count` of them, and none at the end of the text.
  ///
  /// - Throws: ``JSONDamage`` when the text is not base64, or has no end.
  mutating func next(about count: Int) throws -> Data {
    while !hasEnded, pending.count < max(4, count / 3 * 4) { try readPending() }
    let whole = hasEnded ? pending.count : pending.count / 4 * 4
    guard whole > 0 else { return Data() }
    guard let bytes = Data(base64Encoded: Data(pending.prefix(whole))) else { throw JSONDamage.malformed }
    pending.removeFirst(whole)
    return bytes
  }

  /// Reads characters up to the next escape, the end of the text, or the end of the bytes in memory.
  private mutating func readPending() throws {
    pending += try cursor.plainBytes()
    switch try cursor.peek() {
    case .quote:
      cursor.step()
      hasEnded = true
    case .backslash:
      cursor.step()
      let escaped = try cursor.peek()
      cursor.step()
      // Apple's encoder escapes the slash. Other encoders break lines.
      switch escaped {
      case UInt8(ascii: "/"): pending.append(UInt8(ascii: "/"))
      case UInt8(ascii: "n"), UInt8(ascii: "r"): break
      default: throw JSONDamage.malformed
      }
    default: break
    }
  }
}
