import Foundation
import HoldfastCore

/// A note about an assistant's answer, kept in `MessageContent.metadata`. It is stored before each request is sent,
/// so that a kill hides no request.
///
/// ```swift
/// let note = row.metadata.flatMap(AnswerNote.init)
/// if note?.end?.reason == .length { print("The answer reached its limit.") }
/// ```
public struct AnswerNote: Sendable, Codable, Hashable {
  /// The name of the model that was asked last.
  public var model: String
  /// The reason why the model stopped, the cost of its last answer, and the tools that it wants to have called. Nil
  /// while there is no complete answer.
  public var end: ModelEnd?
  /// The number of requests for this answer, with those of earlier attempts and those that were refused.
  public var requests: Int
  /// The tokens of all these requests, as far as the server reported them. It reports none for a request that was cut
  /// off.
  public var usage: ModelUsage
  /// The most bytes of a prompt that the model takes, after it refused a longer one. The next prompts of the
  /// conversation keep to it. Nil: it refused none.
  public var promptBytes: Int?
  /// The number of older messages that were left out of the prompt, because the model did not take them all.
  public var leftOut: Int?

  /// A note about an answer.
  public init(model: String, end: ModelEnd? = nil, requests: Int = 0, usage: ModelUsage = ModelUsage()) {
    (self.model, self.end, self.requests, self.usage) = (model, end, requests, usage)
  }

  /// The note in a message's metadata. Nil when the metadata is something else.
  public init?(_ metadata: Data) {
    guard let note = try? JSONDecoder().decode(AnswerNote.self, from: metadata) else { return nil }
    self = note
  }

  /// The note as metadata. The calls of tools are left out when they are too large for it.
  var metadata: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var note = self
    if let data = try? encoder.encode(note), data.count <= MessageContent.maximumMetadataBytes { return data }
    note.end?.toolCalls = []
    return try? encoder.encode(note)
  }

  /// Records a request that is about to be sent.
  ///
  /// - Parameter leftOut: the number of messages that were left out, because the model takes only `promptBytes`.
  mutating func begin(_ model: String, promptBytes: Int?, leftOut: Int) {
    self.model = model
    (self.promptBytes, self.leftOut) = (promptBytes, leftOut == 0 ? nil : leftOut)
    end = nil
    requests += 1
  }

  /// Records a complete answer.
  mutating func finish(_ end: ModelEnd) {
    self.end = end
    requests += end.requests - 1
    usage = usage + (end.usage ?? ModelUsage())
  }

  /// Records that there is no complete answer, after so many requests.
  mutating func fail(after requests: Int) { self.requests += requests - 1 }
}

/// The costs of the answers in a conversation: ``Assistant/costs(in:)``.
public struct AnswerCosts: Sendable, Hashable {
  /// The number of requests to models.
  public var requests: Int
  /// The tokens, as the models' servers reported them.
  public var usage: ModelUsage

  /// These costs.
  public init(requests: Int = 0, usage: ModelUsage = ModelUsage()) {
    (self.requests, self.usage) = (requests, usage)
  }

  init(_ cost: AnswerCost) {
    self.init(requests: cost.requests, usage: ModelUsage(input: cost.inputTokens, output: cost.outputTokens))
  }

  /// The costs as the store counts them.
  var stored: AnswerCost {
    AnswerCost(requests: requests, inputTokens: usage.input, outputTokens: usage.output)
  }
}

extension ModelUsage {
  static func + (left: ModelUsage, right: ModelUsage) -> ModelUsage {
    ModelUsage(input: left.input + right.input, output: left.output + right.output)
  }
}
