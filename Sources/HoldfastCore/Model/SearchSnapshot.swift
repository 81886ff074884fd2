import Foundation

/// One message that was found.
public struct SearchHit: Identifiable, Sendable, Codable, Hashable {
  public var id: MessageID
  public var conversation: ConversationID
  /// The conversation's title, or the other members' names.
  public var title: String
  public var sender: UserID
  public var isMine: Bool
  public var createdAt: Date
  public var excerpt: SearchExcerpt

  public init(
    id: MessageID, conversation: ConversationID, title: String, sender: UserID, isMine: Bool, createdAt: Date,
    excerpt: SearchExcerpt
  ) {
    self.id = id
    self.conversation = conversation
    self.title = title
    self.sender = sender
    self.isMine = isMine
    self.createdAt = createdAt
    self.excerpt = excerpt
  }

}

/// How far a search is.
public enum SearchState: String, Sendable, Codable, Hashable {
  /// Nothing is looked for: the query is empty, or white space.
  case idle
  /// The query was typed a moment ago. The hits are still those of the one before.
  case searching
  /// The hits are those of this query. When there are none, there is nothing to be found.
  case found
}

/// What a search has found, the best first (SPEC H8).
public struct SearchSnapshot: Sendable, Codable, Hashable {
  /// What was looked for, as it was typed.
  public var query: String
  /// `idle` or `found`; in a ``SearchModel`` it may be `searching` too.
  public var state: SearchState
  public var hits: [SearchHit]
  /// There are more: ask for more with `SearchModel.loadMore()`.
  public var hasMore: Bool
  /// How much of the history is searched, from 0 to 1: after an update of the app the words of an old history are read by
  /// `run()`, a little at a time. Nil: all of it.
  public var progress: Double?

  /// Before anything is found.
  package init(of query: String) {
    state = query.allSatisfy(\.isWhitespace) ? .idle : .searching
    (self.query, hits, hasMore) = (query, [], false)
  }
}
