import Foundation
import HoldfastCore

/// A language model: what answers a prompt, part by part.
///
/// ``CompletionModel`` is one behind a server. Any sequence of texts is one too, so that the system's own model, or one
/// in the app's process, fits:
///
/// ```swift
/// struct LocalModel: AnsweringModel {
///   let name = "local"
///   func answer(_ prompt: ModelPrompt) -> ModelAnswer {
///     ModelAnswer(AsyncStream { words in
///       words.yield("You said: \(prompt.turns.last?.text ?? "")")
///       words.finish()
///     })
///   }
/// }
/// ```
public protocol AnsweringModel: Sendable {
  /// The model's name, kept with its answers.
  var name: String { get }
  /// Whether the model goes on with the beginning of an answer (``ModelPrompt/beginning``). False by default.
  var continuesAnswers: Bool { get }
  /// Asks the model. Nothing happens before the answer is read, and a task that is cancelled ends it.
  func answer(_ prompt: ModelPrompt) -> ModelAnswer
}

extension AnsweringModel {
  /// False: an answer that was cut off is written anew.
  public var continuesAnswers: Bool { false }
}

/// What a model is asked.
public struct ModelPrompt: Sendable, Hashable {
  /// One message of the conversation so far.
  public struct Turn: Sendable, Hashable {
    /// Who says it.
    public var role: MessageRole
    /// What is said.
    public var text: String

    /// A turn of this role.
    public init(_ role: MessageRole, _ text: String) { (self.role, self.text) = (role, text) }
  }

  /// The instructions that the model gets before the conversation. Nil for none.
  public var system: String?
  /// The conversation, oldest turn first. The last one is the question.
  public var turns: [Turn]
  /// The beginning of the answer, which the model goes on with. Nil for an answer from its beginning.
  public var beginning: String?

  /// A prompt of these turns.
  public init(_ turns: [Turn], system: String? = nil, beginning: String? = nil) {
    (self.turns, self.system, self.beginning) = (turns, system, beginning)
  }

  /// A prompt of one question.
  public init(_ question: String, system: String? = nil) {
    self.init([Turn(.user, question)], system: system)
  }
}

/// The answer of a model, part by part. Each loop over it is a request of its own.
public struct ModelAnswer: AsyncSequence, Sendable {
  public typealias Element = ModelPart

  /// Reads the answer.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let read: () async throws -> ModelPart?

    /// The next part. Nil behind the last one.
    ///
    /// - Throws: ``ModelError``, `CancellationError`, or what the model's own sequence throws.
    public func next() async throws -> ModelPart? { try await read() }
  }

  private let begin: @Sendable () -> AsyncIterator

  /// An answer of these parts. Where no ``ModelPart/end(_:)`` comes, the answer was cut off.
  public init<Parts: AsyncSequence & Sendable>(parts: Parts) where Parts.Element == ModelPart {
    begin = {
      var iterator = parts.makeAsyncIterator()
      return AsyncIterator { try await iterator.next() }
    }
  }

  /// An answer of these texts, which is whole at their end. A sequence that ends because its task is cancelled is no
  /// whole answer: the reader looks at its task.
  public init<Words: AsyncSequence & Sendable>(_ words: Words) where Words.Element == String {
    begin = {
      var (iterator, isOver) = (words.makeAsyncIterator(), false)
      return AsyncIterator {
        if let word = try await iterator.next() { return .text(word) }
        try Task.checkCancellation()
        defer { isOver = true }
        return isOver ? nil : .end(ModelEnd())
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { begin() }
}
