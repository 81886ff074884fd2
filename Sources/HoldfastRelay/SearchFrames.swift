import HoldfastCore
import HoldfastTransport

/// The frames about a search.
extension Wire {
  /// Searches for messages with certain words.
  package struct Search: Codable, Hashable, Sendable {
    /// The client's number of the search on this connection. The response repeats it.
    package var number: Int64
    /// The text that the user typed.
    package var query: String
    /// Absent: all conversations of the account are searched.
    package var conversation: String?
    /// The most messages to return.
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
    /// The number of the search.
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
