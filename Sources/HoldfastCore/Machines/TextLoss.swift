import Foundation

/// How much of a text is gone once another has taken its place (SPEC D18). Pure.
///
/// ```
///   before  Shall we meet at eight by the old bridge?
///   after   Shall we meet at nine by the old bridge?
///           └─ kept at the start ┘└┬─┘└ kept at the end ┘
///                               5 bytes lost
/// ```
///
/// One change, as one keystroke or one tap makes it, has a beginning and an end, so that what stands before and behind
/// it is what is kept. It costs one pass over the text, in pieces that the processor compares at once.
enum TextLoss {
  /// Less than this is typed again faster than it is looked for. In UTF-8 bytes, of which a letter with more to it has
  /// more.
  static let least = 8

  /// Much is more than half of the text. Appending loses nothing; a correction, a word less and a sentence less in a
  /// letter lose less than half. Everything erased, everything pasted over, another window's text: more.
  static func isMuch(from before: String, to after: String) -> Bool {
    let total = before.utf8.count
    guard total >= least else { return false }
    let lost = bytes(from: before, to: after)
    return lost >= least && lost * 2 > total
  }

  /// How many UTF-8 bytes of `before` are not in `after`.
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

  /// The greatest length up to `limit` of which `isSame` holds, asked for piece by piece.
  private static func common(_ limit: Int, isSame: (_ offset: Int, _ length: Int) -> Bool) -> Int {
    var (offset, step) = (0, 65_536)
    while step > 0 {
      while offset + step <= limit, isSame(offset, step) { offset += step }
      step /= 2
    }
    return offset
  }
}
