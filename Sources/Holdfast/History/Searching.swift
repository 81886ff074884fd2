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
  init(of query: String) {
    state = query.allSatisfy(\.isWhitespace) ? .idle : .searching
    (self.query, hits, hasMore) = (query, [], false)
  }
}

extension ChatClient {
  /// Of more messages than these that have the words, the newest are looked at. A conversation's are its own.
  private static let candidates = 10_000
  /// So many messages are searched that the index does not have yet.
  private static let unindexed = 1_000
  /// So many of the newest are looked at before the index is asked for a vague query.
  private static let looked = 1_000

  /// Searches all messages, or those of one conversation.
  ///
  /// ```swift
  /// let found = try client.search("北京 meet", limit: 20)
  /// ```
  ///
  /// A message is found that has all the words, in any order, each from its beginning on: `meet` finds *meeting*. What is
  /// written without spaces is found in the middle too, from one sign on, and so is an emoji. Case and accents make no
  /// difference; `istanbul`, `ISTANBUL` and `İstanbul` are one. There is no syntax: every text is a search, one of signs
  /// alone finds nothing. What is searched is the texts as the server has them: an edit is found once the server has it,
  /// and a reply that is being written once it is finished.
  ///
  /// What came in the last seconds stands first. Then the best stand first: few words among which the sought ones are
  /// many, and rare ones before common ones. Where no word has more than two letters, which nearly every message has, the
  /// newest stand first. One read, which costs a look at each message that has the words, 10,000 at most, and for one
  /// conversation at those of others that lie between them. Nothing is changed.
  ///
  /// - Parameters:
  ///   - query: what somebody typed. 1,000 scalars of it are looked for, in 16 phrases of 32 words at most.
  ///   - conversation: nil for all.
  ///   - limit: how many hits, from the best on.
  /// - Throws: ``ChatError`` with a code that starts with `storage`.
  public nonisolated func search(
    _ query: String, in conversation: ConversationID? = nil, limit: Int = 50
  ) throws(ChatError) -> SearchSnapshot {
    let limit = min(max(limit, 0), 10_000)
    var snapshot = SearchSnapshot(of: query)
    if snapshot.state == .searching { snapshot.state = .found }
    guard let sought = SearchQuery(query) else { return snapshot }
    let conversation = conversation.map(store.aliases.current)
    let (new, indexed, index) = try store.read { db in
      (
        try db.unindexedMessages(in: conversation, limit: Self.unindexed),
        // One more is read, to know whether there is one.
        try sought.isVague
          ? db.newestMatches(sought, in: conversation, looked: Self.looked, limit: limit + 1)
          : db.indexedMatches(sought.match, in: conversation, candidates: Self.candidates, limit: limit + 1),
        try db.indexState()
      )
    }
    let isNew = Set(new.map(\.position))
    var hits: [SearchHit] = []
    for message in new + indexed.filter({ !isNew.contains($0.position) }) where hits.count <= limit {
      // What the index has is looked at too: the text decides.
      if let hit = hit(message, sought) { hits.append(hit) }
    }
    (snapshot.hits, snapshot.hasMore) = (Array(hits.prefix(limit)), hits.count > limit)
    let isBehind = index.progress < 1 && new.count == Self.unindexed
    snapshot.progress = isBehind ? index.progress : nil
    return snapshot
  }

  private nonisolated func hit(_ message: FoundMessage, _ query: SearchQuery) -> SearchHit? {
    guard let matches = query.matches(in: SearchWords.words(of: message.body)) else { return nil }
    return SearchHit(
      id: message.id, conversation: message.conversation,
      title: shownTitle(message.title, members: message.members), sender: message.sender,
      isMine: message.sender == user, createdAt: message.createdAt,
      excerpt: SearchExcerpt(of: message.body, matches: matches))
  }
}
