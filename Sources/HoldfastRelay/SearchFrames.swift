import HoldfastCore
import HoldfastTransport

/// The frames about a search.
extension Wire {
  /// Asks for the messages that have some words.
  package struct Search: Codable, Hashable, Sendable {
    /// The client's number of the question on this connection. The answer has it too.
    package var number: Int64
    /// The text that somebody typed.
    package var query: String
    /// Absent: all conversations of the account are searched.
    package var conversation: String?
    /// The most messages that are wanted.
    package var limit: Int
    package init(number: Int64, query: String, conversation: String? = nil, limit: Int) {
      self.number = number
      self.query = query
      self.conversation = conversation
      self.limit = limit
    }
  }

  /// The messages that have the words.
  package struct Found: Codable, Hashable, Sendable {
    /// The number of the question.
    package var number: Int64
    /// Newest first, each in its present state.
    package var messages: [MessageItem]
    /// Whether there are more. Absent: there are not.
    package var more: Bool?
    package init(number: Int64, messages: [MessageItem], more: Bool? = nil) {
      self.number = number
      self.messages = messages
      self.more = more
    }
  }
}

extension SearchResults {
  init(_ found: Wire.Found) {
    self.init(found.messages.compactMap(IncomingMessage.init), hasMore: found.more == true)
  }
}
