import Holdfast
import Observation

/// The question about messages that have waited for long, for a view (rule O16).
@MainActor @Observable package final class HeldModel {
  /// The question, while it is to be shown. Nil otherwise.
  package var question: HeldMessages? {
    guard let held, held.count > 0, held.isAsked && !isAnswered || isWanted else { return nil }
    return held
  }
  /// The reason why the last answer could not be carried out.
  package private(set) var problem: ChatError?
  /// Whether the user asks for the question, by a tap on a held message.
  package var isWanted = false

  private var held: HeldMessages?
  /// Whether it was answered, and the outbox has published nothing since. The question is not shown meanwhile.
  private var isAnswered = false
  @ObservationIgnored private let client: ChatClient

  package init(_ client: ChatClient) { self.client = client }

  /// Answers the question.
  package func answer(_ answer: HeldMessages.Answer) {
    isWanted = false
    do throws(ChatError) {
      try client.outbox.answerHeld(answer)
      (isAnswered, problem) = (true, nil)
    } catch { problem = error }
  }

  /// Follows the outbox until the task is cancelled.
  package func run() async {
    for await held in client.outbox.heldMessages() { (self.held, isAnswered) = (held, false) }
  }
}
