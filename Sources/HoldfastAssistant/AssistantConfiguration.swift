import Foundation
import HoldfastCore

extension Assistant {
  /// The settings of an assistant. Each has the recommended value by default.
  public struct Configuration: Sendable {
    /// The instructions for the model before each conversation. ``Assistant/Settings/system`` of a conversation
    /// replaces it.
    public var system: String?
    /// The most bytes of text in a prompt. The oldest turns are left out first, and the question never is.
    public var promptBytes = 64_000
    /// The most turns in a prompt.
    public var promptTurns = 200
    /// The settings of one conversation, from its metadata (`ConversationHandle.metadata()`). By default the metadata
    /// is read as a JSON object whose field `assistant` has them; other metadata gives none.
    public var settings: @Sendable (_ metadata: Data?) -> Settings = { Settings(metadata: $0) }

    /// The recommended settings.
    public init() {}
  }

  /// The settings that differ from conversation to conversation.
  ///
  /// ```swift
  /// try chat.setMetadata(JSONEncoder().encode(["assistant": Assistant.Settings(system: "Answer in rhymes.")]))
  /// ```
  public struct Settings: Sendable, Codable, Hashable {
    /// The instructions for the model before the conversation. Nil: those of ``Configuration/system``.
    public var system: String?
    /// The name of the model that answers here. Nil: the assistant's usual one.
    public var model: String?

    /// Settings with these values.
    public init(system: String? = nil, model: String? = nil) { (self.system, self.model) = (system, model) }

    init(metadata: Data?) {
      let read = metadata.flatMap { try? JSONDecoder().decode([String: Settings].self, from: $0) }
      self = read?["assistant"] ?? Settings()
    }
  }
}
