import Foundation
import Holdfast

/// A window's search, as the screen shows it.
struct SearchReading: Sendable, Codable, Hashable {
  var query: String
  /// True while the typed text has not been searched for yet.
  var isSearching: Bool
  var hits: [SearchSnapshot.Hit]
  var hasMore: Bool
  /// The searched fraction of the history, from 0 to 1. Nil when all of it is.
  var progress: Double?
  /// The reason why the search failed, as a sentence.
  var problem: String?
  /// The text shown without hits.
  var note: String?
  /// The line about the server's part of the search.
  var serverNote: String?
  /// Whether the server did not answer, and the search can be retried.
  var canRetry: Bool
  /// The mark of a hit that is not on this device.
  var mark: String

  /// Nil when there is no search.
  @MainActor init?(_ model: SearchModel, mark: String) {
    let found = model.snapshot
    guard found.state != .idle else { return nil }
    (query, isSearching) = (found.query, found.state == .searching)
    (hits, hasMore) = (found.hits, found.hasMore)
    (progress, problem, note) = (found.progress, model.problem?.message, found.note)
    (serverNote, self.mark) = (found.serverNote, mark)
    if case .failed = found.server { canRetry = true } else { canRetry = false }
  }
}

/// The search hit that was opened, or the quoted message that was shown.
struct OpenedHit: Sendable, Codable, Hashable {
  var message: MessageID
  /// The found words, as written in the message.
  var words: [String]
  /// A new number for each opened hit, so that the same message can be opened twice. Nil once the reader has
  /// scrolled on.
  var number: Int?

  init(_ message: MessageID, number: Int) { (self.message, self.number, words) = (message, number, []) }

  init(_ hit: SearchSnapshot.Hit, number: Int) {
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
