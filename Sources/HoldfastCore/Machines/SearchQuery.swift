import Foundation

/// What somebody typed into a search field. Pure.
///
/// What stands between spaces is looked for as one phrase, wherever it is in a message, and a message has to have all of
/// them. The last word of a phrase is looked for by its beginning: `meet` finds *meeting*. There is no syntax, so that
/// nothing is wrong: quotes, stars and brackets are signs like all others, and are passed over.
package struct SearchQuery: Equatable, Sendable {
  /// What is behind is passed over.
  private static let mostScalars = 1_000
  private static let mostPhrases = 16
  /// Of one phrase: a message is as long as somebody likes, and is compared word by word.
  private static let mostWords = 32

  let phrases: [[SearchWord]]

  /// Nil: there is nothing to look for.
  package init?(_ typed: String) {
    let head = String(typed.unicodeScalars.prefix(Self.mostScalars))
    phrases = head.split(whereSeparator: \.isWhitespace).lazy
      .map { Array(SearchWords.words(of: String($0)).prefix(Self.mostWords)) }
      .filter { !$0.isEmpty }.prefix(Self.mostPhrases).map(\.self)
    if phrases.isEmpty { return nil }
  }

  /// The first letters of a word, as the first keystrokes leave them: most messages have such words, and the index would
  /// gather all of those before it gave the first.
  package var isVague: Bool {
    phrases.allSatisfy { $0.count == 1 && $0[0].isOpen && $0[0].folded.unicodeScalars.count <= 2 }
  }

  /// As the index is asked.
  package var match: String {
    phrases.map { phrase in
      let words = phrase.map(\.folded).joined(separator: " ").replacingOccurrences(of: "\"", with: "\"\"")
      return "\"\(words)\"" + (phrase.last?.isOpen == true ? "*" : "")
    }.joined(separator: " AND ")
  }

  /// Where the phrases are in a text, in its order and without overlap. Nil: one of them is not in it.
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
