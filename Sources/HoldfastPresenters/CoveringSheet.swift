/// The sheet that covers a screen. There is one at a time: the outcome of an import comes before the question that it
/// raises.
package enum CoveringSheet: String, Sendable, Codable, Hashable, CaseIterable {
  /// The outcome of an import.
  case importing
  /// The question about messages that have waited for long.
  case held
  /// The question whether to delete all conversations, or to empty one.
  case deletion
  /// The earlier texts of a draft.
  case versions
  /// The reason why a message was not sent yet.
  case info

  /// The sheet that is shown of those that are wanted. Nil when none is wanted.
  package static func shown(of wanted: Set<CoveringSheet>) -> CoveringSheet? {
    allCases.first(where: wanted.contains)
  }
}
