import Foundation

/// The query that a user typed into a search field. Pure.
///
/// Each part between spaces is looked for as one phrase, anywhere in a message, and a message must contain all
/// phrases. The last word of a phrase is looked for by its beginning: `meet` finds *meeting*. There is no syntax,
/// so that no query is wrong: quotes, stars and brackets are signs like all others, and are ignored.
package struct SearchQuery: Equatable, Sendable {
  /// The number of scalars that are read. The rest is ignored.
  private static let mostScalars = 1_000
  private static let mostPhrases = 16
  /// The most words of one phrase. A message may be of any length, and is compared word by word.
  private static let mostWords = 32

  let phrases: [[SearchWord]]

  /// Nil when there is nothing to look for.
  package init?(_ typed: String) {
    let head = String(typed.unicodeScalars.prefix(Self.mostScalars))
    var known: Set<[String]> = []
    // A phrase that stands there twice is looked for once.
    var phrases: [[SearchWord]] = []
    for part in head.split(whereSeparator: \.isWhitespace) where phrases.count < Self.mostPhrases {
      let words = Array(SearchWords.words(of: String(part)).prefix(Self.mostWords))
      if !words.isEmpty, known.insert(words.map(\.folded)).inserted { phrases.append(words) }
    }
    self.phrases = phrases
    if phrases.isEmpty { return nil }
  }

  /// Whether the query has only the first one or two letters of words, as the first keystrokes leave them. Most
  /// messages have such words, and the index would gather all of those before it gave the first.
  package var isVague: Bool { phrases.allSatisfy(Self.isVague) }

  private static func isVague(_ phrase: [SearchWord]) -> Bool {
    phrase.count == 1 && phrase[0].isOpen && phrase[0].folded.unicodeScalars.count <= 2
  }

  /// The query in the form that the index takes.
  package var match: String { Self.match(phrases) }

  /// The same without words of one or two letters, where there are longer ones: the text decides about these.
  package var roughMatch: String {
    Self.match(isVague ? phrases : phrases.filter { !Self.isVague($0) })
  }

  private static func match(_ phrases: [[SearchWord]]) -> String {
    phrases.map { phrase in
      let words = phrase.map(\.folded).joined(separator: " ").replacingOccurrences(of: "\"", with: "\"\"")
      return "\"\(words)\"" + (phrase.last?.isOpen == true ? "*" : "")
    }.joined(separator: " AND ")
  }

  /// The places of the phrases in a text, in its order and without overlap. Nil when the text lacks one of the
  /// phrases.
  package func matches(in words: [SearchWord]) -> [Range<Int>]? {
    var found: [Range<Int>] = []
    for phrase in phrases {
      let places = Self.places(of: phrase, in: words)
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
