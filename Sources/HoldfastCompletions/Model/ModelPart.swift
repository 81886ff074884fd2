import Foundation

/// A part of a model's answer, in the order in which it comes.
public enum ModelPart: Sendable, Hashable {
  /// Text of the answer. A character may be split over two parts, such as an emoji and its skin tone.
  case text(String)
  /// The reasoning of the model, where its server sends it.
  case reasoning(String)
  /// The end of the answer, which comes last. An answer without it was cut off.
  case end(ModelEnd)
}

/// The end of an answer, with the server's report about it.
public struct ModelEnd: Sendable, Codable, Hashable {
  /// Why the model stopped.
  public enum Reason: String, Sendable, Codable, Hashable, CaseIterable {
    /// The answer is at its end.
    case stop
    /// The answer reached the limit of its length, or of the model's context.
    case length
    /// The service withheld the rest.
    case filter
    /// The model wants the app to call tools: ``ModelEnd/toolCalls``.
    case tools
    /// The model refuses. What it says to that is the text.
    case refusal
    /// The service pauses a long answer.
    case pause
    /// A word that this version does not know: ``ModelEnd/word``.
    case other
  }

  /// Why the model stopped.
  public var reason: Reason
  /// The server's own word for the reason, such as `max_tokens`. Nil when it gave none.
  public var word: String?
  /// The tools that the model wants to have called. The engine passes them through.
  public var toolCalls: [ModelToolCall]
  /// The size of prompt and answer, in the model's tokens. Nil when the server did not say.
  public var usage: ModelUsage?
  /// The number of requests that were made for the answer. More than one when the server was busy at first.
  public var requests: Int

  /// An end with this reason.
  public init(
    _ reason: Reason = .stop, word: String? = nil, toolCalls: [ModelToolCall] = [], usage: ModelUsage? = nil,
    requests: Int = 1
  ) {
    (self.reason, self.word, self.toolCalls) = (reason, word, toolCalls)
    (self.usage, self.requests) = (usage, requests)
  }
}

/// A call of a tool, as the model wrote it.
public struct ModelToolCall: Sendable, Codable, Hashable {
  /// The call's ID, for its answer. Nil when the server gave none.
  public var id: String?
  /// The tool's name.
  public var name: String
  /// The arguments as the model wrote them: JSON, unless the answer was cut off within them.
  public var arguments: String

  /// A call of the tool with this name.
  public init(id: String? = nil, name: String, arguments: String) {
    (self.id, self.name, self.arguments) = (id, name, arguments)
  }
}

/// What an answer cost, in the model's tokens, as its server counts them.
public struct ModelUsage: Sendable, Codable, Hashable {
  /// The tokens of the prompt.
  public var input: Int
  /// The tokens of the answer, with its reasoning.
  public var output: Int

  /// A usage of so many tokens.
  public init(input: Int = 0, output: Int = 0) { (self.input, self.output) = (input, output) }
}
