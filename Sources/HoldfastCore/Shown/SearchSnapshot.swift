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
    /// Whether the server has found the message, and it is not on this device. A ``ConversationModel`` around it
    /// fetches it, with all messages in between.
    public var isOnServer: Bool

    /// A hit with these values, for previews and tests.
    public init(
      id: MessageID, conversation: ConversationID, title: String, sender: UserID,
      senderName: String? = nil, isMine: Bool, createdAt: Date, excerpt: SearchSnapshot.Excerpt,
      isOnServer: Bool = false
    ) {
      self.id = id
      self.conversation = conversation
      self.title = title
      self.sender = sender
      self.senderName = senderName ?? ShownNames(for: sender).name(of: sender)
      self.isMine = isMine
      self.createdAt = createdAt
      self.excerpt = excerpt
      self.isOnServer = isOnServer
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

extension SearchSnapshot {
  /// The server's part of a search, where ``TransportCapabilities/carriesSearch`` is true.
  public enum Server: Sendable, Codable, Hashable {
    /// The server was asked, and has not answered yet.
    case searching
    /// The server cannot be asked now. It is asked on the next connection.
    case offline
    /// The server did not answer. `SearchModel.retry()` asks it again.
    case failed(FailureReason)
    /// The hits include the server's results.
    case searched
  }
}

/// The results of a search, the best first (rule H8).
public struct SearchSnapshot: Sendable, Codable, Hashable {
  /// The query, as it was typed.
  public var query: String
  /// `idle` or `found`. In a ``SearchModel`` it may also be `searching`.
  public var state: SearchSnapshot.State
  /// The messages that match, the best first. Those that only the server has are after those on this device.
  public var hits: [SearchSnapshot.Hit]
  /// Whether there are more hits. `SearchModel.loadMore()` reads them.
  public var hasMore: Bool
  /// The part of the history that is searched, from 0 to 1. After an update of the app, `run()` reads the words
  /// of an old history a little at a time. Nil: all of it is searched.
  public var progress: Double?
  /// The server's part of the search. Nil when only this device is searched.
  public var server: Server?
  /// The line about the server's part, in English or by ``ChatConfiguration/texts``: "Searching the server...". Nil
  /// when there is nothing to report.
  public private(set) var serverNote: String?
  /// The text in place of hits, in English or by ``ChatConfiguration/texts``: "Nothing found for “zeppelin”". Nil
  /// when there are hits, before the search was made, and while the server is being searched.
  public private(set) var note: String?

  /// A snapshot with these values, for previews and tests.
  public init(
    query: String, state: SearchSnapshot.State, hits: [SearchSnapshot.Hit] = [], hasMore: Bool = false,
    progress: Double? = nil, server: Server? = nil
  ) {
    self.query = query
    self.state = state
    self.hits = hits
    self.hasMore = hasMore
    self.progress = progress
    self.server = server
    localizeInEnglish()
  }

  /// The snapshot before anything is found.
  package init(of query: String) {
    state = query.allSatisfy(\.isWhitespace) ? .idle : .searching
    (self.query, hits, hasMore) = (query, [], false)
  }
}

extension SearchSnapshot: Localizable {
  package mutating func localize(with texts: (ChatConfiguration.ShownText) -> String) {
    let sought = query.trimmingCharacters(in: .whitespacesAndNewlines)
    let isOver = state == .found && server != .searching
    let nothing: ChatConfiguration.ShownText =
      SearchQuery(query) == nil ? .noSignsFound(query: sought) : .nothingFound(query: sought)
    note = isOver && hits.isEmpty ? texts(nothing) : nil
    if case .failed(var reason) = server {
      reason.localize(with: texts)
      server = .failed(reason)
    }
    serverNote =
      switch server {
      case .searching: texts(.searchingServer)
      case .offline: texts(.searchOffline)
      case .failed(let reason): reason.explanation
      case .searched, nil: nil
      }
  }
}
