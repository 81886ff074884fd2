import HoldfastCore
import HoldfastTransport

/// The frames about requests that were running when their asker's process ended.
extension Wire {
  /// The types of client frames that not every server of this version supports. A client sends them only to a server
  /// that lists them in its `welcome`, because a server closes the connection on an unknown type.
  package static let laterFrames = ["ask", "history", "search"]

  /// Asks for the outcome of a request of a conversation.
  package struct Ask: Codable, Hashable, Sendable {
    /// The client's number of the query on this connection. The answer repeats it.
    package var number: Int64
    package var request: String
    package var conversation: String
    package init(number: Int64, request: String, conversation: String) {
      self.number = number
      self.request = request
      self.conversation = conversation
    }
  }

  package struct Answer: Codable, Hashable, Sendable {
    /// The number of the query.
    package var number: Int64
    /// `finished`, `running` or `unknown`. Any other value counts as `unknown`.
    package var outcome: String
    package init(number: Int64, outcome: String) {
      self.number = number
      self.outcome = outcome
    }
  }
}

extension Wire.Answer {
  package init(number: Int64, _ outcome: ProcessingRequest.Outcome) {
    self.init(number: number, outcome: outcome.wireName)
  }
}

extension ProcessingRequest.Outcome {
  package init(_ answer: Wire.Answer) {
    self = [.finished, .running].first { $0.wireName == answer.outcome } ?? .unknown
  }

  fileprivate var wireName: String {
    switch self {
    case .finished: "finished"
    case .running: "running"
    case .unknown: "unknown"
    }
  }
}
