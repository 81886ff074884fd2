/// The sheet that covers a screen. There is one at a time: what came in is read before the question that it raises.
package enum CoveringSheet: String, Sendable, Codable, Hashable, CaseIterable {
  /// What became of an import.
  case importing
  /// What to do with messages that have waited for long.
  case held
  /// Whether to delete all conversations, or to empty one.
  case deletion
  /// The earlier texts of a draft.
  case versions
  /// Why a message has not gone.
  case info

  /// The one that is shown of those that are wanted. Nil when none is.
  package static func shown(of wanted: Set<CoveringSheet>) -> CoveringSheet? {
    allCases.first(where: wanted.contains)
  }
}
