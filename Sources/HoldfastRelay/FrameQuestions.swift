import HoldfastCore
import HoldfastTransport

/// Asks the server what became of requests.
extension FrameConnection {
  /// The time after which an unanswered question is asked again: it was lost, or the account asks too fast.
  static let questionPatience: Duration = .seconds(20)
  /// The number of times that a question is asked. A working server answers long before.
  static let maximumQuestions = 5

  func outcome(
    of request: RequestID, in conversation: ConversationID
  ) async throws -> ProcessingRequest.Outcome {
    guard takesQuestions else { return .unknown }
    let question = try questions.open()
    defer { questions.close(question) }
    let ask = Wire.Ask(
      number: question.number, request: request.rawValue, conversation: conversation.rawValue)
    for _ in 0..<Self.maximumQuestions {
      try await transmit(.ask(ask))
      let deadline = environment.uptime() + Self.questionPatience
      if let outcome = try await question.outcome(until: deadline, in: environment) { return outcome }
    }
    return .unknown
  }
}
