import Foundation

/// The part of a text that is lost when another text replaces it (rule D18). Pure.
///
/// ```
///   before  Shall we meet at eight by the old bridge?
///   after   Shall we meet at nine by the old bridge?
///           └─ kept at the start ┘└┬─┘└ kept at the end ┘
///                               5 bytes lost
/// ```
///
/// A single change, as one keystroke or one tap makes it, has a beginning and an end. The text before and after it
/// is kept. The comparison costs one pass over the text, in pieces that the processor compares at once.
enum TextLoss {
  /// The smallest loss that counts, in UTF-8 bytes. A smaller loss is typed again faster than it is found. A letter
  /// outside ASCII has more than one byte.
  static let least = 8

  /// Whether more than half of the text is lost, and at least `least` bytes. Appending loses nothing. A correction,
  /// or a letter that loses a word or a sentence, loses less than half. Erasing everything, pasting over
  /// everything, and another window's text lose more.
  static func isMuch(from before: String, to after: String) -> Bool {
    let total = before.utf8.count
    guard total >= least else { return false }
    let lost = bytes(from: before, to: after)
    return lost >= least && lost * 2 > total
  }

  /// The number of UTF-8 bytes of `before` that are not in `after`.
  static func bytes(from before: String, to after: String) -> Int {
    var (before, after) = (before, after)
    return before.withUTF8 { before in
      after.withUTF8 { after in
        guard let left = before.baseAddress, let right = after.baseAddress else { return before.count }
        let shorter = min(before.count, after.count)
        let start = common(shorter) { memcmp(left + $0, right + $0, $1) == 0 }
        let end = common(shorter - start) { offset, length in
          memcmp(left + (before.count - offset - length), right + (after.count - offset - length), length)
            == 0
        }
        return before.count - start - end
      }
    }
  }

  /// The greatest length up to `limit` for which `isSame` holds, found piece by piece.
  private static func common(_ limit: Int, isSame: (_ offset: Int, _ length: Int) -> Bool) -> Int {
    var (offset, step) = (0, 65_536)
    while step > 0 {
      while offset + step <= limit, isSame(offset, step) { offset += step }
      step /= 2
    }
    return offset
  }
}
