import Foundation

extension SearchSnapshot {
  /// A part of a message, with the matches of a search in it. It has no markup: a view styles the ranges as it likes.
  ///
  /// ```swift
  /// for match in hit.excerpt.matches {
  ///   let units = NSRange(location: match.start, length: match.end - match.start)
  ///   if let words = Range(units, in: hit.excerpt.text) { label.highlight(words) }
  /// }
  /// ```
  public struct Excerpt: Sendable, Codable, Hashable {
    /// The excerpt as one line. An ellipsis marks where the message continues.
    public var text: String
    /// The matches in UTF-16 code units of `text`, in order, and without overlap.
    public var matches: [TextRange]

    /// The length of the shown part in UTF-16 code units; `lead` is the part of it in front of the first match.
    package static let length = 160
    static let lead = 40

    /// - Parameter matches: The matches in UTF-16 code units of `body`.
    package init(of body: String, matches: [Range<Int>]) {
      let first = matches.first ?? 0..<0
      let utf16 = body.utf16
      let begin = Self.start(in: body, before: max(0, first.lowerBound - Self.lead), first.lowerBound)
      // Foundation and the standard library do not agree on the start of every grapheme cluster.
      let last = min(utf16.count, max(begin + Self.length, first.upperBound))
      let end = max(begin, Self.end(in: body, after: last))
      let part = body[
        utf16.index(utf16.startIndex, offsetBy: begin)..<utf16.index(utf16.startIndex, offsetBy: end)]
      let prefix = begin > 0 ? "…" : ""
      text = prefix + Self.inOneLine(part) + (end < utf16.count ? "…" : "")
      let shift = prefix.utf16.count - begin
      self.matches = matches.filter { $0.lowerBound >= begin && $0.upperBound <= end }.map {
        TextRange(start: $0.lowerBound + shift, end: $0.upperBound + shift)
      }
    }

    /// The start of the first word after `offset`, at most `limit`. Where no word starts in between, the start of
    /// the grapheme cluster at `offset`, so that no cluster is cut.
    private static func start(in body: String, before offset: Int, _ limit: Int) -> Int {
      guard offset > 0 else { return 0 }
      let utf16 = body.utf16
      let whole = body.rangeOfComposedCharacterSequence(at: utf16.index(utf16.startIndex, offsetBy: offset))
        .lowerBound
      let stop = utf16.index(utf16.startIndex, offsetBy: limit)
      let space = body[whole..<max(whole, stop)].firstIndex(where: \.isWhitespace)
      let start = space.map { body.index(after: $0) } ?? whole
      return utf16.distance(from: utf16.startIndex, to: min(start, stop))
    }

    private static func end(in body: String, after offset: Int) -> Int {
      let utf16 = body.utf16
      guard offset < utf16.count else { return utf16.count }
      let whole = body.rangeOfComposedCharacterSequence(at: utf16.index(utf16.startIndex, offsetBy: offset))
        .lowerBound
      return max(utf16.distance(from: utf16.startIndex, to: whole), 0)
    }

    /// Replaces line breaks and tabs. Each has the same length as the space that replaces it, so that no range moves.
    private static func inOneLine(_ part: Substring) -> String {
      guard part.unicodeScalars.contains(where: isBreak) else { return String(part) }
      var line = String.UnicodeScalarView()
      for scalar in part.unicodeScalars { line.append(isBreak(scalar) ? " " : scalar) }
      return String(line)
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
      scalar == "\t" || scalar.isLineBreak
    }
  }
}
