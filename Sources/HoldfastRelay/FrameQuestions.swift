import HoldfastCore
import HoldfastTransport

/// Asks the server for the outcomes of requests, for older messages, and for messages with certain words.
extension FrameConnection {
  /// The time after which an unanswered query is repeated: it was lost, or exceeded the account's rate limit.
  static let questionPatience: Duration = .seconds(20)
  /// The number of times that a query is sent. A working server answers much earlier.
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
      if let outcome = try await question.answer(until: deadline, in: environment) { return outcome }
    }
    return .unknown
  }

  /// Asks until there is an answer. Cancelling the task ends the wait.
  func history(_ request: HistoryRequest) async throws -> HistoryPage {
    guard takesHistory else {
      throw HistoryPage.Refusal.rejected(FailureReason(.historyNotGiven))
    }
    let question = try historyQuestions.open()
    defer { historyQuestions.close(question) }
    return try HistoryPage(try await answer(to: question, .history(.init(number: question.number, request))))
  }

  /// Asks until there is an answer, as ``history(_:)`` does.
  func search(_ request: SearchRequest) async throws -> SearchResults {
    guard takesSearch else {
      throw HistoryPage.Refusal.rejected(FailureReason(.searchNotGiven))
    }
    let question = try searchQuestions.open()
    defer { searchQuestions.close(question) }
    let frame = Wire.Search(
      number: question.number, query: request.query, conversation: request.conversation?.rawValue,
      limit: request.limit)
    return SearchResults(try await answer(to: question, .search(frame)))
  }

  private func answer<Answer: Sendable>(
    to question: OpenQuestions<Answer>.Question, _ frame: Wire.ClientFrame
  ) async throws -> Answer {
    while true {
      try Task.checkCancellation()
      try await transmit(frame)
      let deadline = environment.uptime() + Self.questionPatience
      if let answer = try await question.answer(until: deadline, in: environment) { return answer }
    }
  }
}
