import Foundation

/// A query with symbols, such as `C++`, `<<<` or `=>`, which is found as it was typed. The index has words alone, so
/// the texts of messages are compared. Pure.
package struct SearchLiteral: Sendable {
  private let typed: String
  /// The first byte of the query's first symbol. A text without it cannot match.
  private let sign: UInt8

  /// Nil when the query has no symbol.
  package init?(_ query: String) {
    typed = String(String.UnicodeScalarView(query.unicodeScalars.prefix(1_000))).trimmed
    let first = typed.first { !$0.isLetter && !$0.isNumber && !$0.isWhitespace && !String($0).isBlank }
    guard let first = first?.utf8.first else { return nil }
    sign = first
  }

  /// The first place in a text, in UTF-16 code units. Nil when it is not there.
  package func place(in text: String) -> Range<Int>? {
    guard text.utf8.contains(sign), let found = text.range(of: typed, options: .caseInsensitive) else {
      return nil
    }
    return found.lowerBound.utf16Offset(in: text)..<found.upperBound.utf16Offset(in: text)
  }
}
