import Foundation
import HoldfastCore

extension Assistant {
  /// The settings of an assistant. Each has the recommended value by default.
  public struct Configuration: Sendable {
    /// What the model is told before each conversation. ``Assistant/Settings/system`` of a conversation replaces it.
    public var system: String?
    /// The most bytes of text in a prompt. The oldest turns are left out first, and the question never is.
    public var promptBytes = 64_000
    /// The most turns in a prompt.
    public var promptTurns = 200
    /// The settings of one conversation, from its metadata (`ConversationHandle.metadata()`). By default the metadata is
    /// read as a JSON object whose field `assistant` has them; other metadata gives none.
    public var settings: @Sendable (_ metadata: Data?) -> Settings = { Settings(metadata: $0) }

    /// The recommended settings.
    public init() {}
  }

  /// What differs from conversation to conversation.
  ///
  /// ```swift
  /// try chat.setMetadata(JSONEncoder().encode(["assistant": Assistant.Settings(system: "Answer in rhymes.")]))
  /// ```
  public struct Settings: Sendable, Codable, Hashable {
    /// What the model is told before the conversation. Nil: what ``Configuration/system`` says.
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

/// What is kept with an assistant's answer, in `MessageContent.metadata`.
///
/// ```swift
/// let note = row.metadata.flatMap(AnswerNote.init)
/// if note?.end.reason == .length { print("The answer reached its limit.") }
/// ```
public struct AnswerNote: Sendable, Codable, Hashable {
  /// The name of the model that answered.
  public var model: String
  /// Why it stopped, what it cost, and the tools that it wants to have called.
  public var end: ModelEnd

  /// A note about an answer.
  public init(model: String, end: ModelEnd) { (self.model, self.end) = (model, end) }

  /// The note in a message's metadata. Nil when it has another.
  public init?(_ metadata: Data) {
    guard let note = try? JSONDecoder().decode(AnswerNote.self, from: metadata) else { return nil }
    self = note
  }

  /// The note as metadata. Without the calls of tools when they are too large for it.
  var metadata: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var note = self
    if let data = try? encoder.encode(note), data.count <= MessageContent.maximumMetadataBytes { return data }
    note.end.toolCalls = []
    return try? encoder.encode(note)
  }
}
