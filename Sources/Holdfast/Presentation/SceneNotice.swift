import HoldfastCore

/// A notice about the place that a window was to restore.
public struct SceneNotice: Sendable, Codable, Hashable {
  /// The event that the notice reports.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// The conversation that was open has been deleted since. The window shows the list (rule R5).
    case conversationNotFound
  }
  /// The event that the notice reports.
  public let kind: Kind
  /// The notice in English, or by ``ChatConfiguration/texts``: "Conversation not found".
  public internal(set) var text = ""

  /// A notice of this kind, with its English text.
  public init(kind: Kind) {
    self.kind = kind
    localizeInEnglish()
  }
}
