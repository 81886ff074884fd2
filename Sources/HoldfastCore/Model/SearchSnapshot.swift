import Foundation

extension SearchSnapshot {
  /// One message that a search has found.
  public struct Hit: Identifiable, Sendable, Codable, Hashable {
    public var id: MessageID
    /// The conversation of the message.
    public var conversation: ConversationID
    /// The conversation's title, or the other members' names if it has none.
    public var title: String
    /// The account that sent the message.
    public var sender: UserID
    /// The name of that account: ``ChatConfiguration/displayName``, or else its ID.
    public var senderName: String
    /// Whether this user sent the message.
    public var isMine: Bool
    /// The time of the message.
    public var createdAt: Date
    /// The part of the text around the matches.
    public var excerpt: SearchSnapshot.Excerpt

    /// A hit with these values, for previews and tests.
    public init(
      id: MessageID, conversation: ConversationID, title: String, sender: UserID,
      senderName: String? = nil, isMine: Bool, createdAt: Date, excerpt: SearchSnapshot.Excerpt
    ) {
      self.id = id
      self.conversation = conversation
      self.title = title
      self.sender = sender
      self.senderName = senderName ?? ShownNames(for: sender).name(of: sender)
      self.isMine = isMine
      self.createdAt = createdAt
      self.excerpt = excerpt
    }

  }
}

extension SearchSnapshot {
  /// The state of a search.
  public enum State: String, Sendable, Codable, Hashable {
    /// There is no search: the query is empty, or white space.
    case idle
    /// The query was typed a moment ago. The hits are still those of the previous query.
    case searching
    /// The hits are those of this query. When there are none, no message matches.
    case found
  }
}

/// The results of a search, the best first (SPEC H8).
public struct SearchSnapshot: Sendable, Codable, Hashable {
  /// The query, as it was typed.
  public var query: String
  /// `idle` or `found`. In a ``SearchModel`` it may also be `searching`.
  public var state: SearchSnapshot.State
  /// The messages that match, the best first.
  public var hits: [SearchSnapshot.Hit]
  /// Whether there are more hits. `SearchModel.loadMore()` reads them.
  public var hasMore: Bool
  /// The part of the history that is searched, from 0 to 1. After an update of the app, `run()` reads the words
  /// of an old history a little at a time. Nil: all of it is searched.
  public var progress: Double?
  /// The text in place of hits, in English or by ``ChatConfiguration/texts``: "Nothing found for “zeppelin”". Nil when
  /// there are hits, and before the search was made.
  public private(set) var note: String?

  /// A snapshot with these values, for previews and tests.
  public init(
    query: String, state: SearchSnapshot.State, hits: [SearchSnapshot.Hit] = [], hasMore: Bool = false,
    progress: Double? = nil
  ) {
    self.query = query
    self.state = state
    self.hits = hits
    self.hasMore = hasMore
    self.progress = progress
    wordInEnglish()
  }

  /// The snapshot before anything is found.
  package init(of query: String) {
    state = query.allSatisfy(\.isWhitespace) ? .idle : .searching
    (self.query, hits, hasMore) = (query, [], false)
  }
}

extension SearchSnapshot: Worded {
  package mutating func word(with texts: (ChatConfiguration.ShownText) -> String) {
    let sought = query.trimmingCharacters(in: .whitespacesAndNewlines)
    note = state == .found && hits.isEmpty ? texts(.nothingFound(query: sought)) : nil
  }
}
