/// The cost of a model's answers.
package struct AnswerCost: Equatable, Sendable {
  /// The number of requests to the model's server.
  package var requests: Int
  /// The tokens that the model read, as its server reported.
  package var inputTokens: Int
  /// The tokens that it wrote.
  package var outputTokens: Int

  package init(requests: Int = 0, inputTokens: Int = 0, outputTokens: Int = 0) {
    (self.requests, self.inputTokens, self.outputTokens) = (requests, inputTokens, outputTokens)
  }
}
