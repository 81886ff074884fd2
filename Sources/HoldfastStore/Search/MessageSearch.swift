import GRDB
import HoldfastCore
import HoldfastTransport

/// One search: the data that it reads from the store, and the results that it shows.
package struct MessageSearch {
  /// The largest number of matching messages that are examined, newest first. A search in one conversation counts
  /// only the messages of that conversation.
  private static let candidates = 10_000
  /// The number of messages that are searched without the index, because it does not have them yet.
  private static let unindexed = 1_000
  /// The number of newest messages that are scanned: for signs, and before the index is used for a vague query.
  private static let looked = 1_000

  private let query: String
  private let sought: SearchQuery?
  private let literal: SearchLiteral?
  package let conversation: ConversationKey?
  private let limit: Int
  private let results: SearchResults?

  /// The messages that the store has for the search.
  package struct Findings {
    /// Messages that contain the query literally, signs included.
    fileprivate var literal: [FoundMessage] = []
    fileprivate var new: [FoundMessage] = []
    package var indexed: [FoundMessage] = []
    fileprivate var progress = 1.0
    /// The present names of the conversations of the found messages.
    fileprivate var names: [ConversationKey: ConversationID] = [:]
    /// The messages that only the server has.
    fileprivate var remote: [RemoteMessage] = []
  }

  /// - Parameter results: the messages that the server has found.
  package init(
    _ query: String, in conversation: ConversationKey?, limit: Int, beside results: SearchResults? = nil
  ) {
    (self.query, self.conversation, self.results) = (query, conversation, results)
    self.limit = min(max(limit, 0), 10_000)
    (sought, literal) = (SearchQuery(query), SearchLiteral(query))
  }

  /// - Parameter deletions: the deletions, as this snapshot sees them. Messages deleted here are left out of the
  ///   server's results.
  package func read(_ reading: Reading, _ deletions: LocalDeletions) throws -> Findings {
    var findings = try read(reading)
    guard let results else { return findings }
    findings.remote = try results.messages.prefix(limit).compactMap { message in
      guard let found = try reading.search.remote(message, deletions) else { return nil }
      return conversation == nil || found.conversation == conversation ? found : nil
    }
    for conversation in Set(findings.remote.map(\.conversation)) {
      findings.names[conversation] = try reading.name(of: conversation)
    }
    return findings
  }

  package func read(_ reading: Reading) throws -> Findings {
    var findings = Findings()
    if let literal {
      findings.literal = try reading.search.newestMessages(Self.looked, limit: limit + 1) { message in
        (conversation == nil || message.conversation == conversation)
          && literal.place(in: message.text) != nil
      }
    }
    try readWords(reading, into: &findings)
    for conversation in Set((findings.literal + findings.new + findings.indexed).map(\.conversation)) {
      findings.names[conversation] = try reading.name(of: conversation)
    }
    return findings
  }

  private func readWords(_ reading: Reading, into findings: inout Findings) throws {
    guard let sought else { return }
    let state = try reading.search.indexState()
    findings.new = try reading.search.unindexedMessages(
      beside: state, in: conversation, limit: Self.unindexed)
    // One extra message is read, to find out whether there are more.
    findings.indexed =
      try sought.isVague
      ? reading.search.newestMatches(sought, in: conversation, looked: Self.looked, limit: limit + 1)
      : reading.search.indexedMatches(
        sought.match, in: conversation, candidates: Self.candidates, limit: limit + 1)
    findings.progress = state.progress
  }

  /// The matches of the query in a text. Nil when there are none.
  private func matches(in text: String) -> [Range<Int>]? {
    if let place = literal?.place(in: text) { return [place] }
    return sought?.matches(in: SearchWords.words(of: text))
  }

  package func snapshot(of findings: Findings, for names: ShownNames) -> SearchSnapshot {
    var snapshot = SearchSnapshot(of: query)
    if snapshot.state == .searching { snapshot.state = .found }
    func name(of conversation: ConversationKey) -> ConversationID {
      findings.names[conversation] ?? ConversationID(rawValue: conversation.rawValue)
    }
    var known: Set<Int64> = []
    var hits: [SearchSnapshot.Hit] = []
    for message in findings.literal + findings.new + findings.indexed
    where hits.count <= limit && known.insert(message.position).inserted {
      // A match of the index is verified against the text.
      guard let matches = matches(in: message.text) else { continue }
      hits.append(
        SearchSnapshot.Hit(
          id: message.id, conversation: name(of: message.conversation),
          title: names.title(message.title, members: message.members), sender: message.sender,
          senderName: names.name(of: message.sender), isMine: message.sender == names.user,
          createdAt: message.createdAt,
          excerpt: SearchSnapshot.Excerpt(of: message.text, matches: matches)))
    }
    snapshot.hasMore = hits.count > limit || results?.hasMore == true
    hits = Array(hits.prefix(limit))
    let here = Set(hits.map(\.id))
    for message in findings.remote where !here.contains(message.id) {
      // The server decides what matches. Words are marked only where they match here too.
      let matches = matches(in: message.text) ?? []
      hits.append(
        SearchSnapshot.Hit(
          id: message.id, conversation: name(of: message.conversation),
          title: names.title(message.title, members: message.members), sender: message.sender,
          senderName: names.name(of: message.sender), isMine: message.sender == names.user,
          createdAt: message.createdAt,
          excerpt: SearchSnapshot.Excerpt(of: message.text, matches: matches), isOnServer: !message.isHere))
    }
    snapshot.hits = hits
    let isBehind = findings.progress < 1 && findings.new.count == Self.unindexed
    snapshot.progress = isBehind ? findings.progress : nil
    return snapshot
  }
}
