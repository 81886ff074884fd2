import Foundation

/// Joins surrogate pairs that a server cut in two. JSON writes a character beyond the first plane as two escapes,
/// and some servers put one of them into a chunk and the other into the next. No JSON decoder accepts a lone
/// surrogate.
///
/// ```
///   {"content":"\ud83d"}   {"content":"\udc4d"}      the text is "👍"
/// ```
///
/// A lone surrogate is carried through the decoder as one of 2,048 characters at the end of the last private plane,
/// for which no use is known, and is then joined with its other half. A surrogate that stays alone becomes U+FFFD.
package struct LoneSurrogates: Sendable {
  package init() {}

  private static let firstPlaceholder: UInt32 = 0x10_F800
  private static let halves: ClosedRange<UInt32> = 0xD800...0xDFFF
  /// The high surrogate at the end of the text so far.
  private var pending: UInt32?

  /// The JSON text with a placeholder for each lone surrogate. Nil when it has no lone surrogate.
  package static func replacing(in json: [UInt8]) -> [UInt8]? {
    var (copy, rest): ([UInt8], Int) = ([], 0)
    var index = 0
    while let escape = json[index...].firstIndex(of: UInt8(ascii: "\\")), escape + 1 < json.count {
      guard let unit = unit(at: escape, in: json), halves.contains(unit) else {
        // The character after a backslash does not begin an escape of its own.
        index = escape + 2
        continue
      }
      index = escape + 6
      if unit < 0xDC00, let low = Self.unit(at: index, in: json), (0xDC00...0xDFFF).contains(low) {
        index += 6
        continue
      }
      let placeholder = String(
        Character(Unicode.Scalar(firstPlaceholder + unit - halves.lowerBound) ?? "\u{FFFD}"))
      copy += json[rest..<escape] + placeholder.utf8
      rest = index
    }
    return rest == 0 ? nil : copy + json[rest...]
  }

  /// A whole text, with its surrogates joined.
  package static func mended(_ text: String) -> String {
    var halves = LoneSurrogates()
    let joined = halves.join(text)
    return joined + halves.end()
  }

  /// The number in an escape such as `\ud83d` that begins here.
  private static func unit(at index: Int, in json: [UInt8]) -> UInt32? {
    guard index + 6 <= json.count, json[index] == UInt8(ascii: "\\"), json[index + 1] == UInt8(ascii: "u")
    else {
      return nil
    }
    let digits = json[(index + 2)..<(index + 6)]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// The text with its surrogates joined. A high surrogate at its end waits for the next text.
  package mutating func join(_ text: String) -> String {
    guard pending != nil || text.unicodeScalars.contains(where: { $0.value >= Self.firstPlaceholder }) else {
      return text
    }
    var joined = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let unit =
        scalar.value >= Self.firstPlaceholder
        ? scalar.value - Self.firstPlaceholder + Self.halves.lowerBound : nil
      if let high = pending {
        pending = nil
        if let low = unit, low >= 0xDC00,
          let whole = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        {
          joined.append(whole)
          continue
        }
        joined.append("\u{FFFD}")
      }
      switch unit {
      case nil: joined.append(scalar)
      case let unit? where unit < 0xDC00: pending = unit
      default: joined.append("\u{FFFD}")
      }
    }
    return String(joined)
  }

  /// The remainder at the end of the text.
  package mutating func end() -> String {
    defer { pending = nil }
    return pending == nil ? "" : "\u{FFFD}"
  }
}
