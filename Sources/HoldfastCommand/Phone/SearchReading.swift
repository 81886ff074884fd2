import Foundation
import Holdfast

/// What a window's search has found.
struct SearchReading: Sendable, Codable, Hashable {
  var query: String
  /// What was typed has not been looked for yet.
  var isSearching: Bool
  var hits: [SearchHit]
  var hasMore: Bool
  /// How much of the history is searched, from 0 to 1. Nil: all of it.
  var progress: Double?
  /// Why nothing could be looked for, as a sentence.
  var problem: String?

  /// Nil: nothing is looked for.
  @MainActor init?(_ model: SearchModel) {
    let found = model.snapshot
    guard found.state != .idle else { return nil }
    (query, isSearching) = (found.query, found.state == .searching)
    (hits, hasMore) = (found.hits, found.hasMore)
    (progress, problem) = (found.progress, model.problem)
  }
}

/// The message that was looked for and opened.
struct OpenedHit: Sendable, Codable, Hashable {
  var message: MessageID
  /// What was found in it, as it stands there.
  var words: [String]
  /// Another one for each that is opened, so that the same message can be gone to twice. Nil once its reader has moved on.
  var number: Int?

  init(_ hit: SearchHit, number: Int) {
    (message, self.number) = (hit.id, number)
    let units = Array(hit.excerpt.text.utf16)
    words = hit.excerpt.matches.compactMap { match in
      guard match.start < match.end, units.indices.contains(match.start), match.end <= units.count else {
        return nil
      }
      return String(decoding: units[match.start..<match.end], as: UTF16.self)
    }
  }
}
