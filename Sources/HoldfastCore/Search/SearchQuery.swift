import Foundation

/// The query that a user typed into a search field. Pure.
///
/// Each part between spaces is searched as one phrase, anywhere in a message, and a message must contain all phrases.
/// The last word of a phrase is searched as a prefix: `meet` finds *meeting*. There is no syntax, so that every query
/// is valid: quotes, stars and brackets are symbols like all others, and are ignored here. Symbols within a word make
/// no difference: `dont` finds *don't*, `e-mail` finds *email*, and `1234.50` finds *1,234.50*. ``SearchLiteral``
/// finds symbols.
package struct SearchQuery: Equatable, Sendable {
  /// The number of scalars that are read. The rest is ignored.
  private static let mostScalars = 1_000
  private static let mostPhrases = 16
  /// The most words of one phrase. A message may be of any length, and is compared word by word.
  private static let mostWords = 32

  let phrases: [[SearchWord]]

  /// Nil when there is nothing to search for.
  package init?(_ typed: String) {
    let head = String(typed.unicodeScalars.prefix(Self.mostScalars))
    var known: Set<[String]> = []
    // A phrase that occurs twice is searched once.
    var phrases: [[SearchWord]] = []
    for part in head.split(whereSeparator: \.isWhitespace) where phrases.count < Self.mostPhrases {
      let words = Array(SearchWords.words(of: String(part)).prefix(Self.mostWords))
      if !words.isEmpty, known.insert(words.map(\.folded)).inserted { phrases.append(words) }
    }
    self.phrases = phrases
    if phrases.isEmpty { return nil }
  }

  /// Whether the query has only the first one or two letters of words, as after the first keystrokes. Most messages
  /// have such words, and the index would collect all of those before it returned the first.
  package var isVague: Bool { phrases.allSatisfy(Self.isVague) }

  private static func isVague(_ phrase: [SearchWord]) -> Bool {
    phrase.count == 1 && phrase[0].isOpen && phrase[0].folded.unicodeScalars.count <= 2
  }

  /// The query in the form that the index takes.
  package var match: String { Self.match(phrases) }

  /// The same without words of one or two letters, where there are longer ones. The text is checked for the short
  /// ones.
  package var roughMatch: String {
    Self.match(isVague ? phrases : phrases.filter { !Self.isVague($0) })
  }

  private static func match(_ phrases: [[SearchWord]]) -> String {
    phrases.map { phrase in
      let isOpen = phrase.last?.isOpen == true
      let forms = [quoted(phrase.map(\.folded), isOpen: isOpen)] + spellings(of: phrase)
      return forms.count == 1 ? forms[0] : "(\(forms.joined(separator: " OR ")))"
    }.joined(separator: " AND ")
  }

  private static func quoted(_ words: [String], isOpen: Bool) -> String {
    "\"\(words.joined(separator: " ").replacingOccurrences(of: "\"", with: "\"\""))\"" + (isOpen ? "*" : "")
  }

  /// The spellings of a phrase with other symbols within. A word is spelled without a symbol, and with one in each
  /// place. A number is spelled with and without groups of digits. The second half of a word is searched as a prefix
  /// when it has three letters or more: shorter ones are in too many messages.
  private static func spellings(of phrase: [SearchWord]) -> [String] {
    guard phrase.allSatisfy(\.isOpen) else { return [] }
    let letters = phrase.map(\.folded).joined()
    if let groups = groups(of: phrase.map(\.folded)) { return groups.map { quoted($0, isOpen: true) } }
    if phrase.count > 1 { return [quoted([letters], isOpen: true)] }
    guard (4...20).contains(letters.count), letters.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
    return (1..<letters.count).map { length in
      quoted(
        [String(letters.prefix(length)), String(letters.dropFirst(length))],
        isOpen: letters.count - length > 2)
    }
  }

  /// The spellings of a number, without groups of digits and with groups of three. The last word may be a fraction.
  /// Nil when the words are not a number, and for a number with one spelling.
  private static func groups(of words: [String]) -> [[String]]? {
    guard words.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return nil }
    var forms: Set<[String]> = []
    // The last word is a fraction, or the last group.
    for (whole, rest) in [(words, []), (Array(words.dropLast()), words.suffix(1))] where !whole.isEmpty {
      let digits = whole.joined()
      guard digits.count <= 18 else { continue }
      let first = (digits.count - 1) % 3 + 1
      let groups = stride(from: first, to: digits.count, by: 3).map {
        String(digits.dropFirst($0).prefix(3))
      }
      forms.formUnion([[digits] + rest, [String(digits.prefix(first))] + groups + rest])
    }
    forms.remove(words)
    return forms.isEmpty ? nil : forms.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The places of the phrases in a text, in its order and without overlap. Nil when the text lacks one of the
  /// phrases.
  package func matches(in words: [SearchWord]) -> [Range<Int>]? {
    var found: [Range<Int>] = []
    for phrase in phrases {
      var places = Self.places(of: phrase, in: words)
      if places.isEmpty { places = Self.joinedPlaces(of: phrase, in: words) }
      guard !places.isEmpty else { return nil }
      found += places
    }
    found.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    return found.reduce(into: []) { joined, next in
      if let last = joined.last, next.lowerBound < last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
      } else {
        joined.append(next)
      }
    }
  }

  /// The places of a phrase with other symbols within.
  private static func joinedPlaces(of phrase: [SearchWord], in words: [SearchWord]) -> [Range<Int>] {
    guard phrase.allSatisfy(\.isOpen) else { return [] }
    let letters = phrase.map(\.folded).joined()
    return words.indices.compactMap { start in
      guard words[start].isOpen else { return nil }
      var here = words[start].folded
      var end = start
      while here.utf8.count < letters.utf8.count, letters.hasPrefix(here), end + 1 < words.count,
        words[end + 1].isOpen, words[end + 1].isJoined
      {
        end += 1
        here += words[end].folded
      }
      guard here.hasPrefix(letters), end > start || phrase.count > 1 else { return nil }
      return words[start].range.lowerBound..<words[end].range.upperBound
    }
  }

  private static func places(of phrase: [SearchWord], in words: [SearchWord]) -> [Range<Int>] {
    guard let last = phrase.last, words.count >= phrase.count else { return [] }
    return (0...words.count - phrase.count).compactMap { start in
      for (index, word) in phrase.dropLast().enumerated() where words[start + index].folded != word.folded {
        return nil
      }
      let end = words[start + phrase.count - 1]
      let isSame = last.isOpen ? end.folded.hasPrefix(last.folded) : end.folded == last.folded
      return isSame ? words[start].range.lowerBound..<end.range.upperBound : nil
    }
  }
}
