import Foundation
import Holdfast
import HoldfastAssistant
import Synchronization

/// The demo's built-in model. It writes the answers of ``Responder``, one token at a time.
final class ResponderModel: AnsweringModel {
  /// The delay before each token: as slow as a model, so that there is time to kill the app.
  private static let pace: Duration = .milliseconds(80)

  let name = "built in"
  let continuesAnswers = true
  private let environment: ChatEnvironment
  /// Whether the next answer succeeds although its question asks for a failure.
  private let isExcused = Atomic(false)

  init(_ environment: ChatEnvironment) { self.environment = environment }

  /// Makes the next answer succeed: its question has failed once.
  func excuse() { isExcused.store(true, ordering: .relaxed) }

  func answer(_ prompt: ModelPrompt) -> ModelAnswer {
    let responder = Responder(question: Self.question(in: prompt))
    let isExcused = isExcused.exchange(false, ordering: .relaxed)
    let tokens =
      prompt.beginning.map { responder.tokens(behind: $0, reasoning: responder.reasoning) }
      ?? responder.tokens
    return ModelAnswer(
      parts: Parts(tokens: tokens, failure: isExcused ? nil : responder.failure, environment: environment))
  }

  /// The question without the assistant's name before it, in a conversation of several people.
  private static func question(in prompt: ModelPrompt) -> String {
    let text = prompt.turns.last { $0.role == .user }?.text ?? ""
    return text.range(of: PhoneAssistant.call, options: .caseInsensitive).map {
      String(text[$0.lowerBound...])
    } ?? text
  }

  private struct Parts: AsyncSequence, Sendable {
    let tokens: [Responder.Token]
    let failure: String?
    let environment: ChatEnvironment

    func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    struct Iterator: AsyncIteratorProtocol {
      let parts: Parts
      private var index = 0

      init(parts: Parts) { self.parts = parts }

      mutating func next() async throws -> ModelPart? {
        if let failure = parts.failure { throw ModelError(.rejected, failure) }
        guard index <= parts.tokens.count else { return nil }
        defer { index += 1 }
        guard index < parts.tokens.count else { return .end(ModelEnd()) }
        try await parts.environment.sleep(parts.environment.uptime() + ResponderModel.pace)
        let token = parts.tokens[index]
        return token.text.isEmpty ? .reasoning(token.reasoning) : .text(token.text)
      }
    }
  }
}
